import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  decompress,
  G,
  H,
  IDENTITY,
  multiply,
  multiplyBy8,
  tryDecompress,
} from '../../../../src/monero/crypto/curve/point.js';
import { ORDER } from '../../../../src/monero/crypto/scalar.js';
import { fromHex, toHex } from '../../../../src/util/bytes.js';
import { NOT_CANONICAL, SMALL_ORDER, verdictsOf } from '../vectors.js';
import { inMainSubgroup, multiplyPublic } from '../../../support/values/plain-points.js';

describe('decompress', () => {
  const { valid, invalid } = verdictsOf('check_key');
  test.each(valid)('takes $title', ({ words: [key = ''] }) => {
    expect(toHex(decompress(fromHex(key)).toBytes())).toBe(key);
  });
  test.each(invalid)('refuses $title', ({ words: [key = ''] }) => {
    expect(() => decompress(fromHex(key))).toThrow(RangeError);
    expect(tryDecompress(fromHex(key))).toBeUndefined();
  });
  test.each(NOT_CANONICAL)('refuses $note', ({ hex }) => {
    expect(() => decompress(fromHex(hex))).toThrow(RangeError);
    expect(tryDecompress(fromHex(hex))).toBeUndefined();
  });
  test.each(SMALL_ORDER)('takes the small-order point %s, which the cofactor clears', (hex) => {
    const point = decompress(fromHex(hex));
    expect(multiplyBy8(point).equals(IDENTITY)).toBe(true);
    expect(inMainSubgroup(point)).toBe(hex === SMALL_ORDER[0]);
  });
  it.each([0, 31, 33])('refuses %i bytes', (length) => {
    expect(() => decompress(new Uint8Array(length))).toThrow(RangeError);
  });
});

describe('multiplication', () => {
  it('agrees in constant and in variable time, torsion included', () => {
    const scalar = fc.bigInt({ min: 0n, max: ORDER - 1n });
    fc.assert(
      fc.property(scalar, fc.constantFrom(...SMALL_ORDER), (s, hex) => {
        for (const point of [G, H, H.add(decompress(fromHex(hex)))])
          expect(multiply(point, s).equals(multiplyPublic(point, s))).toBe(true);
      }),
      { numRuns: 25 },
    );
  });
  it.each([0n, 1n, 2n, ORDER - 1n, ORDER, ORDER + 1n, -1n])('takes the scalar %p modulo ℓ', (s) => {
    expect(multiply(G, s).equals(multiplyPublic(G, s))).toBe(true);
    expect(multiply(G, s).add(multiply(G, -s)).equals(IDENTITY)).toBe(true);
  });
  test.each(SMALL_ORDER)('of the small-order point %s stays within its subgroup', (hex) => {
    const product = multiply(decompress(fromHex(hex)), ORDER - 1n);
    expect(SMALL_ORDER).toContain(toHex(product.toBytes()));
  });
});
