import { describe, expect, it, test } from '@jest/globals';
import { accessed, rawText, replied, toHash, wide } from '../../../src/regtest/rpc/shapes.js';

describe('shapes of replies', () => {
  test.each([
    [0n, { difficulty: 0n, wide_difficulty: '0x0', difficulty_top64: 0n }],
    [7n, { difficulty: 7n, wide_difficulty: '0x7', difficulty_top64: 0n }],
    [(5n << 64n) + 3n, { difficulty: 3n, wide_difficulty: '0x50000000000000003', difficulty_top64: 5n }],
  ])('a number of up to 128 bits is sent in three ways: %s', (value, fields) => {
    expect(wide('difficulty', value)).toEqual(fields);
  });

  it('every reply has a status; replies of the former payment scheme have more fields', () => {
    expect(replied({ a: 1 })).toEqual({ a: 1, status: 'OK', untrusted: false });
    expect(accessed({}, 'Failed')).toEqual({ status: 'Failed', untrusted: false, credits: 0, top_hash: '' });
  });

  it('a hash has 64 hex digits of either case', () => {
    expect(toHash('aB'.repeat(32))).toEqual(new Uint8Array(32).fill(0xab));
  });

  test.each(['', 'ab', 'zz'.repeat(32), 'ab'.repeat(33), ` ${'ab'.repeat(31)} `])(
    '%j is not a hash',
    (text) => {
      expect(toHash(text)).toBeUndefined();
    },
  );

  it('bytes in JSON strings are one character each', () => {
    expect(rawText(Uint8Array.of(0x41, 0x00, 0xff))).toBe('A\u0000\u00ff');
  });
});
