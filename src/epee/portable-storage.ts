import { CodecError, Reader, u16, u32, u64, u8, uintLe, Writer, type Codec } from '../util/codec.js';

/** A value of epee's portable storage. Integers are bigint whatever their width. */
export type Value = bigint | number | boolean | Uint8Array | Section | readonly Value[];
export interface Section {
  readonly [name: string]: Value;
}

/** Source: contrib/epee portable_storage_base.h. */
const SIGNATURE = Uint8Array.of(0x01, 0x11, 0x01, 0x01, 0x01, 0x01, 0x02, 0x01, 0x01);
const TYPE = {
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
const ARRAY = 0x80;
const MAX_DEPTH = 50;

/** Bytes that one value of a type takes at least. */
const SMALLEST: Readonly<Record<number, number>> = {
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

/** What one message may hold: a value in memory outweighs the byte that it may take in the message. */
export interface StorageLimits {
  readonly objects: number;
  readonly fields: number;
  readonly strings: number;
  /** Items of all lists. */
  readonly items: number;
}

/** Several times the largest page of blocks that upstream sends. */
const LIMITS: StorageLimits = { objects: 1 << 18, fields: 1 << 19, strings: 1 << 18, items: 1 << 22 };

/** Count or length: the low two bits say how many bytes it takes. */
const size: Codec<number> = {
  write(value, w) {
    if (value < 0x40) u8.write(value * 4, w);
    else if (value < 0x4000) u16.write(value * 4 + 1, w);
    else if (value < 0x40000000) u32.write(value * 4 + 2, w);
    else u64.write(BigInt(value) * 4n + 3n, w);
  },
  read(r) {
    const first = r.byte();
    const width = 2 ** (first & 3);
    let value = BigInt(first);
    for (let i = 1; i < width; i++) value |= BigInt(r.byte()) << BigInt(8 * i);
    value >>= 2n;
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new CodecError('portable storage: size too large');
    return Number(value);
  },
};

const dataView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const signed = (width: number, r: Reader): bigint => BigInt.asIntN(8 * width, BigInt(uintLe(width).read(r)));

/** Walks one message and counts what it holds against the limits. */
class StorageReader {
  readonly #r: Reader;
  readonly #left: { -readonly [K in keyof StorageLimits]: number };

  constructor(r: Reader, limits: StorageLimits) {
    this.#r = r;
    this.#left = { ...limits };
  }

  section(depth: number): Section {
    const r = this.#r;
    if (depth > MAX_DEPTH) throw new CodecError('portable storage: nested too deeply');
    this.#spend('objects', 1);
    const count = size.read(r);
    this.#spend('fields', count);
    // No prototype: a name such as __proto__ is a name like any other.
    const section = Object.create(null) as Record<string, Value>;
    for (let i = 0; i < count; i++) {
      const name = Buffer.from(r.view(r.byte())).toString('latin1');
      if (name === '') throw new CodecError('portable storage: an empty name');
      if (name in section) throw new CodecError('portable storage: a name twice');
      const type = r.byte();
      section[name] = (type & ARRAY) === 0 ? this.#scalar(type, depth) : this.#list(type & ~ARRAY, depth);
    }
    return section;
  }

  #spend(what: keyof StorageLimits, count: number): void {
    this.#left[what] -= count;
    if (this.#left[what] < 0) throw new CodecError(`portable storage: too many ${what}`);
  }

  #list(type: number, depth: number): Value[] {
    const r = this.#r;
    const count = size.read(r);
    const smallest = SMALLEST[type];
    if (smallest === undefined) throw new CodecError('portable storage: unknown type');
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
        return dataView(r.view(8)).getBigUint64(0, true);
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
 * Reads a message. Strings share memory with the input.
 * @throws CodecError Source: portable_storage_from_bin.h.
 */
export function readStorage(bytes: Uint8Array, limits: Partial<StorageLimits> = {}): Section {
  const r = new Reader(bytes);
  if (Buffer.compare(r.view(SIGNATURE.length), SIGNATURE) !== 0)
    throw new CodecError('portable storage: wrong signature');
  const section = new StorageReader(r, { ...LIMITS, ...limits }).section(0);
  r.end();
  return section;
}

/** A value with the type that it is written as. */
export type Typed =
  | { readonly type: 'u64'; readonly value: bigint }
  | { readonly type: 'u32' | 'u16' | 'u8'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: Uint8Array }
  | { readonly type: 'object'; readonly value: TypedSection }
  | { readonly type: 'list'; readonly items: readonly Exclude<Typed, { type: 'list' }>[] };
export interface TypedSection {
  readonly [name: string]: Typed | undefined;
}

function writeScalar(typed: Exclude<Typed, { type: 'list' }>, w: Writer): void {
  switch (typed.type) {
    case 'u64':
      return u64.write(typed.value, w);
    case 'u32':
      return u32.write(typed.value, w);
    case 'u16':
      return u16.write(typed.value, w);
    case 'u8':
      return u8.write(typed.value, w);
    case 'bool':
      return w.byte(typed.value ? 1 : 0);
    case 'string':
      size.write(typed.value.length, w);
      return w.bytes(typed.value);
    case 'object':
      return writeSection(typed.value, w);
  }
}

function writeSection(section: TypedSection, w: Writer): void {
  const entries = Object.entries(section)
    .filter(
      (entry): entry is [string, Typed] =>
        entry[1] !== undefined && !(entry[1].type === 'list' && entry[1].items.length === 0),
    )
    .sort(([a], [b]) => (a < b ? -1 : 1));
  size.write(entries.length, w);
  for (const [name, typed] of entries) {
    const bytes = Buffer.from(name, 'latin1');
    if (bytes.length === 0) throw new RangeError('a field has a name');
    u8.write(bytes.length, w);
    w.bytes(bytes);
    if (typed.type !== 'list') {
      w.byte(TYPE[typed.type]);
      writeScalar(typed, w);
      continue;
    }
    const type = typed.items[0]?.type ?? 'u8';
    if (typed.items.some((item) => item.type !== type))
      throw new RangeError(`${name}: the items of a list are of one type`);
    w.byte(ARRAY | TYPE[type]);
    size.write(typed.items.length, w);
    for (const item of typed.items) writeScalar(item, w);
  }
}

/**
 * Writes a message, names in byte order. An empty list is left out.
 * @throws RangeError for a list of several types, a name that is empty or beyond 255 bytes, an integer out of range.
 */
export function writeStorage(section: TypedSection): Uint8Array {
  const w = new Writer();
  w.bytes(SIGNATURE);
  writeSection(section, w);
  return w.finish();
}

/** Typed access to a section that somebody else wrote; anything unexpected is a {@link CodecError}. */
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

  /** An absent list is empty. */
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
