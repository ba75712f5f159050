import { describe, expect, it } from '@jest/globals';
import { durationText, grouped, percentage } from '../../../src/watch/status/words.js';

describe('figures', () => {
  it.each([
    [0, '0 s'],
    [0.4, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [119, '1 min'],
    [3_600, '1 h'],
    [12_059, '3 h 20 min'],
    [86_400 * 2 + 3_600 * 5 + 60, '2 d 5 h'],
  ])('write a duration of %s s as %s', (seconds, text) => expect(durationText(seconds)).toBe(text));

  it('write a percentage that is 100 only for all', () => {
    expect([0, 0.4567, 0.99999, 1].map(percentage)).toEqual(['0.0 %', '45.6 %', '99.9 %', '100.0 %']);
  });

  it('group digits', () => expect(grouped(1_234_567)).toBe('1,234,567'));
});
