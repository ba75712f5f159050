import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { hashToPoint, mapToCurve } from '../../../../src/monero/crypto/curve/hash-to-point.js';
import { H, G } from '../../../../src/monero/crypto/curve/point.js';
import { fromHex, toHex } from '../../../../src/util/bytes.js';
import { vectorsOf } from '../vectors.js';
import { inMainSubgroup } from '../../../support/values/plain-points.js';

describe('mapToCurve', () => {
  test.each(vectorsOf('hash_to_point'))('maps $title', ({ words: [bytes = '', point] }) => {
    expect(toHex(mapToCurve(fromHex(bytes)).toBytes())).toBe(point);
  });
  it('gives a point on the curve for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const point = mapToCurve(bytes);
        expect(() => {
          point.assertValidity();
        }).not.toThrow();
      }),
    );
  });
});

describe('hashToPoint', () => {
  test.each(vectorsOf('hash_to_ec'))('maps $title', ({ words: [key = '', point] }) => {
    expect(toHex(hashToPoint(fromHex(key)).toBytes())).toBe(point);
  });
  it('ends in the prime-order subgroup', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (data) => {
        expect(inMainSubgroup(hashToPoint(data))).toBe(true);
      }),
      { numRuns: 25 },
    );
  });
  it('differs from the derivation of the amount generator, though both start from keccak(G)', () => {
    expect(hashToPoint(G.toBytes()).equals(H)).toBe(false);
  });
});
