import { u16, u32, u64, u8, Writer } from '../../util/codec.js';
import { STORAGE_LIST } from '../format.js';
import { SIGNATURE, size, TYPE } from './portable-storage.js';

/** A value with the type in which it is written. */
export type Typed =
  | { readonly type: 'u64'; readonly value: bigint }
  | { readonly type: 'u32' | 'u16' | 'u8'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: Uint8Array }
  | { readonly type: 'object'; readonly value: TypedSection }
  | { readonly type: 'list'; readonly items: readonly Scalar[] }
  | WrittenSections;
/** A value that is not a list. */
export type Scalar = Exclude<Typed, { type: 'list' | 'written' }>;
/** Named fields to be written; `undefined` is left out. */
export interface TypedSection {
  readonly [name: string]: Typed | undefined;
}

/** A list of sections that writes itself, so that a long list need not be built as values. */
export interface WrittenSections {
  readonly type: 'written';
  readonly count: number;
  /** Estimated length of the encoded sections [bytes]. */
  readonly room: number;
  /** Writes the sections; each section is a count of fields, then the fields in byte order of their names. */
  write(w: Writer): void;
}

/** Initial capacity for a message without {@link WrittenSections} [bytes]. */
const SMALL = 1024;

type Kind = keyof typeof TYPE;

/** Encodes the name and the type of a field, which precede its value. @throws RangeError for an invalid name. */
export function fieldHead(name: string, kind: Kind, shape: 'one' | 'list' = 'one'): Uint8Array {
  const bytes = Buffer.from(name, 'latin1');
  if (bytes.length === 0) throw new RangeError('a field has a name');
  if (bytes.length > 0xff) throw new RangeError('the name of a field has at most 255 bytes');
  return Uint8Array.of(bytes.length, ...bytes, TYPE[kind] | (shape === 'list' ? STORAGE_LIST : 0));
}

/** Writes the value of a string: its length and its bytes. */
export function writeString(w: Writer, value: Uint8Array): void {
  size.write(value.length, w);
  w.bytes(value);
}

function writeScalar(typed: Scalar, w: Writer): void {
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
      return writeString(w, typed.value);
    case 'object':
      return writeSection(typed.value, w);
  }
}

const isEmpty = (typed: Typed): boolean =>
  (typed.type === 'list' && typed.items.length === 0) || (typed.type === 'written' && typed.count === 0);

function writeSection(section: TypedSection, w: Writer): void {
  const entries = Object.entries(section)
    .filter((entry): entry is [string, Typed] => entry[1] !== undefined && !isEmpty(entry[1]))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  size.write(entries.length, w);
  for (const [name, typed] of entries) writeField(name, typed, w);
}

function writeField(name: string, typed: Typed, w: Writer): void {
  if (typed.type === 'written') {
    w.bytes(fieldHead(name, 'object', 'list'));
    size.write(typed.count, w);
    typed.write(w);
    return;
  }
  if (typed.type !== 'list') {
    w.bytes(fieldHead(name, typed.type));
    writeScalar(typed, w);
    return;
  }
  const kind = typed.items[0]?.type ?? 'u8';
  if (typed.items.some(({ type }) => type !== kind))
    throw new RangeError(`${name}: the items of a list are of one type`);
  w.bytes(fieldHead(name, kind, 'list'));
  size.write(typed.items.length, w);
  for (const item of typed.items) writeScalar(item, w);
}

/**
 * Encodes a message, with the names in byte order. An empty list is left out.
 * @throws RangeError for a list whose values have several types, for a name that is empty or longer than 255 bytes, and
 * for an integer outside the range of its type.
 */
export function writeStorage(section: TypedSection): Uint8Array {
  const room = Object.values(section).reduce(
    (total, typed) => total + (typed?.type === 'written' ? typed.room : 0),
    SMALL,
  );
  const w = new Writer(room);
  w.bytes(SIGNATURE);
  writeSection(section, w);
  return w.handOver();
}
