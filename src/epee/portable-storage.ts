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

const signed = (width: number, r: Reader): bigint =>
  BigInt.asIntN(8 * width, width === 8 ? u64.read(r) : BigInt(uintLe(width).read(r)));

function readScalar(type: number, r: Reader, depth: number): Value {
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
      return signed(8, r);
    case TYPE.i32:
      return signed(4, r);
    case TYPE.i16:
      return signed(2, r);
    case TYPE.i8:
      return signed(1, r);
    case TYPE.double: {
      const bytes = r.take(8);
      return new DataView(bytes.buffer).getFloat64(0, true);
    }
    case TYPE.bool:
      return r.byte() !== 0;
    case TYPE.string:
      return r.view(size.read(r));
    case TYPE.object:
      return readSection(r, depth + 1);
    default:
      throw new CodecError('portable storage: unknown type');
  }
}

function readSection(r: Reader, depth: number): Section {
  if (depth > MAX_DEPTH) throw new CodecError('portable storage: nested too deeply');
  const count = size.read(r);
  if (count > r.remaining) throw new CodecError('portable storage: count exceeds the input');
  const section = Object.create(null) as Record<string, Value>;
  for (let i = 0; i < count; i++) {
    const name = Buffer.from(r.view(r.byte())).toString('latin1');
    if (name in section) throw new CodecError('portable storage: a name twice');
    const type = r.byte();
    section[name] = (type & ARRAY) === 0 ? readScalar(type, r, depth) : readList(type & ~ARRAY, r, depth);
  }
  return section;
}

function readList(type: number, r: Reader, depth: number): Value[] {
  const count = size.read(r);
  // Every item takes at least a byte.
  if (count > r.remaining) throw new CodecError('portable storage: count exceeds the input');
  return Array.from({ length: count }, () => readScalar(type, r, depth));
}

/**
 * Reads a message. Strings share memory with the input.
 * @throws CodecError Source: portable_storage_from_bin.h.
 */
export function readStorage(bytes: Uint8Array): Section {
  const r = new Reader(bytes);
  if (Buffer.compare(r.view(SIGNATURE.length), SIGNATURE) !== 0)
    throw new CodecError('portable storage: wrong signature');
  const section = readSection(r, 0);
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
    u8.write(bytes.length, w);
    w.bytes(bytes);
    if (typed.type !== 'list') {
      w.byte(TYPE[typed.type]);
      writeScalar(typed, w);
      continue;
    }
    w.byte(ARRAY | TYPE[typed.items[0]?.type ?? 'u8']);
    size.write(typed.items.length, w);
    for (const item of typed.items) writeScalar(item, w);
  }
}

/** Writes a message, names in byte order. Lists are of one type; an empty one is left out. */
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
