import { describe, expect, it, test } from '@jest/globals';
import { decompress } from '../../../../src/monero/crypto/curve/point.js';
import type { SecretKey } from '../../../../src/monero/crypto/types.js';
import {
  transactionHash,
  transactionWeight,
  prefixHash,
} from '../../../../src/monero/cryptonote/transaction.js';
import type { Address, PaymentId } from '../../../../src/monero/cryptonote/types.js';
import { loadCurve } from '../../../../src/monero/crypto/curve/load-curve.js';
import { verifyRange } from '../../../../src/monero/ringct/bulletproofs-plus.js';
import { verifyClsag } from '../../../../src/monero/ringct/clsag.js';
import { amountsBalance } from '../../../../src/monero/ringct/commitment.js';
import { preMlsagHash } from '../../../../src/monero/ringct/message.js';
import { toHex } from '../../../../src/util/bytes.js';
import { decode, encode } from '../../../../src/util/codec.js';
import { systemRng } from '../../../../src/util/random.js';
import { ProtocolError } from '../../../../src/monero/wallet/protocol-error.js';
import { planAttempts } from '../../../../src/monero/wallet/multisig/attempts.js';
import {
  cosign,
  NoNonceError,
  type Cosigned,
  type CosigningRequest,
} from '../../../../src/monero/wallet/multisig/cosigning.js';
import { multisigTxSet } from '../../../../src/monero/wallet/multisig/tx-set.js';
import { keyImagesOf, type PendingTx } from '../../../../src/monero/wallet/exchange/pending-tx.js';
import { sameAddress } from '../../../../src/monero/wallet/select/transfer-request.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { COIN, holder, payeeOf } from '../fixtures.js';
import { groupOf, randomSigners } from './groups.js';
import {
  addressOfGroup,
  memberOf,
  proposalOf,
  sharedOutput,
  withKeyImages,
  type Member,
  type Shared,
} from './shared-outputs.js';
import { inMainSubgroup } from '../../../support/values/plain-points.js';

const curve = loadCurve();
const rng = seededRng('multisig signing');

function wallets(m: number, n: number, count = 2) {
  const accounts = groupOf(randomSigners(n, rng), m, rng);
  const [first] = accounts;
  if (first === undefined) throw new Error('a group');
  const bare = Array.from({ length: count }, (_, i) =>
    sharedOutput(first, 5n * COIN, i + 1, rng, { major: 0, minor: i }),
  );
  const members = accounts.map((account) => memberOf(account, bare, rng));
  return { members, outputs: withKeyImages(members, bare) };
}

/** Makes the request for a further signature. @param members members who have signed, then the signing member. */
function orderFor(pending: PendingTx, members: readonly Member[]): CosigningRequest {
  const own = members.at(-1);
  if (own === undefined) throw new Error('a signer');
  return {
    pending,
    signers: members.slice(0, -1).map(({ signer }) => signer),
    threshold: own.account.threshold,
    signer: own.signer,
    shares: own.account.shares,
    keys: {
      network: 'mainnet',
      viewSecret: own.account.commonSecret,
      changeAddress: addressOfGroup(own.account),
    },
    nonces: pending.construction.selectedTransfers.map((place) =>
      (own.fresh[place]?.secrets ?? []).map((secret) => Uint8Array.from(secret) as SecretKey),
    ),
  };
}

/** Passes an encoded proposal from signer to signer. */
function signInTurn(members: readonly Member[], proposal: PendingTx): Cosigned {
  let at: Cosigned = { pending: proposal };
  for (let i = 1; i < members.length; i++) {
    const bytes = encode(multisigTxSet, {
      txs: [at.pending],
      signers: members.slice(0, i).map(({ signer }) => signer),
    });
    const [pending] = decode(multisigTxSet, bytes).txs;
    if (pending === undefined) throw new Error('a transaction');
    at = cosign(orderFor(pending, members.slice(0, i + 1)), curve);
  }
  return at;
}

