import { CodecError, Reader } from '../../../util/codec.js';

/*
 * Boost's portable binary archive, written by releases before 0.18. Integers have variable length; the first object
 * of each class is preceded by the version of the class.
 * Source: external/boost/archive/portable_binary_iarchive.hpp, and Boost's own basic_iarchive.cpp.
 */

const SIGNATURE = 'serialization::archive';

/** First bytes of an archive: the length of the signature as an integer, then the signature. */
export const BOOST_HEAD = Uint8Array.of(1, SIGNATURE.length, ...Buffer.from(SIGNATURE));

const BIG_ENDIAN = 0x40;

interface ClassInfo {
  /**
   * True if the objects of the class are numbered, so that the archive can refer to them again. Newer versions of Boost
   * number variants too.
   */
  readonly tracked: boolean;
  readonly version: number;
}

/** A numbered object; its value is absent while the object is being read. */
interface Tracked {
  readonly name: string;
  value?: unknown;
}

/** Function that reads one value from an archive. */
export type Load<T> = (archive: BoostArchive) => T;

/** Reads the values of an archive in order. */
export class BoostArchive {
  readonly #r: Reader;
  /** Classes that were read so far, by name. */
  readonly #classes = new Map<string, ClassInfo>();
  /** Numbered objects, by number. */
  readonly #tracked: Tracked[] = [];

  /** @throws CodecError for a wrong signature or byte order. */
  constructor(bytes: Uint8Array) {
    this.#r = new Reader(bytes);
    if (this.string() !== SIGNATURE) throw new CodecError('archive: not one of Boost');
    // Version of the Boost library that wrote the archive; the reference ignores this version, too.
    this.u64();
    if ((this.#r.byte() & BIG_ENDIAN) !== 0) throw new CodecError('archive: big-endian byte order');
  }

  /** Reads an integer of any type; a negative integer is read as its two's complement. */
  u64(): bigint {
    const head = this.#r.byte();
    const negative = head > 0x7f;
    const size = negative ? 0x100 - head : head;
    if (size > 8) throw new CodecError('archive: an integer of more than 64 bits');
    let value = 0n;
    this.#r.view(size).forEach((byte, i) => (value |= BigInt(byte) << BigInt(8 * i)));
    return negative ? BigInt.asUintN(64, -value) : value;
  }

  number(): number {
    const value = this.u64();
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new CodecError('archive: exceeds the safe range');
    return Number(value);
  }

  flag(): boolean {
    const value = this.u64();
    if (value > 1n) throw new CodecError('archive: a bool is 0 or 1');
    return value === 1n;
  }

  /** Reads a character: one byte, which is not encoded as an integer. */
  byte(): number {
    return this.#r.byte();
  }

  /** Reads the number of items of a list, each of which has at least one byte. */
  count(): number {
    const count = this.number();
    if (count > this.#r.remaining) throw new CodecError('archive: count exceeds the input');
    return count;
  }

  /** Reads bytes without framing. */
  raw(length: number): Uint8Array {
    return this.#r.take(length);
  }

  /** Reads a text that may not be UTF-8; invalid bytes are replaced by U+FFFD. */
  string(): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.raw(this.count()));
  }

  /**
   * Reads an object: the version of its class before the first object of the class, the number of the object if the
   * class numbers its objects, then the value.
   */
  object<T>(name: string, load: (archive: this, version: number) => T): T {
    const { tracked, version } = this.#classInfo(name);
    if (!tracked) return load(this, version);
    const id = this.number();
    const known = this.#tracked[id];
    if (known !== undefined) {
      if (known.name !== name || !('value' in known)) throw new CodecError('archive: a wrong reference');
      return known.value as T;
    }
    if (id !== this.#tracked.length) throw new CodecError('archive: objects out of order');
    const entry: Tracked = { name };
    this.#tracked.push(entry);
    const value = load(this, version);
    entry.value = value;
    return value;
  }

  #classInfo(name: string): ClassInfo {
    const known = this.#classes.get(name);
    if (known !== undefined) return known;
    const info = { tracked: this.flag(), version: this.number() };
    this.#classes.set(name, info);
    return info;
  }

  /** Checks that the whole archive was read. @throws CodecError if bytes are left. */
  end(): void {
    this.#r.end();
  }
}

/**
 * Returns a function that reads an object of a class.
 * @param name name that identifies the class here, as its C++ type does in the reference.
 */
export const object =
  <T>(name: string, load: (archive: BoostArchive, version: number) => T): Load<T> =>
  (archive) =>
    archive.object(name, load);

/** Returns a function that reads a class which contains an array of `length` bytes. */
export const bytesOf = <B extends Uint8Array>(name: string, length = 32): Load<B> =>
  object(name, (archive) => {
    if (archive.count() !== length) throw new CodecError(`archive: ${name} of another length`);
    return archive.raw(length) as B;
  });

const items = <T>(archive: BoostArchive, count: number, item: Load<T>): T[] =>
  Array.from({ length: count }, () => item(archive));

/** Returns a function that reads a container of numbers, which has no class version of its own. */
export const primitives =
  <T>(item: Load<T>): Load<readonly T[]> =>
  (archive) => {
    const count = archive.count();
    archive.u64();
    return items(archive, count, item);
  };

/**
 * Returns a function that reads a container of the standard library, which contains the version of its items' class
 * once more.
 */
export const collection = <T>(name: string, item: Load<T>): Load<readonly T[]> =>
  object(name, primitives(item));

/** Returns a function that reads a hash table, for which the reference has its own code: a count, then the items. */
export const hashTable = <T>(name: string, item: Load<T>): Load<readonly T[]> =>
  object(name, (archive) => items(archive, archive.count(), item));

/** Reads a container of characters, which has no class version of its own. */
export const characters: Load<Uint8Array> = (archive) => {
  const count = archive.count();
  archive.u64();
  return archive.raw(count);
};

/** Returns a function that reads two values without framing. */
export const pairOf =
  <A, B>(first: Load<A>, second: Load<B>): Load<readonly [A, B]> =>
  (archive) => [first(archive), second(archive)];
