import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, PublicKey } from '../../../src/monero/crypto/types.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import {
  MAX_BUNDLE_OUTPUTS,
  MAX_BUNDLE_TX_BYTES,
  type ReserveBundle,
} from '../../../src/monero/wallet/proofs/reserve-bundle.js';
import { checkBundle } from '../../../src/monero/wallet/proofs/reserve-bundle-check.js';
import { readReserveProof } from '../../../src/monero/wallet/proofs/reserve-proof-text.js';
import type { WalletKeys } from '../../../src/monero/wallet/keys.js';
import { ReserveBundles, type BundleRequest } from '../../../src/services/proofs/reserve-bundles.js';
import { amount } from '../../../src/util/amount.js';
import { equalBytes } from '../../../src/util/bytes.js';
import { ownedOutput } from '../../monero/wallet/fixtures.js';
import { bytes, page, received, unnamed } from '../../store/fixtures.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { forkOutput } from '../../support/wallets/fork-outputs.js';
import {
  chainOf,
  openProofs,
  outputs,
  owner,
  payments,
  receive,
} from '../../support/wallets/proof-wallet.js';
import { faultOf, type TestWallet } from '../../support/wallets/test-wallet.js';

/* Outputs of 5, 70 and 300 at 0/0, 1/1 and 0/2, in blocks 1, 2 and 3 of a wallet with blocks 0 to 9. */

const txs = payments.map(({ tx }) => tx);
const spender = new Uint8Array(32).fill(1) as Hash;
const [five, seventy, threeHundred] = outputs as [
  (typeof outputs)[number],
  (typeof outputs)[number],
  (typeof outputs)[number],
];

let wallet: TestWallet;
let proofs: ReturnType<typeof openProofs>['proofs'];
let jobs: readonly string[];
let bundles: ReserveBundles;

function open(options: Parameters<typeof openProofs>[0] = {}): void {
  const opened = openProofs(options);
  ({ wallet, proofs } = opened);
  ({ jobs } = opened.workers);
  bundles = new ReserveBundles(Object.assign(wallet, { workers: opened.workers.asPools }), wallet);
  wallet.answers = chainOf(txs);
}

beforeEach(() => {
  open();
  receive(wallet);
});
afterEach(() => wallet.close());

/** Makes a bundle, and verifies it as an auditor does. */
async function prove(request: Partial<BundleRequest> = {}): Promise<ReserveBundle> {
  const bundle = await bundles.prove({ message: 'solvent', ...request });
  checkBundle(bundle);
  return bundle;
}

/** Sums of the accounts of a bundle by account. */
const totals = ({ accounts }: ReserveBundle): Record<string, bigint> =>
  Object.fromEntries(accounts.map(({ account, total }) => [account, total]));

const refusal = (request: Partial<BundleRequest> = {}) =>
  faultOf(() => bundles.prove({ message: '', ...request }));

