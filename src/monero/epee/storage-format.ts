import { CodecError, u16, u32, u64, type Codec } from '../../util/codec.js';

/** First bytes of every message. Source: contrib/epee portable_storage_base.h. */
export const SIGNATURE = Uint8Array.of(0x01, 0x11, 0x01, 0x01, 0x01, 0x01, 0x02, 0x01, 0x01);
export const TYPE = {
  i64: 1,
  i32: 2,
  i16: 3,
  i8: 4,
  u64: 5,
  u32: 6,
  u16: 7,
  u8: 8,
  double: 9,
  string: 10,
  bool: 11,
  object: 12,
} as const;
/** Flag in a type byte: the value is a list. */
export const ARRAY = 0x80;
export const MAX_DEPTH = 50;

/** Smallest size of a value by its type [bytes]. */
export const SMALLEST: Readonly<Record<number, number>> = {
  [TYPE.i64]: 8,
  [TYPE.i32]: 4,
  [TYPE.i16]: 2,
  [TYPE.i8]: 1,
  [TYPE.u64]: 8,
  [TYPE.u32]: 4,
  [TYPE.u16]: 2,
  [TYPE.u8]: 1,
  [TYPE.double]: 8,
  [TYPE.string]: 1,
  [TYPE.bool]: 1,
  [TYPE.object]: 1,
};

/** Codec of a count or length; its low two bits give the number of bytes. */
export const size: Codec<number> = {
  write(value, w) {
    if (value < 0x40) w.byte(value * 4);
    else if (value < 0x4000) u16.write(value * 4 + 1, w);
    else if (value < 0x40000000) u32.write(value * 4 + 2, w);
    else u64.write(BigInt(value) * 4n + 3n, w);
  },
  read(r) {
    const first = r.byte();
    const width = 2 ** (first & 3);
    let value = first >> 2;
    for (let i = 1, scale = 64; i < width; i++, scale *= 256) value += r.byte() * scale;
    if (value > Number.MAX_SAFE_INTEGER) throw new CodecError('portable storage: size too large');
    return value;
  },
};
