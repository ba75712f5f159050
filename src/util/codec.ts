import { U64_MAX } from './amount.js';

/** Input does not follow its format. The message names the violation and never quotes secret bytes. */
export class CodecError extends Error {
  override readonly name = 'CodecError';
}

/** Wire format: one value defines reading, writing and size. */
export interface Codec<T> {
  write(value: T, w: Writer): void;
  /** @throws CodecError on input that upstream refuses. */
  read(r: Reader): T;
}

/** Reads a byte string from front to back; reading past its end throws {@link CodecError}. */
export class Reader {
  readonly #bytes: Uint8Array;
  #offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes = bytes;
    this.#offset = offset;
  }

  get offset(): number {
    return this.#offset;
  }

  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  byte(): number {
    const byte = this.#bytes[this.#offset];
    if (byte === undefined) throw new CodecError('unexpected end of input');
    this.#offset += 1;
    return byte;
  }

  /** The next `length` bytes, as a copy. */
  take(length: number): Uint8Array {
    return new Uint8Array(this.view(length));
  }

  /** The next `length` bytes, sharing memory with the input. */
  view(length: number): Uint8Array {
    // The condition is false for NaN too.
    if (!(length >= 0 && length <= this.remaining)) throw new CodecError('unexpected end of input');
    const view = this.#bytes.subarray(this.#offset, this.#offset + length);
    this.#offset += length;
    return view;
  }

  /** @throws CodecError when bytes are left over. */
  end(): void {
    if (this.remaining > 0) throw new CodecError(`${this.remaining} bytes left over`);
  }
}

/** Collects bytes, growing as needed. */
export class Writer {
  #bytes: Uint8Array;
  #length = 0;

  /** @param capacity bytes that are allocated at first. */
  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  #reserve(extra: number): void {
    if (this.#length + extra <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + extra));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** @returns a copy of the written bytes. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** @returns the written bytes, not copied; the writer is empty afterwards. */
  handOver(): Uint8Array {
    const written = this.#bytes.subarray(0, this.#length);
    this.#bytes = new Uint8Array();
    this.#length = 0;
    return written;
  }
}

/** Writes one value to fresh bytes. */
export function encode<T>(codec: Codec<T>, value: T): Uint8Array {
  const w = new Writer();
  codec.write(value, w);
  return w.finish();
}

/** Reads exactly one value. @throws CodecError on bad or left-over input. */
export function decode<T>(codec: Codec<T>, bytes: Uint8Array): T {
  const r = new Reader(bytes);
  const value = codec.read(r);
  r.end();
  return value;
}

/** Number of bytes `value` takes. */
export const sizeOf = <T>(codec: Codec<T>, value: T): number => encode(codec, value).length;

/** Unit of the eighth 7-bit group of a varint, the last one of a safe integer, and its bit position. */
const EIGHTH_SCALE = 2 ** 49;
const EIGHTH_SHIFT = 49n;

/** Limit of the bits of a 64-bit value from the eighth group of a varint on. */
const HIGH_LIMIT = 2 ** 15;

/**
 * Base-128 varint of an unsigned 64-bit integer, least group first.
 * Source: common/varint.h `read_varint`, `write_varint`.
 */
export const varint: Codec<bigint> = {
  write(value, w) {
    if (value < 0n || value > U64_MAX) throw new RangeError(`varint outside u64: ${value}`);
    for (; value > 0x7fn; value >>= 7n) w.byte(Number(value & 0x7fn) | 0x80);
    w.byte(Number(value));
  },
  read(r) {
    // Two numbers, not bigints: rings have hundreds of indices, and each operation of a bigint leaves garbage.
    let low = 0;
    for (let scale = 1; scale < EIGHTH_SCALE; scale *= 128) {
      const byte = r.byte();
      if (byte === 0 && scale > 1) throw new CodecError('varint: trailing zero byte');
      low += (byte & 0x7f) * scale;
      if (byte < 0x80) return BigInt(low);
    }
    for (let high = 0, scale = 1; scale < HIGH_LIMIT; scale *= 128) {
      const byte = r.byte();
      if (byte === 0) throw new CodecError('varint: trailing zero byte');
      high += (byte & 0x7f) * scale;
      if (byte < 0x80 && high < HIGH_LIMIT) return (BigInt(high) << EIGHTH_SHIFT) | BigInt(low);
    }
    throw new CodecError('varint: exceeds u64');
  },
};

/** A varint that must fit a safe integer: heights, indices, counts. */
export const varintNumber: Codec<number> = {
  write(value, w) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`varint outside safe range: ${value}`);
    for (; value > 0x7f; value = Math.floor(value / 128)) w.byte((value % 128) | 0x80);
    w.byte(value);
  },
  read(r) {
    for (let value = 0, scale = 1, first = true; ; scale *= 128, first = false) {
      if (scale > EIGHTH_SCALE) throw new CodecError('varint: exceeds the safe range');
      const byte = r.byte();
      if (byte === 0 && !first) throw new CodecError('varint: trailing zero byte');
      value += (byte & 0x7f) * scale;
      if (value > Number.MAX_SAFE_INTEGER) throw new CodecError('varint: exceeds the safe range');
      if (byte < 0x80) return value;
    }
  },
};

