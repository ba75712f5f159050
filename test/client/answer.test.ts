import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { parseExactly } from '../../src/client/answer.js';
import { toClientValue } from '../../src/client/results.js';
import { JsonError, parseJson, type Json } from '../../src/util/json.js';
import { writeWholeJson } from '../../src/util/json-writer.js';

const SAFE = 2n ** 53n - 1n;

describe('exact JSON', () => {
  it('has the values of the parser that keeps all digits, whatever integers occur', () => {
    const integer = fc.oneof(
      fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
      fc.bigInt({ min: SAFE - 2n, max: SAFE + 3n }),
      fc.bigInt({ min: 0n, max: 10n ** 16n }),
    );
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        ...[integer, fc.string(), fc.boolean(), fc.constant(null), fc.constant('x,[90071992547409931')],
        fc.array(tie('value')),
        fc.dictionary(fc.string({ minLength: 1 }), tie('value'), { noNullPrototype: true }),
      ) as fc.Arbitrary<Json>,
    }));
    fc.assert(
      fc.property(value, fc.constantFrom('', ' ', '  '), (json, space) => {
        const text = writeWholeJson(json).replace(/([[,:])(?=[-\d[{])/g, `$1${space}`);
        for (const shape of [undefined, 'bigint', ['bigint']] as const)
          expect(toClientValue(parseExactly(text), shape)).toEqual(toClientValue(parseJson(text), shape));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
    '18446744073709551615',
  ])('keeps the digits of %s', (digits) => {
    for (const text of [digits, `[${digits}]`, `[1, ${digits}]`, `{"a": ${digits}}`])
      expect(writeWholeJson(parseExactly(text)).replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
  });

  test.each(['', '{', '{"a":1', '[1,]', 'x', '{"a":18446744073709551615'])('refuses %j', (text) => {
    expect(() => parseExactly(text)).toThrow(JsonError);
  });
});
