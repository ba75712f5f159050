import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import type { WalletKeys } from '../../../src/monero/wallet/keys.js';
import {
  chainOf,
  openProofs,
  outputs,
  owner,
  payer,
  payments,
  receive,
} from '../../support/wallets/proof-wallet.js';
import { received } from '../../store/fixtures.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { forkOutput } from '../../support/wallets/fork-outputs.js';
import { faultOf } from '../../support/wallets/test-wallet.js';

const txs = payments.map(({ tx }) => tx);
const { wallet, proofs } = openProofs();
receive(wallet);
beforeEach(() => {
  wallet.answers = chainOf(txs);
});
afterAll(() => wallet.close());

describe('a proof of reserve', () => {
  const address = wallet.accounts.address({ major: 0, minor: 0 });
  const check = async (proof: string, message = 'solvent') => proofs.checkReserve(address, message, proof);

  it('of everything holds the total, and what of it is spent', async () => {
    const proof = await proofs.proveReserve(undefined, 'solvent');
    expect(await check(proof)).toEqual({ good: true, total: 375n, spent: 0n });
    wallet.answers = chainOf(
      txs,
      outputs.slice(1, 2).map(({ keyImage }) => toHex(keyImage)),
    );
    expect(await check(proof)).toEqual({ good: true, total: 375n, spent: 70n });
    expect(await check(proof, 'insolvent')).toMatchObject({ good: false });
  });

  it.each([
    [0, 5n, 5n],
    [0, 6n, 300n],
    [0, 301n, 305n],
    [1, 1n, 70n],
  ])('of account %i of at least %i holds %i: as few outputs as reach it', async (account, least, total) => {
    const proof = await proofs.proveReserve({ account, amount: amount(least) }, 'solvent');
    expect(await check(proof)).toMatchObject({ good: true, total });
  });

  it.each<[string, { account: number; amount: bigint }, object]>([
    ['an account that does not exist', { account: 2, amount: 1n }, { kind: 'account_out_of_range' }],
    [
      'more than the account holds',
      { account: 0, amount: 306n },
      { kind: 'invalid', text: expect.stringContaining('Not enough balance') },
    ],
    ['nothing', { account: 0, amount: 0n }, { kind: 'invalid' }],
  ])('is refused for %s', async (_, least, fault) => {
    const asked = { account: least.account, amount: amount(least.amount) };
    expect(await faultOf(() => proofs.proveReserve(asked, ''))).toMatchObject(fault);
  });

  it('leaves out what is spent in the chain or frozen, and is refused where nothing is left', async () => {
    const own = openProofs();
    receive(own.wallet);
    const [first, second, third] = outputs;
    if (first === undefined || second === undefined || third === undefined) throw new Error('no outputs');
    own.wallet.store.write((w) => {
      w.outputs.markSpent({
        keyImage: first.keyImage,
        txHash: new Uint8Array(32).fill(1) as Hash,
        height: 9,
      });
      w.outputs.setFrozen(second, true);
    });
    expect(await check(await own.proofs.proveReserve(undefined, 'solvent'))).toMatchObject({ total: 300n });
    own.wallet.store.write((w) => w.outputs.setFrozen(third, true));
    expect(await faultOf(() => own.proofs.proveReserve(undefined, ''))).toMatchObject({
      kind: 'invalid',
      text: 'Zero balance',
    });
  });

  it('is made of outputs of the old form if they reach the amount, and refused if outputs of the fork are needed', async () => {
    const own = openProofs();
    receive(own.wallet);
    const fork = forkOutput(owner, 400n, 9, seededRng('reserve of the fork'));
    own.wallet.store.write((w) => {
      w.payments.add({ ...received(0, 9), txHash: fork.txHash });
      w.outputs.add(fork);
    });
    const prove = (least?: bigint) => () =>
      own.proofs.proveReserve(
        least === undefined ? undefined : { account: 0, amount: amount(least) },
        'solvent',
      );
    for (const [least, total] of [
      [4n, 5n],
      [300n, 300n],
      [305n, 305n],
    ] as const)
      expect(await check(await prove(least)())).toMatchObject({ good: true, total });
    for (const least of [306n, 400n, 705n, undefined])
      expect(await faultOf(prove(least))).toMatchObject({ kind: 'fork_proof' });
    expect(await faultOf(prove(706n))).toMatchObject({ kind: 'invalid' });
  });

  it('is refused without the spend key', async () => {
    const viewOnly = openProofs({ viewOnly: true });
    receive(viewOnly.wallet);
    expect(await faultOf(() => viewOnly.proofs.proveReserve(undefined, ''))).toEqual({ kind: 'view_only' });
    const multisig = {} as NonNullable<WalletKeys['multisig']>;
    Object.defineProperty(viewOnly.wallet.keystore, 'keys', { value: { ...viewOnly.wallet.keys, multisig } });
    expect(await faultOf(() => viewOnly.proofs.proveReserve(undefined, ''))).toMatchObject({
      kind: 'multisig_refused',
    });
  });

  it.each<[string, string, string, object]>([
    [
      'a subaddress',
      wallet.accounts.address({ major: 0, minor: 1 }),
      'ReserveProofV2',
      { kind: 'invalid', text: 'Address must not be a subaddress' },
    ],
    ['no address', 'nonsense', 'ReserveProofV2', { kind: 'wrong_address' }],
    ['a text that is no proof', address, 'nonsense', { kind: 'bad_proof' }],
  ])('is refused when it is checked for %s', async (_, of, proof, fault) => {
    expect(await faultOf(() => proofs.checkReserve(of, '', proof))).toMatchObject(fault);
  });

  it('is checked with a daemon only: without one, not even its text is read', async () => {
    const error = new DaemonError('unreachable', 'no daemon');
    wallet.answers = { getInfo: () => Promise.reject(error) };
    await expect(check('')).rejects.toBe(error);
  });

  it('of another address is refused before the daemon is asked for its transactions', async () => {
    const proof = await proofs.proveReserve(undefined, 'solvent');
    const { getInfo } = chainOf(txs);
    wallet.answers = { ...(getInfo && { getInfo }) };
    const other = formatAddress(payer.address());
    expect(await faultOf(() => proofs.checkReserve(other, 'solvent', proof))).toMatchObject({
      kind: 'bad_proof',
    });
  });

  it('is refused when it is checked with transactions that the daemon does not know', async () => {
    const proof = await proofs.proveReserve(undefined, 'solvent');
    wallet.answers = chainOf([]);
    expect(await faultOf(() => check(proof))).toMatchObject({ kind: 'invalid' });
  });
});
