import { describe, expect, it } from '@jest/globals';
import { zip } from '../../src/util/zip.js';

describe('zip', () => {
  it('joins the elements at each index', () => {
    expect(zip([1, 2], ['a', 'b'], [true, false])).toEqual([
      [1, 'a', true],
      [2, 'b', false],
    ]);
  });

  it('keeps elements that are undefined', () => {
    expect(zip([undefined], [1])).toEqual([[undefined, 1]]);
  });

  it('is empty for empty lists and for none', () => {
    expect(zip([], [])).toEqual([]);
    expect(zip()).toEqual([]);
  });

  it('refuses lists of different lengths', () => {
    expect(() => zip([1, 2], ['a'])).toThrow(new RangeError('lists of different lengths: 2, 1'));
    expect(() => zip([], ['a'])).toThrow(RangeError);
  });
});
