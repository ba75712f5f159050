import { describe, expect, it } from '@jest/globals';
import { readCachedBalances, writeCachedBalances } from '../../../../src/store/import-wallet.js';
import { amount, U64_MAX } from '../../../../src/util/amount.js';
import type { ReferenceCache } from '../../../../src/monero/wallet/reference-cache/cache.js';
import type { CachedBalance } from '../../../../src/monero/wallet/reference-cache/imported-wallet.js';
import { cachedBalances } from '../../../../src/monero/wallet/reference-cache/cached-balance.js';

const HEIGHT = 1000;
const OWN = new Uint8Array(32).fill(5);
/** Sum of balances [atomic units]. */
const totalOf = (balances: readonly CachedBalance[]) =>
  balances.reduce((total, row) => total + row.total + row.unconfirmed, 0n);
const at = (major: number, minor: number) => ({ major, minor });

interface Output {
  readonly value: bigint;
  readonly height: number;
  readonly subaddress?: { readonly major: number; readonly minor: number };
  readonly spentHeight?: number;
  readonly frozen?: boolean;
  readonly unlockTime?: bigint;
}

/** A cache with outputs, and payments that are not mined. */
const cacheOf = (outputs: readonly Output[], more: Partial<ReferenceCache> = {}): ReferenceCache =>
  ({
    chain: { offset: 900, hashes: Array.from({ length: HEIGHT - 900 }) },
    transfers: outputs.map(({ value, height, subaddress = at(0, 0), spentHeight, frozen, unlockTime }) => ({
      ...{ amount: value, height, subaddress, frozen: frozen ?? false, tx: { unlockTime: unlockTime ?? 0n } },
      ...{ spent: spentHeight !== undefined, spentHeight: spentHeight ?? 0 },
    })),
    subaddresses: [[OWN, at(0, 3)]],
    ...{ unconfirmed: [], poolPayments: [] },
    ...more,
  }) as unknown as ReferenceCache;

const payment = (state: number, change: bigint, destinations: readonly (readonly [Uint8Array, bigint])[]) => [
  new Uint8Array(32),
  {
    ...{ state, account: 0, change },
    destinations: destinations.map(([spendPublicKey, value]) => ({
      address: { spendPublicKey },
      amount: value,
    })),
  },
];

describe('the balances of a cache', () => {
  it('are those of unspent outputs by address, without frozen ones', () => {
    const { height, all, strict } = cachedBalances(
      cacheOf([
        { value: 5n, height: 10 },
        { value: 7n, height: 20 },
        { value: 11n, height: 20, subaddress: at(1, 2) },
        { value: 13n, height: 20, spentHeight: 30 },
        { value: 17n, height: 20, frozen: true },
      ]),
    );
    expect(height).toBe(HEIGHT);
    expect(all.map((row) => [row.subaddress, row.total, row.locked, row.unspentCount])).toEqual([
      [at(0, 0), 12n, 0n, 2],
      [at(1, 2), 11n, 0n, 1],
    ]);
    expect(strict).toEqual(all);
    expect(totalOf(all)).toBe(23n);
  });

  it('are locked for ten blocks, or up to an unlock time', () => {
    const { all } = cachedBalances(
      cacheOf([
        { value: 1n, height: HEIGHT - 10 },
        { value: 2n, height: HEIGHT - 9 },
        { value: 4n, height: 10, unlockTime: BigInt(HEIGHT + 40) },
      ]),
    );
    expect(all).toMatchObject([{ total: 7n, locked: 6n, blocksToUnlock: 40 }]);
  });

  it('contain change and own destinations of pending payments and the pool, except strict ones', () => {
    const unconfirmed = [
      payment(0, 3n, [
        [OWN, 4n],
        [new Uint8Array(32), 100n],
      ]),
      payment(2, 50n, []),
      payment(1, U64_MAX, []),
    ];
    const poolPayments = [[new Uint8Array(32), { payment: { subaddress: at(0, 1), amount: 9n } }]];
    const more = { unconfirmed, poolPayments } as unknown as Partial<ReferenceCache>;
    const { all, strict } = cachedBalances(cacheOf([{ value: 20n, height: 10, spentHeight: 0 }], more));
    expect(all.map((row) => [row.subaddress, row.total, row.unconfirmed])).toEqual([
      [at(0, 0), 0n, 3n],
      [at(0, 3), 0n, 4n],
      [at(0, 1), 0n, 9n],
    ]);
    // The input of a payment that is not mined still counts.
    expect(strict.map((row) => [row.subaddress, row.total, row.unconfirmed])).toEqual([[at(0, 0), 20n, 0n]]);
    expect([totalOf(all), totalOf(strict)]).toEqual([16n, 20n]);
  });

  it('are read from a store as they were written, also the largest', () => {
    const row = {
      ...{ subaddress: at(2, 3), total: amount(U64_MAX), locked: amount(1n), unconfirmed: amount(U64_MAX) },
      ...{ unspentCount: 7, blocksToUnlock: 9 },
    };
    const balances = { height: 12, all: [row], strict: [] };
    expect(readCachedBalances(writeCachedBalances(balances))).toEqual(balances);
  });
});
