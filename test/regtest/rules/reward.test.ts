import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  blockReward,
  generatedAfter,
  maxTemplateWeight,
  MONEY_SUPPLY,
} from '../../../src/regtest/rules/reward.js';

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
