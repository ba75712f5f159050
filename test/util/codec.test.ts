import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { U64_MAX } from '../../src/util/amount.js';
import { concatBytes, fromHex, toHex } from '../../src/util/bytes.js';
import {
  blob,
  CodecError,
  decode,
  encode,
  list,
  Reader,
  sizeOf,
  u64,
  u64Number,
  varint,
  varintNumber,
  Writer,
} from '../../src/util/codec.js';

describe('varint', () => {
  test.each([
    ['00', 0n],
    ['7f', 127n],
    ['8001', 128n],
    ['ffffffffffff7f', 2n ** 49n - 1n],
    ['8080808080808001', 2n ** 49n],
    ['80808080808080808001', 2n ** 63n],
    ['ffffffffffffffffff01', U64_MAX],
  ])('reads %s', (hex, value) => {
    expect(decode(varint, fromHex(hex))).toBe(value);
  });

  test.each([
    ['a trailing zero byte', '8000'],
    ['a trailing zero byte of the eighth group', '8080808080808000'],
    ['more than 64 bits', 'ffffffffffffffffff02'],
    ['the first value beyond 64 bits', '80808080808080808002'],
    ['an endless one', 'ffffffffffffffffffffffffffff'],
    ['a cut one', '80'],
    ['nothing', ''],
  ])('refuses %s', (_, hex) => {
    expect(() => decode(varint, fromHex(hex))).toThrow(CodecError);
  });

  it('round-trips, and its size is the number of bytes written', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: U64_MAX }), (value) => {
        const bytes = encode(varint, value);
        expect(decode(varint, bytes)).toBe(value);
        expect(sizeOf(varint, value)).toBe(bytes.length);
        if (value <= BigInt(Number.MAX_SAFE_INTEGER))
          expect(toHex(encode(varintNumber, Number(value)))).toBe(toHex(bytes));
        else expect(() => decode(varintNumber, bytes)).toThrow(CodecError);
      }),
    );
  });
});

describe('a varint that is longer than any value', () => {
  const lengths = [...Array.from({ length: 20 }, (_, i) => i + 8), 100, 147, 148, 149, 150, 1000, 100_000];
  const long = (length: number): Uint8Array =>
    Uint8Array.from({ length }, (_, i) => (i < length - 1 ? 0x80 : 0x01));

  test.each([
    ['varint', varint, 10],
    ['varintNumber', varintNumber, 8],
    ['blob', blob, 8],
    ['list', list(u64), 8],
  ] as const)('is refused by %s after the largest length that is allowed', (_name, codec, most) => {
    for (const length of lengths.filter((bytes) => bytes > most)) {
      const r = new Reader(concatBytes(long(length), new Uint8Array(9)));
      expect(() => codec.read(r)).toThrow(CodecError);
      expect(r.offset).toBe(most);
    }
  });

  it('leaves the offset of a reader alone when a length is refused', () => {
    const r = new Reader(new Uint8Array(5));
    for (const length of [Number.NaN, -1, 6, Infinity])
      expect(() => r.view(length)).toThrow('unexpected end of input');
    expect([r.offset, r.remaining]).toEqual([0, 5]);
  });
});

describe('u64', () => {
  test.each([
    ['0000000000000000', 0n],
    ['0100000000000000', 1n],
    ['00000080ffffffff', 0xffffffff80000000n],
    ['0807060504030201', 0x0102030405060708n],
    ['ffffffffffffffff', U64_MAX],
  ])('is eight bytes, the least significant first: %s', (hex, value) => {
    expect(toHex(encode(u64, value))).toBe(hex);
    expect(decode(u64, fromHex(hex))).toBe(value);
  });

  it('encodes a safe integer alike, and u64Number reads no larger value', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: U64_MAX }), fc.maxSafeNat(), (value, safe) => {
        expect(toHex(encode(u64Number, safe))).toBe(toHex(encode(u64, BigInt(safe))));
        expect(decode(u64Number, encode(u64Number, safe))).toBe(safe);
        if (value > BigInt(Number.MAX_SAFE_INTEGER))
          expect(() => decode(u64Number, encode(u64, value))).toThrow(CodecError);
      }),
    );
  });

  test.each([-1, 1.5, 2 ** 53, Number.NaN])('refuses to write %d', (value) => {
    expect(() => encode(u64Number, value)).toThrow(RangeError);
  });
});

describe('Writer', () => {
  it('hands over the written bytes and is empty afterwards', () => {
    const w = new Writer(2);
    w.bytes(Uint8Array.of(1, 2, 3));
    const first = w.handOver();
    w.byte(4);
    expect([toHex(first), toHex(w.finish())]).toEqual(['010203', '04']);
  });
});

describe('counts and lengths', () => {
  it('beyond the input are refused before anything is allocated', () => {
    expect(() => decode(list(u64), fromHex('ffffffff7f'))).toThrow(CodecError);
    expect(() => decode(blob, fromHex('ffffffff7f00'))).toThrow(CodecError);
  });

  it('below the length of the input are refused', () => {
    expect(() => decode(u64, new Uint8Array(9))).toThrow(CodecError);
  });
});