describe('a reserve bundle', () => {
  it('has all accounts with outputs at the newest block, and is made on the thread', async () => {
    wallet.time = 1_800_000_000;
    const bundle = await prove();
    expect(totals(bundle)).toEqual({ 0: 305n, 1: 70n });
    expect(bundle).toMatchObject({ total: 375n, height: 9, message: 'solvent', time: 1_800_000_000 });
    expect(equalBytes(bundle.blockHash, wallet.store.blockAt(9)?.hash as Hash)).toBe(true);
    expect(jobs).toEqual(['proveBundle']);
  });

  it('has the accounts that are named, in ascending order and once, also without outputs', async () => {
    wallet.store.write((w) =>
      w.outputs.markSpent({ keyImage: seventy.keyImage, txHash: spender, height: 5 }),
    );
    expect(totals(await prove({ accounts: [1, 0, 1] }))).toEqual({ 0: 305n, 1: 0n });
    expect(totals(await prove({ accounts: [0] }))).toEqual({ 0: 305n });
    expect(totals(await prove())).toEqual({ 0: 305n });
  });

  it.each([
    [9, 375n],
    [3, 375n],
    [2, 75n],
    [1, 5n],
  ])('at height %i holds what was received up to this block: %i', async (height, total) => {
    expect(await prove({ height })).toMatchObject({ height, total });
  });

  it('holds an output until the block that spends it, and not from it on', async () => {
    wallet.store.write((w) => w.outputs.markSpent({ keyImage: five.keyImage, txHash: spender, height: 6 }));
    expect(await prove({ height: 5 })).toMatchObject({ total: 375n });
    expect(await prove({ height: 6 })).toMatchObject({ total: 370n });
    expect(await prove()).toMatchObject({ total: 370n });
  });

  it('holds outputs that an unmined payment spends, and frozen ones', async () => {
    wallet.store.write((w) => {
      w.outputs.reserve([five], spender);
      w.outputs.setFrozen(threeHundred, true);
    });
    expect(await prove()).toMatchObject({ total: 375n });
  });

  it('is refused with outputs in the form of the fork, and made of other accounts and of the height before them', async () => {
    const fork = forkOutput(owner, 9n, 7, seededRng('bundle of the fork'));
    wallet.store.write((w) => {
      w.payments.add({ ...received(0, 7), txHash: fork.txHash });
      w.outputs.add(fork);
    });
    for (const request of [{}, { accounts: [0] }, { height: 7 }])
      expect(await refusal(request)).toMatchObject({ kind: 'fork_proof' });
    expect(await prove({ accounts: [1] })).toMatchObject({ total: 70n });
    expect(await prove({ height: 6 })).toMatchObject({ total: 375n });
  });

  it('lacks an output that a transaction spends which the wallet has not seen, at any height', async () => {
    wallet.store.write((w) => w.outputs.markSpentByUnknown(five, true));
    expect(await prove({ height: 3 })).toMatchObject({ total: 370n });
  });

  it('counts as unlocked what could be spent in the next block', async () => {
    expect(await prove()).toMatchObject({ unlocked: 0n, locked: 375n });
    wallet.store.write((w) => w.applyPage(page(10, 2)));
    // Blocks 1 and 2 are ten blocks old when block 11 and block 12 are mined.
    expect(await prove({ height: 10 })).toMatchObject({ unlocked: 5n, locked: 370n });
    expect(await prove({ height: 11 })).toMatchObject({ unlocked: 75n, locked: 300n });
  });

  it('follows a reorganisation: what it has undone is no part, and a spend that it has undone counts no more', async () => {
    wallet.store.write((w) => w.outputs.markSpent({ keyImage: five.keyImage, txHash: spender, height: 4 }));
    expect(await prove({ height: 4 })).toMatchObject({ total: 370n });
    const before = await prove({ height: 2 });
    wallet.store.write((w) => w.applyPage(page(3, 3)));
    const after = await prove();
    expect(after).toMatchObject({ height: 5, total: 75n });
    expect(await prove({ height: 2 })).toMatchObject({ total: before.total, blockHash: before.blockHash });
    expect(await refusal({ height: 6 })).toMatchObject({
      kind: 'invalid',
      reason: 'the newest block of the wallet is 5, and the height is 6',
    });
  });

  it('has a reserve proof over the message with one account at the newest block alone', async () => {
    const one = await prove({ accounts: [0] });
    const address = wallet.accounts.address({ major: 0, minor: 0 });
    const check = (text: string) => proofs.checkReserve(address, 'solvent', text);
    expect(await check(one.reserveProof ?? '')).toEqual({ good: true, total: 305n, spent: 0n });
    const usual = await proofs.proveReserve({ account: 0, amount: amount(305n) }, 'solvent');
    const namesOf = (text: string) =>
      readReserveProof(text).entries.map(({ txHash, outputIndex }) => `${String(txHash)} ${outputIndex}`);
    expect(namesOf(one.reserveProof ?? '').sort()).toEqual(namesOf(usual).sort());
    expect(await prove({ accounts: [0], height: 9 })).not.toHaveProperty('reserveProof');
    expect(await prove()).not.toHaveProperty('reserveProof');
    wallet.store.write((w) =>
      w.outputs.markSpent({ keyImage: seventy.keyImage, txHash: spender, height: 5 }),
    );
    expect(await prove()).toHaveProperty('reserveProof');
  });

  it.each<[string, Partial<BundleRequest>, object]>([
    ['an account that does not exist', { accounts: [0, 2] }, { kind: 'account_out_of_range', account: 2 }],
    ['a height above the newest block', { height: 10 }, { kind: 'invalid' }],
    ['a height below all outputs', { height: 0 }, { kind: 'invalid', text: 'Zero balance' }],
    [
      'too many accounts',
      { accounts: Array.from({ length: MAX_BUNDLE_OUTPUTS + 1 }, (_, i) => i) },
      { kind: 'invalid', reason: `a bundle has at most ${MAX_BUNDLE_OUTPUTS} accounts` },
    ],
  ])('is refused for %s', async (_, request, fault) => {
    expect(await refusal(request)).toMatchObject(fault);
    expect(jobs).toEqual([]);
  });

  it('is refused without the spend key, before the daemon is asked', async () => {
    wallet.close();
    open({ viewOnly: true });
    receive(wallet);
    wallet.answers = {};
    expect(await refusal()).toMatchObject({ kind: 'view_only' });
    const multisig = {} as NonNullable<WalletKeys['multisig']>;
    Object.defineProperty(wallet.keystore, 'keys', { value: { ...wallet.keys, multisig } });
    expect(await refusal()).toMatchObject({ kind: 'multisig_refused' });
  });

  it('is refused where the key image of an output is not known', async () => {
    wallet.store.write((w) => w.outputs.setKeyImage(five.publicKey, undefined));
    expect(await refusal()).toMatchObject({
      kind: 'invalid',
      reason: 'the key image of an output is not known',
    });
    expect(await refusal({ accounts: [1] })).toBeUndefined();
  });

  it('is refused beyond the largest number of outputs, and names it', async () => {
    const many = Array.from({ length: MAX_BUNDLE_OUTPUTS - 2 }, (_, i) =>
      ownedOutput(1n, { height: 4, publicKey: bytes<PublicKey>(1000 + i) }),
    );
    wallet.store.write((w) => {
      for (const one of many) {
        w.payments.add({ ...received(0, 4), txHash: one.txHash });
        w.outputs.add(unnamed(one));
      }
    });
    expect(await refusal()).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining(`at most ${MAX_BUNDLE_OUTPUTS} outputs`),
    });
    expect(await refusal({ accounts: [1] })).toBeUndefined();
  });

  it('is refused with transactions that are too long together, and with unknown or other ones', async () => {
    wallet.answers = chainOf(txs.map((tx) => ({ ...tx, blob: new Uint8Array(MAX_BUNDLE_TX_BYTES / 2) })));
    expect(await refusal()).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining(`at most ${MAX_BUNDLE_TX_BYTES} bytes`),
    });
    wallet.answers = chainOf(txs.slice(1));
    expect(await refusal()).toMatchObject({ kind: 'invalid', text: 'Failed to get transaction from daemon' });
    wallet.answers = chainOf(txs.map((tx, i) => ({ ...tx, blob: (txs[i + 1] ?? tx).blob })));
    await expect(bundles.prove({ message: '' })).rejects.toMatchObject({
      fault: { kind: 'wrong_transaction' },
    });
  });

  it('asks the daemon for the block whose hash the wallet does not keep', async () => {
    const error = new DaemonError('unreachable', 'no daemon');
    const heights: number[] = [];
    wallet.answers = {
      ...chainOf(txs),
      getBlock: (height) => {
        heights.push(height);
        return Promise.reject(error);
      },
    };
    const { blockAt } = wallet.store;
    wallet.store.blockAt = () => undefined;
    await expect(bundles.prove({ message: '', height: 3 })).rejects.toBe(error);
    expect(heights).toEqual([3]);
    wallet.store.blockAt = blockAt;
  });
});
