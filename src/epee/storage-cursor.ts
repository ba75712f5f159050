import { CodecError, Reader, u16, u32 } from '../util/codec.js';
import { ARRAY, MAX_DEPTH, SIGNATURE, size, SMALLEST, TYPE } from './storage-format.js';

/** Fields of one section; what upstream sends has a dozen. */
const MAX_FIELDS = 64;

/**
 * Walks through a message value by value, for those too large to be built: readStorage is for all others. Every
 * method takes the value that the cursor stands at; whatever a visitor does not take is passed over.
 * Source: portable_storage_from_bin.h.
 */
export class StorageCursor {
  readonly #r: Reader;
  #type: number = TYPE.object;
  #depth = 0;

  /** Stands at the outermost section. @throws CodecError */
  constructor(bytes: Uint8Array) {
    this.#r = new Reader(bytes);
    if (Buffer.compare(this.#r.view(SIGNATURE.length), SIGNATURE) !== 0)
      throw new CodecError('portable storage: wrong signature');
  }

  /** @throws CodecError when bytes are left over. */
  end(): void {
    this.#r.end();
  }

  /** Visits each field of a section, and stands at its value meanwhile. */
  section(visit: (name: string) => void): void {
    const r = this.#r;
    this.#expect(TYPE.object);
    if (++this.#depth > MAX_DEPTH) throw new CodecError('portable storage: nested too deeply');
    const count = size.read(r);
    if (count > MAX_FIELDS) throw new CodecError('portable storage: too many fields');
    const names: string[] = [];
    for (let i = 0; i < count; i++) {
      const name = Buffer.from(r.view(r.byte())).toString('latin1');
      if (name === '') throw new CodecError('portable storage: an empty name');
      if (names.includes(name)) throw new CodecError('portable storage: a name twice');
      names.push(name);
      this.#visit(r.byte(), () => visit(name));
    }
    this.#depth -= 1;
  }

  /** Visits each item of a list, and stands at it meanwhile. */
  list(visit: () => void): void {
    const [type, count] = this.#listHead();
    for (let i = 0; i < count; i++) this.#visit(type, visit);
  }

  /** A string; it shares memory with the message. */
  bytes(): Uint8Array {
    this.#expect(TYPE.string);
    return this.#r.view(size.read(this.#r));
  }

  text(): string {
    return Buffer.from(this.bytes()).toString('utf8');
  }

  /** An unsigned integer of any width. */
  number(): number {
    const r = this.#r;
    switch (this.#type) {
      case TYPE.u64:
        return this.#u64();
      case TYPE.u32:
        return u32.read(r);
      case TYPE.u16:
        return u16.read(r);
      case TYPE.u8:
        return r.byte();
      default:
        throw new CodecError('portable storage: expected an unsigned integer');
    }
  }

  /** A list of 64-bit integers. */
  numbers(): number[] {
    const [type, count] = this.#listHead();
    if (type !== TYPE.u64 && count > 0) throw new CodecError('portable storage: expected integers');
    const values: number[] = [];
    for (let i = 0; i < count; i++) values.push(this.#u64());
    return values;
  }

  /** Whether it is a section, not a string or anything else. */
  get isSection(): boolean {
    return this.#type === TYPE.object;
  }

  #expect(type: number): void {
    if (this.#type !== type) throw new CodecError('portable storage: another type than expected');
  }

  #listHead(): [type: number, count: number] {
    const type = this.#type & ~ARRAY;
    const smallest = SMALLEST[type];
    if ((this.#type & ARRAY) === 0 || smallest === undefined)
      throw new CodecError('portable storage: expected a list');
    const count = size.read(this.#r);
    if (count * smallest > this.#r.remaining)
      throw new CodecError('portable storage: count exceeds the input');
    return [type, count];
  }

  #u64(): number {
    const r = this.#r;
    const value = u32.read(r) + u32.read(r) * 2 ** 32;
    if (value > Number.MAX_SAFE_INTEGER) throw new CodecError('portable storage: integer too large');
    return value;
  }

  #visit(type: number, visit: () => void): void {
    const { offset } = this.#r;
    this.#type = type;
    visit();
    // Every value takes a byte at least.
    if (this.#r.offset === offset) this.#pass(type);
  }

  #pass(type: number): void {
    this.#type = type;
    if ((type & ARRAY) !== 0) return this.list(() => undefined);
    if (type === TYPE.object) return this.section(() => undefined);
    if (type === TYPE.string) return void this.bytes();
    const width = SMALLEST[type];
    if (width === undefined) throw new CodecError('portable storage: unknown type');
    this.#r.skip(width);
  }
}
