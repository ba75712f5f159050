import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { median } from '../../../src/util/median.js';
import {
  MedianBag,
  effectiveLongTermMedian,
  longTermWeight,
  penaltyMedian,
  blockReward,
  generatedAfter,
  maxTemplateWeight,
  MONEY_SUPPLY,
  feeEstimates,
  isFeeEnough,
  leastFeePerByte,
  QUANTIZATION_MASK,
  roundUp,
} from '../../../src/regtest/rules/block-weight.js';

describe('the median', () => {
  test.each([
    [[], 0],
    [[7], 7],
    [[9, 1], 5],
    [[2, 1], 1],
    [[3, 10, 2], 3],
    [[100, 2, 10], 10],
  ])('of %j is %i', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('of a bag with zeros is the same after any additions and removals', () => {
    const values = fc.array(fc.nat({ max: 20 }), { maxLength: 40 });
    fc.assert(
      fc.property(values, values, fc.nat({ max: 10 }), (kept, gone, zeros) => {
        const bag = new MedianBag();
        for (const value of [...gone, ...kept]) bag.add(value);
        for (const value of gone) bag.remove(value);
        expect(bag.size).toBe(kept.length);
        expect(bag.median(zeros)).toBe(median([...kept, ...Array.from({ length: zeros }, () => 0)]));
      }),
    );
  });

  it('of a bag: removing an absent value is refused', () => {
    expect(() => new MedianBag().remove(1)).toThrow(RangeError);
  });
});

const ZONE = 300_000;

describe('the weight of blocks', () => {
  it('enters the long-term median within a factor of 1.7', () => {
    expect(longTermWeight(80, ZONE)).toBe(176_470);
    expect(longTermWeight(400_000, ZONE)).toBe(400_000);
    expect(longTermWeight(600_000, ZONE)).toBe(510_000);
  });

  it('has a long-term median of at least the full reward zone', () => {
    expect(effectiveLongTermMedian(176_470)).toBe(ZONE);
    expect(effectiveLongTermMedian(310_000)).toBe(310_000);
  });

  it('may surge to fifty times the long-term median', () => {
    expect(penaltyMedian(ZONE, [80, 90])).toBe(ZONE);
    expect(penaltyMedian(ZONE, [900_000])).toBe(900_000);
    expect(penaltyMedian(ZONE, [90_000_000])).toBe(50 * ZONE);
  });
});

const TAIL = 600_000_000_000n;

describe('the reward of a block', () => {
  // Generated coins and rewards of the first blocks as monerod --regtest reports them.
  test.each([
    [17_592_186_044_415n, 35_184_338_534_400n],
    [10_534_720_208_151_120n, 35_164_278_704_645n],
  ])('after %i atomic units is %i', (generated, reward) => {
    expect(blockReward(0, 80, generated)).toBe(reward);
  });

  it('reaches a tail emission that never ends', () => {
    expect(blockReward(300_000, 1, MONEY_SUPPLY)).toBe(TAIL);
    expect(blockReward(300_000, 1, MONEY_SUPPLY - 1n)).toBe(TAIL);
  });

  it('is full up to the median, decreases beyond it and is zero at twice the median', () => {
    expect(blockReward(300_000, 300_000, MONEY_SUPPLY)).toBe(TAIL);
    expect(blockReward(300_000, 450_000, MONEY_SUPPLY)).toBe((TAIL * 3n) / 4n);
    expect(blockReward(300_000, 600_000, MONEY_SUPPLY)).toBe(0n);
    expect(blockReward(300_000, 600_001, MONEY_SUPPLY)).toBeUndefined();
  });

  it('uses at least the full reward zone as median', () => {
    fc.assert(
      fc.property(fc.nat({ max: 300_000 }), fc.nat({ max: 600_000 }), (median, weight) => {
        expect(blockReward(median, weight, 0n)).toBe(blockReward(300_000, weight, 0n));
      }),
    );
    expect(maxTemplateWeight(80)).toBe(599_400);
  });

  it('never exceeds the supply', () => {
    expect(generatedAfter(5n, 3n)).toBe(8n);
    expect(generatedAfter(MONEY_SUPPLY - 2n, 3n)).toBe(MONEY_SUPPLY);
  });
});

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
