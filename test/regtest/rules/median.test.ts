import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { median, MedianBag } from '../../../src/regtest/rules/median.js';

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
