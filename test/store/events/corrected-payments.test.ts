import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { SubaddressIndex } from '../../../src/monero/cryptonote/types.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount } from '../../../src/util/amount.js';
import { bytes, output, page, received } from '../fixtures.js';

/*
 * A transfer of the wallet has reserved an output of 50 at height 0. The transaction at height 1 pays 70 to the same
 * one-time key, which adds nothing while the wallet counts on its own transfer, and 5 to the shop. Once another
 * transaction that spends the key is mined, the difference of 20 counts as a payment.
 */

const SHOP: SubaddressIndex = { major: 0, minor: 3 };
const KEY = { publicKey: bytes<never>(101), keyImage: bytes<never>(101) };
const SPEND = { keyImage: KEY.keyImage, txHash: bytes<Hash>(8) };

let file: WalletStore;
let last: number;

beforeEach(() => {
  last = 0;
  file = WalletStore.create(':memory:', new Uint8Array(32), (w) => w.accounts.create());
  file.write((w) =>
    w.applyPage(page(0, 1, { received: [received(1, 0)], outputs: [output(1, 0, 50n, KEY)] })),
  );
  file.write((w) =>
    w.prepare(
      {
        ...{ txHash: bytes<Hash>(9), state: 'prepared', account: 0, fromIndices: [0], unlockTime: 0n },
        ...{ amountIn: amount(50n), change: amount(20n), fee: amount(1n), timestamp: 1 },
        ...{ blob: Uint8Array.of(1), destinations: [] },
      },
      [{ txHash: bytes<Hash>(1), outputIndex: 0 }],
      [],
    ),
  );
});

/** Stores the block of the second transaction. */
function pay(unlockTime: bigint): void {
  const shop = {
    outputIndex: 1,
    publicKey: bytes<never>(230),
    keyImage: bytes<never>(230),
    subaddress: SHOP,
  };
  const outputs = [output(2, 1, 70n, { ...KEY, unlockTime }), output(2, 1, 5n, { ...shop, unlockTime })];
  file.write((w) => w.applyPage(page(1, 1, { received: [{ ...received(2, 1), unlockTime }], outputs })));
}

/** Events of payments since the last call by amount: types without prefix, with numbers of confirmations. */
function fresh(): Record<string, string[]> {
  const events = file.read((r) => r.events.after(last, 1000));
  last = events.at(-1)?.id ?? last;
  const found: Record<string, string[]> = {};
  for (const { type, data } of events)
    if (type.startsWith('payment.') && 'amount' in data)
      (found[`${data.amount}`] ??= []).push(
        'confirmations' in data ? `${data.confirmations}` : type.slice('payment.'.length),
      );
  return found;
}

describe('payments below a page that changes the amount of one of them', () => {
  test.each([
    ['without a lock', 0n],
    ['whose unlock height has passed', 5n],
  ])('%s have each stage once', (_, unlockTime) => {
    pay(unlockTime);
    expect(fresh()).toEqual({ 50: ['mined', '1'], 5: ['mined', '1'] });
    file.write((w) => w.applyPage(page(2, 12, { spends: [{ ...SPEND, height: 12 }] })));
    expect(fresh()).toEqual({
      ...{ 50: ['10', 'unlocked'], 5: ['10', 'unlocked'] },
      20: ['mined', '1', '10', 'unlocked'],
    });
    file.write((w) => w.applyPage(page(14, 60)));
    expect(fresh()).toEqual({});
  });

  test('with an unlock height to come have each stage once', () => {
    pay(30n);
    fresh();
    file.write((w) => w.applyPage(page(2, 12, { spends: [{ ...SPEND, height: 12 }] })));
    expect(fresh()).toEqual({ 50: ['10', 'unlocked'], 5: ['10'], 20: ['mined', '1', '10'] });
    file.write((w) => w.applyPage(page(14, 60)));
    expect(fresh()).toEqual({ 5: ['unlocked'], 20: ['unlocked'] });
  });

  test('have each stage once while a chain grows again to its former height', () => {
    pay(0n);
    file.write((w) => w.applyPage(page(2, 11)));
    file.write((w) => w.applyPage(page(8, 1)));
    expect(fresh()).toEqual({ 50: ['mined', '1', '10', 'unlocked'], 5: ['mined', '1', '10', 'unlocked'] });
    file.write((w) => w.applyPage(page(9, 6, { spends: [{ ...SPEND, height: 12 }] })));
    expect(fresh()).toEqual({ 20: ['mined', '1', '10', 'unlocked'] });
    file.write((w) => w.applyPage(page(15, 60)));
    expect(fresh()).toEqual({});
  });
});
