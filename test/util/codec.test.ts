import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { U64_MAX } from '../../src/util/amount.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import {
  blob,
  CodecError,
  decode,
  encode,
  list,
  sizeOf,
  u64,
  varint,
  varintNumber,
} from '../../src/util/codec.js';

describe('varint', () => {
  test.each([
    ['00', 0n],
    ['7f', 127n],
    ['8001', 128n],
    ['ffffffffffffffffff01', U64_MAX],
  ])('reads %s', (hex, value) => {
    expect(decode(varint, fromHex(hex))).toBe(value);
  });

  test.each([
    ['a trailing zero byte', '8000'],
    ['more than 64 bits', 'ffffffffffffffffff02'],
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

describe('counts and lengths', () => {
  it('beyond the input are refused before anything is allocated', () => {
    expect(() => decode(list(u64), fromHex('ffffffff7f'))).toThrow(CodecError);
    expect(() => decode(blob, fromHex('ffffffff7f00'))).toThrow(CodecError);
  });

  it('that leave bytes over are refused', () => {
    expect(() => decode(u64, new Uint8Array(9))).toThrow(CodecError);
  });
});
