import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { fixedBytes, fromHex, isHex, joinBytes, toHex, tryFromHex } from '../../src/util/bytes.js';

const bytes = fc.uint8Array({ maxLength: 600 });

describe('hex', () => {
  it('writes every byte in two digits, the high one first', () => {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    expect(toHex(all)).toBe([...all].map((byte) => byte.toString(16).padStart(2, '0')).join(''));
    expect(toHex(new Uint8Array())).toBe('');
  });

  it('round-trips in either case, whatever was written before', () => {
    fc.assert(
      fc.property(bytes, bytes, (first, second) => {
        const text = toHex(first);
        toHex(second);
        expect(text).toHaveLength(2 * first.length);
        expect(fromHex(text)).toEqual(first);
        expect(fromHex(text.toUpperCase())).toEqual(first);
      }),
    );
  });

  it('writes the bytes of a view, not those of its whole buffer', () => {
    const buffer = Uint8Array.from({ length: 1000 }, (_, i) => i & 0xff);
    expect(toHex(buffer.subarray(10, 13))).toBe('0a0b0c');
    expect(toHex(buffer.subarray(255, 555))).toHaveLength(600);
    expect(toHex(Buffer.from('abc'))).toBe('616263');
  });

  it('reads into a buffer of its own', () => {
    const read = fromHex('00ff10');
    expect(read).toBeInstanceOf(Uint8Array);
    expect(Buffer.isBuffer(read)).toBe(false);
    expect(read.buffer.byteLength).toBe(3);
  });

  test.each(['0', 'abc', '0g', 'xx', ' 00', '0x00', '00\n'])('refuses %j', (text) => {
    expect(isHex(text)).toBe(false);
    expect(() => fromHex(text)).toThrow(RangeError);
    expect(tryFromHex(text)).toBeUndefined();
  });
});

it('bytes of a fixed length are a copy', () => {
  const raw = Buffer.from([1, 2, 3]);
  const fixed = fixedBytes(raw, 3, 'Three');
  raw[0] = 9;
  expect([...fixed]).toEqual([1, 2, 3]);
  expect(Buffer.isBuffer(fixed)).toBe(false);
  expect(() => fixedBytes(raw, 4, 'Four')).toThrow('Four: expected 4 bytes, got 3');
});

it('a list of any length is joined', () => {
  const parts = Array.from({ length: 300_000 }, (_, i) => Uint8Array.of(i & 255));
  const joined = joinBytes(parts);
  expect([joined.length, joined[299_999]]).toEqual([300_000, 299_999 & 255]);
});
