import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { amount } from '../../../../src/util/amount.js';
import { backlogBlocks, choosePriority, feeShares } from '../../../../src/monero/wallet/select/fees.js';

const weights = (weight: number): number[] => new Array<number>(10).fill(weight);
const LIMIT = 600_000;

describe('a payment without a priority', () => {
  test.each([
    ['is slow while blocks are empty', 0, weights(300), 1],
    ['is slow up to four fifths of the zone', 0, weights(240_000), 1],
    ['is slow until a whole per cent more', 0, weights(242_999), 1],
    ['is normal above', 0, weights(243_000), 2],
    ['is normal while the pool has a backlog', 1, weights(300), 2],
    ['is normal where too few blocks are known', 0, weights(300).slice(1), 2],
  ])('%s', (_, backlog, recentWeights, expected) => {
    expect(choosePriority({ backlogBlocks: backlog, recentWeights, blockWeightLimit: LIMIT })).toBe(expected);
  });

  it('is normal where the daemon gives no limit', () => {
    expect(choosePriority({ backlogBlocks: 0, recentWeights: weights(1), blockWeightLimit: 0 })).toBe(2);
  });
});

describe('the backlog', () => {
  const pool = Array.from({ length: 200 }, (_, i) => ({
    weight: 3000,
    fee: 3000n * BigInt(i < 150 ? 20_000 : 19_999),
  }));
  it('counts whole blocks of transactions with at least the same fee rate', () => {
    expect(backlogBlocks(pool, 20_000n)).toBe(1);
    expect(backlogBlocks(pool, 19_999n)).toBe(2);
    expect(backlogBlocks(pool, 20_001n)).toBe(0);
    expect(backlogBlocks([], 1n)).toBe(0);
  });
  it('does not count transactions of weight zero', () => {
    expect(backlogBlocks([{ weight: 0, fee: 10n ** 12n }], 1n, 1)).toBe(0);
  });
});

describe('the shares of a fee', () => {
  it('add up to the fee, and differ by one atomic unit at most', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 13n }), fc.integer({ min: 1, max: 15 }), (fee, count) => {
        const shares = feeShares(amount(fee), count).map((share): bigint => share);
        expect(shares).toHaveLength(count);
        expect(shares.reduce((total, share) => total + share, 0n)).toBe(fee);
        expect((shares[0] ?? 0n) - (shares.at(-1) ?? 0n)).toBeLessThanOrEqual(1n);
        expect([...shares].sort((a, b) => (a > b ? -1 : 1))).toEqual(shares);
      }),
    );
  });
});
