import { describe, expect, it } from '@jest/globals';
import { adjustedTime, earliestTimestamp } from '../../../src/regtest/rules/timestamps.js';

const sixty = Array.from({ length: 60 }, (_, i) => 1_000 + 120 * i);

describe('the time of blocks', () => {
  it('asks for nothing before there are sixty', () => {
    expect(earliestTimestamp(sixty.slice(1))).toBe(0);
    expect(adjustedTime(sixty.slice(1), 77)).toBe(77);
  });

  it('is not before the median of sixty', () => {
    expect(earliestTimestamp(sixty)).toBe((sixty[29] as number) + 60);
  });

  it('is, for locks, one block after the last, unless the median says less', () => {
    expect(adjustedTime(sixty, 0)).toBe((sixty[59] as number) + 120);
    const ahead = [...sixty.slice(0, 59), 9_999_999];
    expect(adjustedTime(ahead, 0)).toBe(earliestTimestamp(sixty) + 61 * 60);
  });
});
