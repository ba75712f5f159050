import { describe, expect, it, jest } from '@jest/globals';
import { areEqualBytes } from './byte-equality.js';

describe('the comparison of byte arrays', () => {
  it('accepts equal bytes and refuses a different byte or length', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    expect(areEqualBytes(bytes, Uint8Array.of(1, 2, 3))).toBe(true);
    expect(areEqualBytes(bytes, Uint8Array.of(1, 2, 4))).toBe(false);
    expect(areEqualBytes(bytes, Uint8Array.of(1, 2))).toBe(false);
  });

  it('leaves values of other classes to Jest', () => {
    expect(areEqualBytes(Uint8Array.of(1), Buffer.of(1))).toBeUndefined();
    expect(areEqualBytes(Uint8Array.of(1), [1])).toBeUndefined();
    expect(areEqualBytes(Uint16Array.of(1), Uint16Array.of(1))).toBeUndefined();
  });

  it('serves toEqual and toStrictEqual, in nested values too', () => {
    expect({ a: [Uint8Array.of(1)] }).toEqual({ a: [Uint8Array.of(1)] });
    expect({ a: [Uint8Array.of(1)] }).not.toEqual({ a: [Uint8Array.of(2)] });
    expect(Uint8Array.of(1)).toEqual(Buffer.of(1));
    expect(Uint8Array.of(1)).not.toStrictEqual(Buffer.of(1));
  });

  it('is registered with expect', () => {
    const compare = jest.spyOn(Buffer, 'compare');
    try {
      expect([Uint8Array.of(1)]).toEqual([Uint8Array.of(1)]);
      expect(compare).toHaveBeenCalledTimes(1);
    } finally {
      compare.mockRestore();
    }
  });
});
