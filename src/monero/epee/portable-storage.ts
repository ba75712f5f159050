import {
  smallestInStorage,
  STORAGE_BOOL,
  STORAGE_DEPTH,
  STORAGE_DOUBLE,
  STORAGE_I16,
  STORAGE_I32,
  STORAGE_I64,
  STORAGE_I8,
  STORAGE_LIST,
  STORAGE_OBJECT,
  STORAGE_SIGNATURE_A,
  STORAGE_SIGNATURE_B,
  STORAGE_STRING,
  STORAGE_U16,
  STORAGE_U32,
  STORAGE_U64,
  STORAGE_U8,
  STORAGE_VERSION,
} from '../format.js';
import { equalBytes, toLatin1 } from '../../util/bytes.js';
import { CodecError, encode, Reader, u16, u32, u64, uintLe, type Codec } from '../../util/codec.js';

/** A value of epee's portable storage. Integers of all widths are bigint. */
export type Value = bigint | number | boolean | Uint8Array | Section | readonly Value[];
/** Named fields of a message or of an object in it. */
export interface Section {
  readonly [name: string]: Value;
}

/**
 * Limits on the numbers of values in one message, because a value may take one byte in the message and much more in
 * memory.
 */
export interface StorageLimits {
  readonly objects: number;
  readonly fields: number;
  readonly strings: number;
  /** Number of items in all lists together. */
  readonly items: number;
}

/** Default limits: several times as many values as the largest page of blocks of the reference has. */
const LIMITS: StorageLimits = { objects: 1 << 18, fields: 1 << 19, strings: 1 << 18, items: 1 << 22 };

const dataView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const signed = (width: number, r: Reader): bigint => BigInt.asIntN(8 * width, BigInt(uintLe(width).read(r)));

/** Reads one message, and counts its values against the limits. */
class StorageReader {
  readonly #r: Reader;
  /**
   * Field names that were read last, by position in their section, because the objects of a list usually have the same
   * names in the same order.
   */
  readonly #names: { readonly bytes: Uint8Array; readonly text: string }[] = [];
  readonly #remaining: { -readonly [K in keyof StorageLimits]: number };

  constructor(r: Reader, limits: StorageLimits) {
    this.#r = r;
    this.#remaining = { ...limits };
  }

  section(depth: number): Section {
    const r = this.#r;
    if (depth > STORAGE_DEPTH) throw new CodecError('portable storage: nested too deeply');
    this.#spend('objects', 1);
    const count = size.read(r);
    this.#spend('fields', count);
    // The object has no prototype, so that a field with the name __proto__ is stored like any other field.
    const section = Object.create(null) as Record<string, Value>;
    for (let i = 0; i < count; i++) {
      const name = this.#name(i);
      if (name === '') throw new CodecError('portable storage: an empty name');
      if (name in section) throw new CodecError('portable storage: a name twice');
      const type = r.byte();
      section[name] =
        (type & STORAGE_LIST) === 0 ? this.#scalar(type, depth) : this.#list(type & ~STORAGE_LIST, depth);
    }
    return section;
  }

  #name(position: number): string {
    const bytes = this.#r.view(this.#r.byte());
    const last = this.#names[position];
    if (last !== undefined && equalBytes(last.bytes, bytes)) return last.text;
    const text = toLatin1(bytes);
    this.#names[position] = { bytes, text };
    return text;
  }

  #spend(kind: keyof StorageLimits, count: number): void {
    this.#remaining[kind] -= count;
    if (this.#remaining[kind] < 0) throw new CodecError(`portable storage: too many ${kind}`);
  }

  #list(type: number, depth: number): Value[] {
    const r = this.#r;
    const count = size.read(r);
    const smallest = smallestInStorage(type);
    if (smallest === 0) throw new CodecError('portable storage: unknown type');
    if (count * smallest > r.remaining) throw new CodecError('portable storage: count exceeds the input');
    this.#spend('items', count);
    if (type === TYPE.u64) {
      const view = dataView(r.view(8 * count));
      return Array.from({ length: count }, (_, i) => view.getBigUint64(8 * i, true));
    }
    return Array.from({ length: count }, () => this.#scalar(type, depth));
  }

  #scalar(type: number, depth: number): Value {
    const r = this.#r;
    switch (type) {
      case TYPE.u64:
        return u64.read(r);
      case TYPE.u32:
        return BigInt(u32.read(r));
      case TYPE.u16:
        return BigInt(u16.read(r));
      case TYPE.u8:
        return BigInt(r.byte());
      case TYPE.i64:
        return dataView(r.view(8)).getBigInt64(0, true);
      case TYPE.i32:
        return signed(4, r);
      case TYPE.i16:
        return signed(2, r);
      case TYPE.i8:
        return signed(1, r);
      case TYPE.double:
        return dataView(r.view(8)).getFloat64(0, true);
      case TYPE.bool: {
        const byte = r.byte();
        if (byte > 1) throw new CodecError('portable storage: a boolean is 0 or 1');
        return byte === 1;
      }
      case TYPE.string:
        this.#spend('strings', 1);
        return r.view(size.read(r));
      case TYPE.object:
        return this.section(depth + 1);
      default:
        throw new CodecError('portable storage: unknown type');
    }
  }
}

