import { U64_MAX } from './amount.js';

/**
 * Error of input that does not follow its format. The message names the violation, and never contains secret bytes.
 * @example
 * try {
 *   parseAddress('4abc');
 * } catch (error) {
 *   error instanceof CodecError; // => true
 * }
 */
export class CodecError extends Error {
  override readonly name = 'CodecError';
}

/** Wire format of a value, which defines reading, writing and size. */
export interface Codec<T> {
  write(value: T, w: Writer): void;
  /** Reads one value. @throws CodecError for input that the reference refuses. */
  read(r: Reader): T;
}

/** Reads a byte string from front to back. @throws CodecError for reading past the end. */
export class Reader {
  readonly #bytes: Uint8Array;
  #offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes = bytes;
    this.#offset = offset;
  }

  /** Number of bytes that were read. */
  get offset(): number {
    return this.#offset;
  }

  /** Number of bytes that were not read yet. */
  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  byte(): number {
    const byte = this.#bytes[this.#offset];
    if (byte === undefined) throw new CodecError('unexpected end of input');
    this.#offset += 1;
    return byte;
  }

  /** Returns the next `length` bytes as a copy. */
  take(length: number): Uint8Array {
    return new Uint8Array(this.view(length));
  }

  /** Returns the next `length` bytes, which share memory with the input. */
  view(length: number): Uint8Array {
    // The condition is also false for NaN.
    if (!(length >= 0 && length <= this.remaining)) throw new CodecError('unexpected end of input');
    const view = this.#bytes.subarray(this.#offset, this.#offset + length);
    this.#offset += length;
    return view;
  }

  /** Checks that all input was read. @throws CodecError if bytes are left. */
  end(): void {
    if (this.remaining > 0) throw new CodecError(`${this.remaining} bytes left over`);
  }
}

/** Collects written bytes in a buffer that grows as needed. */
export class Writer {
  #bytes: Uint8Array;
  #length = 0;

  /** @param capacity number of bytes that are allocated at first. */
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

  /** Returns a copy of the written bytes. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Returns the written bytes without a copy; the writer is empty afterwards. */
  handOver(): Uint8Array {
    const written = this.#bytes.subarray(0, this.#length);
    this.#bytes = new Uint8Array();
    this.#length = 0;
    return written;
  }
}

/** Encodes one value as bytes. */
export function encode<T>(codec: Codec<T>, value: T): Uint8Array {
  const w = new Writer();
  codec.write(value, w);
  return w.finish();
}

/** Decodes exactly one value. @throws CodecError for invalid input, and if bytes are left. */
export function decode<T>(codec: Codec<T>, bytes: Uint8Array): T {
  const r = new Reader(bytes);
  const value = codec.read(r);
  r.end();
  return value;
}

/** Returns the number of bytes in the encoding of `value`. */
export const sizeOf = <T>(codec: Codec<T>, value: T): number => encode(codec, value).length;

/** Value of the lowest bit of a varint's eighth 7-bit group (2^49), the last group of a safe integer. */
const EIGHTH_SCALE = 2 ** 49;
const EIGHTH_SHIFT = 49n;

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Limit for the part of a 64-bit value that the eighth and later groups of a varint contain (64 - 49 bits). */
const HIGH_LIMIT = 2 ** 15;

/**
 * Varint of an unsigned 64-bit integer in base 128, least significant group first. Source: common/varint.h
 * `read_varint`, `write_varint`.
 */
export const varint: Codec<bigint> = {
  write(value, w) {
    if (value < 0n || value > U64_MAX) throw new RangeError(`varint outside u64: ${value}`);
    // The groups are written as numbers, since each operation on bigints leaves garbage.
    let rest = value;
    for (; rest > MAX_SAFE; rest >>= 7n) w.byte(Number(rest & 0x7fn) | 0x80);
    varintNumber.write(Number(rest), w);
  },
  read(r) {
    // Two numbers are used in place of a bigint: rings have hundreds of indices, and each bigint operation leaves
    // garbage.
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

/** Varint of a safe integer: a height, index or count. */
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

/** Unsigned little-endian integer of `width` bytes (1 to 6), read as a number. */
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

/** Unsigned 64-bit little-endian integer that must be a safe integer: a height, index or count. */
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

/** Byte string of a fixed length. */
export const raw = (length: number): Codec<Uint8Array> => ({
  write(value, w) {
    if (value.length !== length) throw new RangeError(`expected ${length} bytes, got ${value.length}`);
    w.bytes(value);
  },
  read: (r) => r.take(length),
});

/** Byte string of a fixed length, with a role in its type. */
export const role = <B extends Uint8Array>(length: number): Codec<B> => raw(length) as unknown as Codec<B>;

/** Byte string of any length, preceded by its length as a varint. */
export const blob: Codec<Uint8Array> = {
  write(value, w) {
    varintNumber.write(value.length, w);
    w.bytes(value);
  },
  read: (r) => r.take(varintNumber.read(r)),
};

/**
 * List of items, preceded by their number as a varint. Since an item takes at least one byte, a number above the number
 * of remaining bytes is refused before memory is allocated.
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

/** List of `count` items, without their number before them. */
export const repeat = <T>(count: number, item: Codec<T>): Codec<readonly T[]> => ({
  write(values, w) {
    if (values.length !== count) throw new RangeError(`expected ${count} items, got ${values.length}`);
    for (const value of values) item.write(value, w);
  },
  read: (r) => Array.from({ length: count }, () => item.read(r)),
});
