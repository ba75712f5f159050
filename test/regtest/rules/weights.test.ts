import { describe, expect, it } from '@jest/globals';
import {
  effectiveLongTermMedian,
  longTermWeight,
  penaltyMedian,
} from '../../../src/regtest/rules/weights.js';

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