/**
 * Reads a message. Byte strings in the result are views of the input.
 * @throws CodecError for a malformed message, or a message above the limits. Source: portable_storage_from_bin.h.
 */
export function readStorage(bytes: Uint8Array, limits: Partial<StorageLimits> = {}): Section {
  const r = new Reader(bytes);
  if (Buffer.compare(r.view(SIGNATURE.length), SIGNATURE) !== 0)
    throw new CodecError('portable storage: wrong signature');
  const section = new StorageReader(r, { ...LIMITS, ...limits }).section(0);
  r.end();
  return section;
}

/** Reads typed fields of an untrusted section; a field of another type throws {@link CodecError}. */
export class SectionReader {
  readonly #section: Section;

  constructor(section: Section) {
    this.#section = section;
  }

  has(name: string): boolean {
    return name in this.#section;
  }

  uint(name: string, fallback?: bigint): bigint {
    const value = this.#section[name] ?? fallback;
    if (typeof value !== 'bigint' || value < 0n)
      throw new CodecError(`${name}: expected an unsigned integer`);
    return value;
  }

  number(name: string, fallback?: number): number {
    const value = this.uint(name, fallback === undefined ? undefined : BigInt(fallback));
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new CodecError(`${name}: integer too large`);
    return Number(value);
  }

  bool(name: string): boolean {
    const value = this.#section[name] ?? false;
    if (typeof value !== 'boolean') throw new CodecError(`${name}: expected a boolean`);
    return value;
  }

  bytes(name: string, fallback?: Uint8Array): Uint8Array {
    const value = this.#section[name] ?? fallback;
    if (!(value instanceof Uint8Array)) throw new CodecError(`${name}: expected a string`);
    return value;
  }

  text(name: string, fallback?: string): string {
    return Buffer.from(this.bytes(name, fallback === undefined ? undefined : Buffer.from(fallback))).toString(
      'utf8',
    );
  }

  /** Reads a list; an absent list reads as empty. */
  list(name: string): readonly Value[] {
    const value = this.#section[name] ?? [];
    if (!Array.isArray(value)) throw new CodecError(`${name}: expected a list`);
    return value as readonly Value[];
  }

  sections(name: string): SectionReader[] {
    return this.list(name).map((value) => toSection(value, name));
  }

  section(name: string): SectionReader {
    return toSection(this.#section[name], name);
  }
}

function toSection(value: Value | undefined, name: string): SectionReader {
  if (typeof value !== 'object' || value instanceof Uint8Array || Array.isArray(value))
    throw new CodecError(`${name}: expected an object`);
  return new SectionReader(value as Section);
}

/** First bytes of every message. */
export const SIGNATURE = Uint8Array.of(
  ...encode(u32, STORAGE_SIGNATURE_A),
  ...encode(u32, STORAGE_SIGNATURE_B),
  STORAGE_VERSION,
);

/** Type bytes by name. */
export const TYPE = {
  i64: STORAGE_I64,
  i32: STORAGE_I32,
  i16: STORAGE_I16,
  i8: STORAGE_I8,
  u64: STORAGE_U64,
  u32: STORAGE_U32,
  u16: STORAGE_U16,
  u8: STORAGE_U8,
  double: STORAGE_DOUBLE,
  string: STORAGE_STRING,
  bool: STORAGE_BOOL,
  object: STORAGE_OBJECT,
} as const;

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
