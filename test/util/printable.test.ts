import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { printable, printableLines } from '../../src/util/printable.js';

describe('a hidden character', () => {
  test.each([
    ['a line end', '\n', '\\u000a'],
    ['the beginning of a terminal sequence', '\u001b', '\\u001b'],
    ['one of the second block of controls', '\u009b', '\\u009b'],
    ['a delete character', '\u007f', '\\u007f'],
    ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'].map(
      (char) => ['a change of direction', char, `\\u${char.charCodeAt(0).toString(16)}`] as const,
    ),
    ['a mark of direction', '\u200e\u200f\u061c', '\\u200e\\u200f\\u061c'],
    ['a separator', '\u2028\u2029', '\\u2028\\u2029'],
    [
      'a character without width',
      '\u200b\ufeff\u00ad\u2060\u115f\u3164',
      '\\u200b\\ufeff\\u00ad\\u2060\\u115f\\u3164',
    ],
    ['a tag', '\u{e0041}', '\\udb40\\udc41'],
    ['half a surrogate pair', '\ud800', '\\ud800'],
  ])('is escaped: %s', (_, text, expected) => {
    expect(printable(`a${text}b`)).toBe(`a${expected}b`);
  });

  it('leaves the meaning of JSON unchanged, and nothing hidden in it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), (value) => {
        const line = printable(JSON.stringify(value));
        expect(JSON.parse(line)).toEqual(value);
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });
});

test('texts that people read stay as they are, and so do the ends of lines', () => {
  expect(printableLines('Zoë: 注文 \u{1f600}\nשלום\n')).toBe('Zoë: 注文 \u{1f600}\nשלום\n');
});
