import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { JsonError, JsonParser, parseJson, TooManyValues, type Json } from '../../src/util/json.js';
import { writeJson, writeWholeJson } from '../../src/util/json-writer.js';

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

  it('refuses two members of one name if the limits say so, and takes the last one otherwise', () => {
    const text = '{"a":1,"b":{"a":2},"__proto__":3,"a":4}';
    expect(() => parseJson(text, { uniqueKeys: true })).toThrow(JsonError);
    expect(parseJson(text)).toMatchObject({ a: 4n });
    const distinct = '{"a":1,"b":{"a":2},"__proto__":3,"toString":[{"a":1},{"a":1}]}';
    expect(writeJson(parseJson(distinct, { uniqueKeys: true }))).toBe(writeJson(parseJson(distinct)));
  });

  it('takes strings as epee writes binary, if the limits allow it', () => {
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

  it.each([
    '1e400',
    '-1e400',
    '1.5e9999',
    '123456789.0e400',
    '{"a":[1e309]}',
    'NaN',
    'Infinity',
    '-Infinity',
  ])('refuses %s, which no number holds, so that every value can be written again', (text) => {
    expect(() => parseJson(text)).toThrow(JsonError);
  });

  it.each([
    ['1e-400', 0],
    ['-0', 0n],
    ['-0.0', -0],
    ['1.7976931348623157e308', Number.MAX_VALUE],
  ])('reads %s', (text, value) => {
    expect(parseJson(text)).toBe(value);
    expect(() => writeJson(parseJson(text))).not.toThrow();
  });

  it('stops at its limits instead of running out of stack or time', () => {
    expect(() => parseJson('['.repeat(1_000_000))).toThrow(JsonError);
    expect(() => parseJson('9'.repeat(1_000_000))).toThrow(JsonError);
    expect(parseJson('['.repeat(50) + ']'.repeat(50))).toBeDefined();
  });

  it('gives the same value, or refusal, however the text is divided', () => {
    const outcome = (read: () => Json): unknown => {
      try {
        return read();
      } catch (error) {
        return (error as Error).name;
      }
    };
    const texts = fc.oneof(
      fc.json(),
      fc.json().map((text) => text.replace(/./u, '')),
      fc.constantFrom(
        '"a\\u00e9\\n\\"b"',
        '-1.5e+10',
        '[true,null,-0,1e5]',
        'tru',
        '1.',
        '1e',
        '-',
        '"\\u12',
        '"\\',
      ),
    );
    fc.assert(
      fc.property(texts, fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }), (text, lengths) => {
        const divided = (): Json => {
          const parser = new JsonParser();
          for (let at = 0, i = 0; at < text.length; i++) {
            const length = lengths[i % lengths.length] ?? 1;
            parser.write(text.slice(at, at + length));
            at += length;
          }
          return parser.end();
        };
        expect(outcome(divided)).toEqual(outcome(() => parseJson(text)));
      }),
    );
  });

  it('joins a string of many escapes and runs between them', () => {
    const text = Array.from({ length: 5000 }, (_, i) => `${'x'.repeat(i % 300)}\n\u00e9`).join('');
    expect(parseJson(JSON.stringify(text).replaceAll('é', '\\u00e9'))).toBe(text);
  });

  it('counts nested values, and refuses more than the limit', () => {
    expect(parseJson('[{"a":[0]},1]', { maxValues: 5 })).toBeDefined();
    expect(() => parseJson('[{"a":[0]},1]', { maxValues: 4 })).toThrow(TooManyValues);
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

  it('leaves out members that are undefined or an empty list', () => {
    expect(writeJson({ a: undefined, b: [], c: [[]], d: '' })).toBe('{"c":[[]],"d":""}');
  });

  it('writes the members of every object in alphabetical order, as the reference does', () => {
    const value = { id: 1, error: { message: 'm', code: -1 }, b_a: [{ z: 1, y: 2 }], b: 0 };
    expect(writeJson(value)).toBe('{"b":0,"b_a":[{"y":2,"z":1}],"error":{"code":-1,"message":"m"},"id":1}');
    expect(writeWholeJson(value)).toBe(JSON.stringify(value));
  });

  it('refuses numbers that JSON cannot hold', () => {
    expect(() => writeJson(Number.NaN)).toThrow(RangeError);
  });
});