/** Unsigned little-endian integer of `width` bytes (1 to 6), as a number. */
export const uintLe = (width: number): Codec<number> => ({
  write(value, w) {
    if (!Number.isSafeInteger(value) || value < 0 || value >= 2 ** (8 * width))
      throw new RangeError(`u${8 * width}: out of range: ${value}`);
    for (let i = 0; i < width; i++, value = Math.floor(value / 256)) w.byte(value % 256);
  },
  read(r) {
    let value = 0;
    for (let i = 0, scale = 1; i < width; i++, scale *= 256) value += r.byte() * scale;
    return value;
  },
});

export const u8 = uintLe(1);
export const u16 = uintLe(2);
export const u32 = uintLe(4);

const U32 = 2 ** 32;

function writeHalves(low: number, high: number, w: Writer): void {
  for (let i = 0; i < 4; i++) w.byte((low >>> (8 * i)) & 0xff);
  for (let i = 0; i < 4; i++) w.byte((high >>> (8 * i)) & 0xff);
}

/** Unsigned 64-bit little-endian integer. */
export const u64: Codec<bigint> = {
  write(value, w) {
    if (value < 0n || value > U64_MAX) throw new RangeError(`u64: out of range: ${value}`);
    writeHalves(Number(value & 0xffffffffn), Number(value >> 32n), w);
  },
  read(r) {
    const low = u32.read(r);
    return (BigInt(u32.read(r)) << 32n) | BigInt(low);
  },
};

/** {@link u64} that must fit a safe integer: heights, indices, counts. */
export const u64Number: Codec<number> = {
  write(value, w) {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`u64 outside safe range: ${value}`);
    writeHalves(value % U32, Math.floor(value / U32), w);
  },
  read(r) {
    const low = u32.read(r);
    const value = u32.read(r) * U32 + low;
    if (value > Number.MAX_SAFE_INTEGER) throw new CodecError('u64: exceeds the safe range');
    return value;
  },
};

/** Bytes of one known length. */
export const raw = (length: number): Codec<Uint8Array> => ({
  write(value, w) {
    if (value.length !== length) throw new RangeError(`expected ${length} bytes, got ${value.length}`);
    w.bytes(value);
  },
  read: (r) => r.take(length),
});

/** {@link raw} with a role in its type. */
export const role = <B extends Uint8Array>(length: number): Codec<B> => raw(length) as unknown as Codec<B>;

/** Varint length, then that many bytes. */
export const blob: Codec<Uint8Array> = {
  write(value, w) {
    varintNumber.write(value.length, w);
    w.bytes(value);
  },
  read: (r) => r.take(varintNumber.read(r)),
};

/**
 * Varint count, then the items. An item takes at least one byte, so a count above the number of remaining bytes is
 * refused before anything is allocated.
 */
export const list = <T>(item: Codec<T>): Codec<readonly T[]> => ({
  write(values, w) {
    varintNumber.write(values.length, w);
    for (const value of values) item.write(value, w);
  },
  read(r) {
    const count = varintNumber.read(r);
    if (count > r.remaining) throw new CodecError('list: count exceeds the input');
    return Array.from({ length: count }, () => item.read(r));
  },
});

/** `count` items without a count of their own. */
export const repeat = <T>(count: number, item: Codec<T>): Codec<readonly T[]> => ({
  write(values, w) {
    if (values.length !== count) throw new RangeError(`expected ${count} items, got ${values.length}`);
    for (const value of values) item.write(value, w);
  },
  read: (r) => Array.from({ length: count }, () => item.read(r)),
});
