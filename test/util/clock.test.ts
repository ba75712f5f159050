import { describe, expect, it, test } from '@jest/globals';
import { instantText, readInstant } from '../../src/util/clock.js';

describe('a time', () => {
  test.each([
    ['0', 0],
    ['1767225600', 1_767_225_600],
    ['999999999', 999_999_999],
    ['2026-01-01', 1_767_225_600],
    ['2024-02-29', 1_709_164_800],
    ['2026-01-01T00:00Z', 1_767_225_600],
    ['2026-01-01T00:00:00Z', 1_767_225_600],
    ['2026-01-01T01:30:00+01:30', 1_767_225_600],
    ['2025-12-31T19:00:00-05:00', 1_767_225_600],
    ['9999-12-31T23:59:59Z', 253_402_300_799],
  ])('%s is read', (text, seconds) => {
    expect(readInstant(text)).toBe(seconds);
  });

  test.each([
    ['an empty text', ''],
    ['a year', '2026'],
    ['a date without hyphens, which is not Unix time', '20260101'],
    ['milliseconds', '1767225600000'],
    ['a day beyond the end of its month', '2026-02-29'],
    ['a month beyond the end of the year', '2026-13-01'],
    ['a time of day without its offset', '2026-01-01T00:00:00'],
    ['an hour beyond the end of the day', '2026-01-01T25:00:00Z'],
    ['a time before 1970', '1969-12-31'],
    ['a time beyond the year 9999', '+010000-01-01'],
    ['a negative number', '-1'],
    ['a text with spaces', ' 2026-01-01'],
    ['a local form', '01/02/2026'],
  ])('%s is refused', (_, text) => {
    expect(readInstant(text)).toBeUndefined();
  });

  it('with a fraction of a second is the next whole second', () => {
    expect(readInstant('2026-01-01T00:00:00.000Z')).toBe(1_767_225_600);
    expect(readInstant('2026-01-01T00:00:00.001Z')).toBe(1_767_225_601);
  });

  it('given as an integer is Unix time of any length', () => {
    expect([0n, 20_260_101n, 253_402_300_799n].map(readInstant)).toEqual([0, 20_260_101, 253_402_300_799]);
    expect([-1n, 253_402_300_800n, 2n ** 64n].map(readInstant)).toEqual([undefined, undefined, undefined]);
  });

  it('is written in UTC to the second', () => {
    expect(instantText(1_767_225_600)).toBe('2026-01-01T00:00:00Z');
  });
});
