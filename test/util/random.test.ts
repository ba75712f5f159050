import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { uniformBigInt } from '../../src/util/random.js';
import { seededRng } from '../support/seeded-rng.js';

const bytesOf = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
};

describe('a uniform bigint', () => {
  it('is at least 0 and below its bound, up to 2^64', () => {
    const rng = seededRng('uniform bigint');
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 1n << 64n }), (bound) => {
        const value = uniformBigInt(bound, rng);
        expect(value).toBeGreaterThanOrEqual(0n);
        expect(value).toBeLessThan(bound);
      }),
    );
  });

  it('is drawn again when the bytes are at or above the last multiple of the bound', () => {
    const draws = [(1n << 64n) - 1n, (1n << 64n) - 2n, 8n];
    expect(uniformBigInt(3n, () => bytesOf(draws.shift() ?? 0n))).toBe(2n);
    // 2^64 - 1 is a multiple of three, so 2^64 - 2 is accepted.
    expect(draws).toEqual([8n]);
    expect(uniformBigInt(1n << 64n, () => bytesOf((1n << 64n) - 1n))).toBe((1n << 64n) - 1n);
  });

  it.each([0n, -1n, (1n << 64n) + 1n])('is refused for the bound %p', (bound) => {
    expect(() => uniformBigInt(bound, seededRng(1))).toThrow(RangeError);
  });
});
