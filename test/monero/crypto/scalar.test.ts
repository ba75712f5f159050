import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  bytesToInt,
  hashToScalar,
  intToBytes,
  ORDER,
  reduce,
  reduceBytes,
  scalarBytes,
  toScalar,
} from '../../../src/monero/crypto/scalar.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { vectorsOf, verdictsOf } from './vectors.js';

describe('toScalar', () => {
  const { valid, invalid } = verdictsOf('check_scalar');
  test.each(valid)('takes $title', ({ words: [scalar = ''] }) => {
    expect(toHex(scalarBytes(toScalar(fromHex(scalar))))).toBe(scalar);
  });
  test.each(invalid)('refuses $title', ({ words: [scalar = ''] }) => {
    expect(() => toScalar(fromHex(scalar))).toThrow(RangeError);
  });
  it('takes ℓ - 1 and refuses ℓ', () => {
    expect(toScalar(intToBytes(ORDER - 1n))).toBe(ORDER - 1n);
    expect(() => toScalar(intToBytes(ORDER))).toThrow(RangeError);
  });
  it.each([0, 31, 33, 64])('refuses %i bytes', (length) => {
    expect(() => toScalar(new Uint8Array(length))).toThrow(RangeError);
  });
});

describe('hashToScalar', () => {
  test.each(vectorsOf('hash_to_scalar'))('hashes $title', ({ words: [data = '', scalar] }) => {
    expect(toHex(scalarBytes(hashToScalar(fromHex(data === 'x' ? '' : data))))).toBe(scalar);
  });
});

describe('scalars', () => {
  it('round-trip through bytes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
        expect(bytesToInt(intToBytes(value))).toBe(value);
      }),
    );
  });
  it('are read from bytes of any length, at any place in memory', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), fc.nat({ max: 9 }), (bytes, offset) => {
        const memory = new Uint8Array(offset + bytes.length);
        memory.set(bytes, offset);
        const value = [...bytes].reduceRight((sum, byte) => 256n * sum + BigInt(byte), 0n);
        expect(bytesToInt(memory.subarray(offset))).toBe(value);
      }),
    );
  });
  it.each([-1n, 2n ** 256n])('%p does not fit 32 bytes', (value) => {
    expect(() => intToBytes(value)).toThrow(RangeError);
  });
  it('reduce to the least non-negative remainder', () => {
    expect(reduce(-1n)).toBe(ORDER - 1n);
    expect(reduce(ORDER)).toBe(0n);
    expect(reduceBytes(new Uint8Array(64).fill(255))).toBe((2n ** 512n - 1n) % ORDER);
  });
});
