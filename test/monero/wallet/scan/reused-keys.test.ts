import { describe, expect, it } from '@jest/globals';
import type { Hash } from '../../../../src/monero/crypto/types.js';
import { amount, type Amount } from '../../../../src/util/amount.js';
import { creditOf, creditsOf, type KeyOutput } from '../../../../src/monero/wallet/scan/reused-keys.js';

const hash = (fill: number): Hash => new Uint8Array(32).fill(fill) as Hash;

/** The n-th output of a key, mined in block n. */
const output = (n: number, value: bigint, more: Partial<KeyOutput> = {}): KeyOutput => ({
  txHash: hash(n),
  amount: amount(value),
  height: n,
  globalIndex: 10 * n,
  taken: false,
  ...more,
});

describe('an output on a key', () => {
  const held = (value: bigint, spent: boolean): { amount: Amount; spent: boolean } => ({
    amount: amount(value),
    spent,
  });

  it.each([
    ['all of it on a new key', undefined, 5n],
    ['the difference to a smaller one that is unspent', held(3n, false), 2n],
    ['nothing beside one that is as large', held(5n, false), 0n],
    ['nothing beside one that is larger', held(6n, false), 0n],
    ['nothing beside one that is spent, however small that is', held(1n, true), 0n],
  ])('adds %s', (_, before, credited) => {
    expect(creditOf(amount(5n), before)).toBe(credited);
  });
});

describe('outputs on one key', () => {
  const four = [output(1, 10n), output(2, 15n), output(3, 12n), output(4, 30n)];

  it('add up to the largest while nothing spends it', () => {
    expect(creditsOf(four)).toEqual({ credited: [10n, 5n, 0n, 15n], effectiveIndex: 3 });
  });

  it('are replaced by one that is larger by the smallest unit', () => {
    const [first, second] = [output(1, 10n), output(2, 11n)];
    expect(creditsOf([first, second])).toEqual({ credited: [10n, 1n], effectiveIndex: 1 });
  });

  it.each([
    ['before all others', 1, [10n, 0n, 0n, 0n], 0],
    ['after the second', 2, [10n, 5n, 0n, 0n], 1],
    ['after the third', 3, [10n, 5n, 0n, 0n], 1],
    ['after all', 4, [10n, 5n, 0n, 15n], 3],
  ])('are burnt after a spend that is mined %s', (_, height, credited, effectiveIndex) => {
    const spend = { txHash: hash(9), height };
    // Before RingCT there is no global index.
    for (const place of [{}, { globalIndex: 10 * height + 5 }])
      expect(creditsOf(four, { ...spend, ...place })).toEqual({ credited, effectiveIndex });
  });

  it.each([
    ['earlier in the block of the second', 19, [10n, 0n], 0],
    ['later in the block of the second', 21, [10n, 5n], 1],
    ['in that block, from before RingCT', undefined, [10n, 5n], 1],
  ])('are ordered relative to a spend %s', (_, globalIndex, credited, effectiveIndex) => {
    const spend = { txHash: hash(9), height: 2, ...(globalIndex === undefined ? {} : { globalIndex }) };
    expect(creditsOf(four.slice(0, 2), spend)).toEqual({ credited, effectiveIndex });
  });

  it('count before the inputs of their own transaction', () => {
    const spend = { txHash: hash(2), height: 2, globalIndex: 19 };
    expect(creditsOf(four.slice(0, 2), spend)).toEqual({ credited: [10n, 5n], effectiveIndex: 1 });
  });

  it('are burnt after one that an unmined payment spends', () => {
    expect(creditsOf([output(1, 10n, { taken: true }), output(2, 15n)])).toEqual({
      credited: [10n, 0n],
      effectiveIndex: 0,
    });
  });

  it('keep the spent one effective, though the payment is mined after others', () => {
    const spend = { txHash: hash(9), height: 7, globalIndex: 70 };
    expect(creditsOf([output(1, 10n, { taken: true }), output(2, 15n)], spend)).toEqual({
      credited: [10n, 0n],
      effectiveIndex: 0,
    });
  });

  it('are refused when there is none', () => {
    expect(() => creditsOf([])).toThrow(RangeError);
  });
});