/** Proof and signature checks of the network. */
function assertSound({ tx }: PendingTx, outputs: readonly Shared[]): void {
  const { prefix, rct } = tx;
  const prunable = rct?.prunable;
  if (rct === undefined || prunable === undefined) throw new Error('no signatures');
  const [proof] = prunable.bulletproofsPlus;
  expect(proof && verifyRange([{ proof, commitments: rct.base.outPk }], systemRng, curve)).toBe(true);
  expect(amountsBalance(prunable.pseudoOuts, rct.base.outPk, rct.base.fee, curve)).toBe(true);
  const message = preMlsagHash(
    prefixHash(prefix),
    rct.base,
    prunable,
    prefix.inputs.length,
    prefix.outputs.length,
  );
  keyImagesOf(tx).forEach((keyImage, i) => {
    const spent = outputs.find(({ output }) => output.keyImage && toHex(output.keyImage) === toHex(keyImage));
    const clsag = prunable.clsags[i];
    const pseudoOut = prunable.pseudoOuts[i];
    if (!spent || !clsag || !pseudoOut) throw new Error('an input without its parts');
    expect(inMainSubgroup(decompress(keyImage))).toBe(true);
    expect(verifyClsag({ message, ring: spent.ring.members, clsag, keyImage, pseudoOut }, curve)).toBe(true);
  });
}

const stranger = holder(rng);
const paying = (address: Address, value = 7n * COIN) => [payeeOf(address, value)];

describe('a transaction of a group', () => {
  test.each([
    [1, 2],
    [2, 2],
    [2, 3],
    [3, 3],
    [2, 4],
    [3, 4],
    [3, 5],
  ])('is complete once any %i of %i have signed', (m, n) => {
    const { members, outputs } = wallets(m, n);
    const signing = [...members].reverse();
    const proposal = proposalOf(signing, outputs, paying(stranger.address()), rng);
    const { pending, txHash } = signInTurn(signing.slice(0, m), proposal);
    assertSound(pending, outputs);
    if (m > 1) expect(toHex(txHash ?? new Uint8Array())).toBe(toHex(transactionHash(pending.tx)));
    expect(transactionWeight(pending.tx)).toBe(transactionWeight(proposal.tx));
  });

  test.each([
    ['a subaddress', paying(stranger.address({ major: 1, minor: 2 }))],
    ['an integrated address', paying(stranger.address(undefined, rng(8) as PaymentId))],
    [
      'a subaddress beside a primary address',
      [...paying(stranger.address({ major: 1, minor: 2 }), COIN), ...paying(stranger.address(), COIN)],
    ],
  ])('can pay %s', (_, payees) => {
    const { members, outputs } = wallets(2, 2);
    assertSound(signInTurn(members, proposalOf(members, outputs, payees, rng)).pending, outputs);
  });

  it('can have several change outputs', () => {
    const { members, outputs } = wallets(2, 2);
    const [first] = members;
    if (first === undefined) throw new Error('a member');
    const payees = [...paying(stranger.address({ major: 1, minor: 2 }), COIN), ...paying(stranger.address())];
    const proposal = proposalOf(members, outputs, payees, rng, { outputs: 5, least: 1n });
    const { pending } = signInTurn(members, proposal);
    assertSound(pending, outputs);
    const own = addressOfGroup(first.account);
    const change = pending.construction.outputs.filter(({ address }) => sameAddress(address, own));
    expect(change).toHaveLength(5);
    expect(change.reduce((total, one) => total + one.amount, 0n)).toBe(pending.change.amount);
    expect(pending.tx.prefix.outputs).toHaveLength(7);
  });

  it('can pay the group itself', () => {
    const { members, outputs } = wallets(2, 2);
    const [first] = members;
    if (first === undefined) throw new Error('a member');
    const own = addressOfGroup(first.account);
    assertSound(signInTurn(members, proposalOf(members, outputs, paying(own), rng)).pending, outputs);
  });
});

const { members, outputs } = wallets(2, 3);
const proposal = proposalOf(members, outputs, paying(stranger.address()), rng);
const [a, b, c] = members;
if (a === undefined || b === undefined || c === undefined) throw new Error('three members');

