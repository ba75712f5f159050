import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inBlocks, uniformBigInt, uniformInt } from '../../src/util/random.js';
import { seededRng } from '../support/fakes/seeded-rng.js';

const bytesOf = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
};

describe('a generator that draws in blocks', () => {
  it('gives the bytes of the generator under it, each once', () => {
    const drawn = inBlocks(seededRng('blocks'), 16);
    const lengths = [7, 7, 6, 0, 16, 40, 1];
    const bytes = lengths.map((length) => drawn(length));
    expect(bytes.map(({ length }) => length)).toEqual(lengths);
    // What is left of a block that is too short for a draw is skipped.
    const whole = seededRng('blocks')(16 + 16 + 16 + 40 + 16);
    const starts = [0, 7, 16, 22, 32, 48, 88];
    expect(bytes).toEqual(lengths.map((length, i) => whole.subarray(starts[i], (starts[i] ?? 0) + length)));
  });

  it('calls the generator under it once a block', () => {
    const requested: number[] = [];
    const rng = inBlocks((length) => (requested.push(length), new Uint8Array(length)));
    for (let i = 0; i < 300; i++) rng(7);
    expect(requested).toEqual([1024, 1024, 1024]);
  });
});

describe('a uniform integer', () => {
  it('is computed from six bytes, the most significant first', () => {
    const bytes = Uint8Array.of(0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa);
    expect(uniformInt(2 ** 48, () => bytes)).toBe(0xfffefdfcfbfa);
  });

  it('is drawn again when the bytes are at or above the last multiple of the bound', () => {
    const draws = [0xff, 5].map((last) => Uint8Array.of(last, last, last, last, last, last));
    expect(uniformInt(2 ** 47 + 1, () => draws.shift() ?? new Uint8Array(6))).toBe(0x050505050505);
  });
});

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
