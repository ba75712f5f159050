import { beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { decode, encode } from '../../../src/util/codec.js';
import { multisigTxSet, type MultisigTxSet } from '../../../src/monero/wallet/multisig/tx-set.js';
import { exchangeInfo, GroupMember, groupWallets } from '../../support/wallets/group-wallets.js';
import { CHAIN_HEIGHT, ringAnswers } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault, groupKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { COIN, holder, payeeOf } from '../../monero/wallet/fixtures.js';
import { groupOf, randomSigners } from '../../monero/wallet/multisig/groups.js';

const rng = seededRng('multisig signing service');
const accounts = groupOf(randomSigners(3, rng), 2, rng);
const { outputs } = groupWallets(2, 3, [3n * COIN], rng, accounts);
const stranger = holder(rng);
const TO = formatAddress(stranger.address());
const payee = { ...payeeOf(stranger.address(), COIN), text: TO };

let a: GroupMember;
let b: GroupMember;
let c: GroupMember;
/** Sealed proposal of the first member in hex; no other member has signed it. */
let proposed: string;

async function group(): Promise<void> {
  const members = accounts.map((account) => {
    const wallet = new ServiceWallet(groupKeys(account));
    wallet.receive(outputs, CHAIN_HEIGHT);
    wallet.answers = ringAnswers(outputs, CHAIN_HEIGHT);
    return new GroupMember(wallet);
  });
  [a, b, c] = members as [GroupMember, GroupMember, GroupMember];
  await exchangeInfo(members);
  proposed = await a.propose(payee);
}

const outgoing = ({ wallet }: GroupMember) =>
  wallet.store.read((r) => r.outgoing.list({ states: ['prepared', 'pending', 'failed', 'confirmed'] }));

const changed = async (change: (set: MultisigTxSet) => Partial<MultisigTxSet>): Promise<string> => {
  const { exports } = a.wallet;
  const set = decode(multisigTxSet, await exports.open('multisigTxs', fromHex(proposed)));
  return toHex(await exports.seal('multisigTxs', encode(multisigTxSet, { ...set, ...change(set) })));
};

describe('a proposed set of transactions', () => {
  beforeAll(group);

  it('is described by every member, with the weight that it will have', async () => {
    for (const { signing } of [a, b, c]) {
      const { summary, weights, descriptions } = await signing.describe(proposed);
      expect(summary).toMatchObject({ amountIn: 3n * COIN, recipients: [{ address: TO, amount: COIN }] });
      expect([descriptions.length, weights.length]).toEqual([1, 1]);
      expect(weights[0]).toBeGreaterThan(1400);
    }
  });

  it('has used the nonces of its proposer, and records no payment', () => {
    expect([a.nonces(), outgoing(a)]).toEqual([[0], []]);
    expect(b.nonces()[0]).toBeGreaterThan(0);
  });

  test.each<[string, () => string | Promise<string>, object]>([
    ['text that is not hexadecimal', () => 'xyz', { kind: 'bad_hex' }],
    ['a blob that is no set', () => 'ab', { kind: 'bad_multisig_set' }],
    ['a set that was cut', () => proposed.slice(0, -2), { kind: 'bad_multisig_set' }],
    [
      'a set that spends an output that is not known',
      () => changed(({ txs }) => ({ txs: txs.map((tx) => ({ ...tx, selectedTransfers: [1] })) })),
      { kind: 'bad_multisig_set' },
    ],
  ])('is not read from %s', async (_, text, expected) => {
    const hex = await text();
    for (const run of [
      () => b.signing.sign(hex, undefined),
      () => b.signing.describe(hex),
      () => b.signing.submit(hex, undefined),
    ])
      await expect(run()).rejects.toMatchObject({ fault: expected });
  });

  test.each<[string, () => Promise<string>, RegExp]>([
    ['holds none', () => changed(() => ({ txs: [] })), /there are none/],
    ['has no signer', () => changed(() => ({ signers: [] })), /lack the signature of their proposer/],
    [
      'names a stranger as signer',
      () => changed(() => ({ signers: [stranger.spendPublicKey] })),
      /not a member/,
    ],
    [
      'has enough signers',
      () => changed(({ signers }) => ({ signers: [...signers, stranger.spendPublicKey] })),
      /enough signers have signed/,
    ],
    ['spends an output twice', () => changed(({ txs }) => ({ txs: [...txs, ...txs] })), /an output twice/],
    [
      'pays another amount than it says',
      () =>
        changed(({ txs }) => ({
          txs: txs.map((tx) => ({
            ...tx,
            construction: {
              ...tx.construction,
              outputs: tx.construction.outputs.map((one) => ({ ...one, amount: one.amount + 1n })),
            },
          })),
        })),
      /another transaction/,
    ],
  ])('is not signed where it %s, and no nonce is lost', async (_, text, reason) => {
    const before = b.nonces();
    await expect(b.signing.sign(await text(), undefined)).rejects.toMatchObject({
      fault: { kind: 'multisig_signing_failed', reason: expect.stringMatching(reason) },
    });
    expect(b.nonces()).toEqual(before);
  });

  it('is not signed by its proposer, and not submitted before enough have signed', async () => {
    await expect(a.signing.sign(proposed, undefined)).rejects.toMatchObject({
      fault: { kind: 'multisig_signing_failed', reason: 'this wallet has signed them already' },
    });
    await expect(a.signing.submit(proposed, undefined)).rejects.toMatchObject(
      fault({ kind: 'too_few_signers', needed: 2, given: 1 }),
    );
  });

  it('is not signed where it spends a frozen output', async () => {
    const [output] = outputs;
    if (output === undefined) throw new Error('an output');
    b.wallet.store.write((w) => w.outputs.setFrozen(output, true));
    await expect(b.signing.sign(proposed, undefined)).rejects.toMatchObject({
      fault: { kind: 'multisig_signing_failed', reason: 'they spend a frozen output' },
    });
    b.wallet.store.write((w) => w.outputs.setFrozen(output, false));
  });
});

describe('signing', () => {
  beforeEach(group);

  it('completes the transaction, and erases the nonces in the step that records the answer', async () => {
    const { set, txHashes } = await b.signing.sign(proposed, undefined);
    expect([txHashes.length, b.nonces()]).toEqual([1, [0]]);
    const [hash] = txHashes;
    expect(hash && b.wallet.store.read((r) => r.txKeys.get(hash))).not.toEqual([]);
    expect(await c.signing.describe(toHex(set))).toMatchObject({ summary: { amountIn: 3n * COIN } });
  });

  it('is answered once; after the wallet was opened anew the same answer is given again', async () => {
    const answer = await b.signing.sign(proposed, undefined);
    await expect(b.signing.sign(proposed, undefined)).rejects.toMatchObject({
      fault: {
        kind: 'multisig_signing_failed',
        reason: 'this wallet has signed them already and returned its answer',
      },
    });
    expect(await new GroupMember(b.wallet).signing.sign(proposed, undefined)).toEqual(answer);
  });

  it('of a second proposal with the same output needs new info of this signer', async () => {
    const second = await c.propose(payee);
    await b.signing.sign(proposed, undefined);
    await expect(b.signing.sign(second, undefined)).rejects.toMatchObject(
      fault({ kind: 'multisig_export_needed' }),
    );
  });
});
