import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { JsonError, parseJson, type Json } from '../../src/util/json.js';
import { writeJson } from '../../src/util/json-writer.js';

/** The same value with plain prototypes and numbers, as JSON.parse gives it. */
const plain = (value: Json): unknown =>
  typeof value === 'bigint'
    ? Number(value)
    : Array.isArray(value)
      ? (value as Json[]).map(plain)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item as Json)]))
        : value;

describe('reading JSON', () => {
  test.each([
    ['0', 0n],
    ['-7', -7n],
    ['18446744073709551615', 18446744073709551615n],
    ['1.5', 1.5],
    ['1e3', 1000],
    ['"a\\u00e9\\n\\"\\\\\\/"', 'aé\n"\\/'],
    ['null', null],
    [' [ true , false ] ', [true, false]],
  ])('reads %s', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it('takes strings as epee writes binary, where that is asked for', () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1');
    const [old, today] = [
      bytes
        .replace(/["\\/]/g, '\\$&')
        .replaceAll('\v', '\\v')
        .replaceAll('\n', '\\n'),
      bytes
        .replace(/["\\/]/g, '\\$&')
        .replaceAll('\v', '\\u000b')
        .replaceAll('\n', '\\n'),
    ];
    for (const text of [old, today]) {
      expect(parseJson(`{"a":"${text}"}`, { rawStrings: true })).toEqual({ a: bytes });
      expect(() => parseJson(`{"a":"${text}"}`)).toThrow(JsonError);
    }
  });

  test.each([
    '',
    ' ',
    '{',
    '[1,]',
    '{"a":1,}',
    '{"a" 1}',
    '{a:1}',
    '01',
    '+1',
    '.5',
    '1.',
    'nul',
    'True',
    '"',
    '"\\x"',
    '"\\u12"',
    '"\n"',
    '1 2',
    '{"a":1}x',
    '[1 2]',
    '--1',
    "'a'",
    '\u00a01',
  ])('refuses %j', (text) => {
    expect(() => parseJson(text)).toThrow(JsonError);
  });

  it('stops at its limits instead of running out of stack or time', () => {
    expect(() => parseJson('['.repeat(1_000_000))).toThrow(JsonError);
    expect(() => parseJson('9'.repeat(1_000_000))).toThrow(JsonError);
    expect(parseJson('['.repeat(50) + ']'.repeat(50))).toBeDefined();
  });

  it('takes __proto__ for a key like any other', () => {
    const value = parseJson('{"__proto__":{"polluted":true}}') as { polluted?: boolean };
    expect(value.polluted).toBeUndefined();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('agrees with JSON.parse on whatever JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(plain(parseJson(text, { maxDepth: 1000 }))).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('writing JSON', () => {
  it('gives back every 64-bit integer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), (value) => {
        expect(parseJson(writeJson({ value }))).toEqual({ value });
      }),
    );
  });

  it('leaves out what is undefined or an empty list', () => {
    expect(writeJson({ a: undefined, b: [], c: [[]], d: '' })).toBe('{"c":[[]],"d":""}');
  });

  it('refuses what JSON cannot hold', () => {
    expect(() => writeJson(Number.NaN)).toThrow(RangeError);
  });
});