describe('a signer refuses', () => {
  const entry = payeeOf(stranger.address(), COIN);
  const { construction, tx } = proposal;
  test.each<[string, Partial<PendingTx>, RegExp]>([
    ['a transaction without an attempt', { multisigSigs: [] }, /no attempt/],
    ['a transaction without entropy', { multisigEntropy: new Uint8Array(32) }, /old format/],
    ['another entropy', { multisigEntropy: new Uint8Array(32).fill(1) }, /keys are not derived/],
    [
      'a record that pays another address',
      {
        construction: {
          ...construction,
          outputs: construction.outputs.map((output) =>
            output.amount === 7n * COIN
              ? { ...output, address: addressOfGroup(wallets(2, 2, 1).members[0]?.account ?? a.account) }
              : output,
          ),
        },
      },
      /makes another transaction/,
    ],
    [
      'a record that pays more',
      {
        construction: {
          ...construction,
          outputs: construction.outputs.map((output) => ({ ...output, amount: output.amount + 1n })),
        },
      },
      /another transaction/,
    ],
    [
      'change to another address',
      { construction: { ...construction, change: { ...construction.change, address: entry.address } } },
      /change is not paid to this wallet/,
    ],
    [
      'a source with another amount',
      {
        construction: {
          ...construction,
          sources: construction.sources.map((source) => ({ ...source, amount: source.amount + 1n })),
        },
      },
      /does not match its commitment/,
    ],
    ['another unlock time', { construction: { ...construction, unlockTime: 7n } }, /another transaction/],
    [
      'a transaction that differs from its record',
      { tx: { ...tx, prefix: { ...tx.prefix, extra: tx.prefix.extra.slice(0, -1) } } },
      /another transaction/,
    ],
    [
      'an attempt with a missing response',
      { multisigSigs: proposal.multisigSigs.map((sig) => ({ ...sig, s: sig.s.slice(1) })) },
      /does not answer every input/,
    ],
  ])('%s', (_, change, reason) => {
    const order = orderFor({ ...proposal, ...change }, [a, b]);
    expect(() => cosign(order)).toThrow(reason);
  });

  it('a transaction whose nonces it does not have', () => {
    const order = orderFor(proposal, [a, b]);
    expect(() => cosign({ ...order, nonces: order.nonces.map(() => []) })).toThrow(NoNonceError);
  });

  it('to use a nonce twice', () => {
    const order = orderFor(proposal, [a, b]);
    cosign(order);
    expect(() => cosign(order)).toThrow(NoNonceError);
  });

  it('a second attempt with the nonces of the first', () => {
    const doubled = { ...proposal, multisigSigs: [...proposal.multisigSigs, ...proposal.multisigSigs] };
    expect(() => cosign(orderFor(doubled, [a, b]))).toThrow(NoNonceError);
  });

  it('a transaction that another signer signed wrongly, on completion', () => {
    const spoiled = {
      ...proposal,
      multisigSigs: proposal.multisigSigs.map((sig) => ({
        ...sig,
        s: sig.s.map((s) => Uint8Array.from(s, (byte, i) => (i === 0 ? byte ^ 1 : byte))),
      })),
    };
    expect(() => cosign(orderFor(spoiled, [a, b]))).toThrow(/one of them is wrong/);
  });
});

describe('attempts', () => {
  it('are made one per set of signers, and share no nonce', () => {
    const infos = outputs.map((_, i) => [b, c].flatMap(({ fresh }) => fresh[i]?.info ?? []));
    const attempts = planAttempts(a.account, a.signer, infos);
    expect(attempts.map(({ ignored }) => ignored.map(toHex))).toEqual(
      [...a.account.signers]
        .filter((key) => key !== a.signer && toHex(key) !== toHex(a.signer))
        .map((key) => [toHex(key)]),
    );
    const used = attempts.flatMap(({ nonces }) => nonces.flat(2).map(({ L }) => toHex(L)));
    expect(new Set(used).size).toBe(used.length);
  });

  it('need unused nonces of enough other signers', () => {
    const refusal = (infos: Parameters<typeof planAttempts>[2]): unknown => {
      try {
        return planAttempts(a.account, a.signer, infos);
      } catch (error) {
        return error instanceof ProtocolError ? error.fault.kind : error;
      }
    };
    expect(refusal([[], []])).toBe('multisig_import_needed');
    const info = b.fresh[0]?.info;
    expect(info && refusal([[info], []])).toBe('multisig_import_needed');
    expect(info && refusal([[{ ...info, nonces: info.nonces.slice(0, 1) }]])).toBe('multisig_import_needed');
  });
});
