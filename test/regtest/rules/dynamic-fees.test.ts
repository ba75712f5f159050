import { describe, expect, it, test } from '@jest/globals';
import {
  feeEstimates,
  isFeeEnough,
  leastFeePerByte,
  QUANTIZATION_MASK,
  roundUp,
} from '../../../src/regtest/rules/dynamic-fees.js';

/**
 * source: tests/unit_tests/scaling_2021.cpp of monero, after the tables of ArticMine's paper.
 * Base reward of the tail; medians; fees of the four levels.
 */
const SCALING: readonly (readonly [number, number, readonly bigint[]])[] = [
  [300_000, 300_000, [20_000n, 80_000n, 320_000n, 4_000_000n]],
  [15_000_000, 300_000, [20_000n, 80_000n, 320_000n, 1_300_000n]],
  [1_425_000, 1_425_000, [890n, 3_600n, 68_000n, 850_000n]],
  [1_500_000, 1_500_000, [800n, 3_200n, 64_000n, 800_000n]],
  [75_000_000, 1_500_000, [800n, 3_200n, 64_000n, 260_000n]],
];

describe('dynamic fees', () => {
  test.each(SCALING)('are recommended at medians %i and %i', (mnw, mlw, fees) => {
    expect(feeEstimates(600_000_000_000n, mnw, mlw)).toEqual(fees);
  });

  // From the same file.
  test.each([
    [1_200_000_000_000n, 300_000, 38_000n],
    [1_200_000_000_000n, 1_425_000, 1_684n],
    [1_200_000_000_000n, 1_500_000, 1_520n],
    [600_000_000_000n, 300_000, 19_000n],
    [600_000_000_000n, 1_425_000, 842n],
    [600_000_000_000n, 1_500_000, 760n],
    [600_000_000_000n, 1_000, 19_000n],
  ])('have a least one: reward %i at median %i asks for %i a byte', (reward, median, fee) => {
    expect(leastFeePerByte(reward, median)).toBe(fee);
  });

  it('may be two percent below the minimum, and not an atomic unit less', () => {
    const needed = 1_500n * 19_000n;
    expect(needed % QUANTIZATION_MASK).toBe(0n);
    expect(isFeeEnough(needed - needed / 50n, 1_500, 19_000n)).toBe(true);
    expect(isFeeEnough(needed - needed / 50n - 1n, 1_500, 19_000n)).toBe(false);
  });
});

/** From the same file. */
test.each([
  [27_810n, 3, 27_900n],
  [27_810n, 2, 28_000n],
  [0n, 8, 0n],
  [12_345n, 8, 12_345n],
  [45_678n, 1, 50_000n],
  [1_999_999n, 6, 2_000_000n],
  [1_999_999n, 7, 1_999_999n],
  [2_000_001n, 2, 2_100_000n],
  [999n, 2, 1_000n],
])('%i rounded up to %i digits is %i', (value, digits, rounded) => {
  expect(roundUp(value, digits)).toBe(rounded);
});
