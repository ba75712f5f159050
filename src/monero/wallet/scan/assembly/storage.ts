/** Reads epee's portable storage, value by value. Source: portable_storage_from_bin.h, portable_storage_base.h. */
import {
  smallestInStorage,
  STORAGE_DEPTH,
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
} from '../../../format';
import { byte, left, MAX_SAFE, skip, position } from './reading';

/** Largest number of fields in a section; sections of the reference have about a dozen fields. */
const MAX_FIELDS: u64 = 64;

/** Address and length of each field name in the open sections, to detect duplicates. */
const NAMES = memory.data((STORAGE_DEPTH + 1) * 64 * 8, 16);

let depth: u32 = 0;

function smallest(type: u32): u32 {
  return u32(smallestInStorage(type));
}

function size(): u64 {
  const first = byte();
  const width: u32 = 1 << (first & 3);
  let value = u64(first >> 2);
  for (let i: u32 = 1; i < width; i++) value |= u64(byte()) << (8 * i - 2);
  if (value > MAX_SAFE) throw new Error('portable storage: size too large');
  return value;
}

/** Reads the signature and enters the root section. */
export function openStorage(): void {
  depth = 0;
  const start = skip(9);
  if (
    load<u32>(start) != STORAGE_SIGNATURE_A ||
    load<u32>(start + 4) != STORAGE_SIGNATURE_B ||
    load<u8>(start + 8) != STORAGE_VERSION
  )
    throw new Error('portable storage: wrong signature');
}

/** Enters a section. @param type type of the value to read. @returns the number of fields. */
export function openSection(type: u32): u32 {
  if (type != STORAGE_OBJECT) throw new Error('portable storage: expected a section');
  if (++depth > u32(STORAGE_DEPTH)) throw new Error('portable storage: nested too deeply');
  const fields = size();
  if (fields > MAX_FIELDS) throw new Error('portable storage: too many fields');
  return u32(fields);
}

/** Leaves the section that was entered last. */
export function closeSection(): void {
  depth--;
}

@inline
function nameAt(i: u32): usize {
  return NAMES + ((depth << 6) + i) * 8;
}

/**
 * Reads the name and the type of a field.
 * @param i index of the field in its section.
 * @returns the type of its value.
 */
export function nextField(i: u32): u32 {
  const length = byte();
  if (length == 0) throw new Error('portable storage: an empty name');
  const name = skip(length);
  for (let j: u32 = 0; j < i; j++)
    if (load<u32>(nameAt(j) + 4) == length && memory.compare(load<u32>(nameAt(j)), name, length) == 0)
      throw new Error('portable storage: a name twice');
  store<u32>(nameAt(i), u32(name));
  store<u32>(nameAt(i) + 4, length);
  return byte();
}

/** Returns true if the field has this name. @param i index of the field, as for {@link nextField}. */
export function isNamed(i: u32, name: string): bool {
  const length = load<u32>(nameAt(i) + 4);
  if (u32(name.length) != length) return false;
  const bytes = usize(load<u32>(nameAt(i)));
  for (let j: u32 = 0; j < length; j++) if (load<u8>(bytes + j) != u8(name.charCodeAt(j))) return false;
  return true;
}

/** Enters a list. @param type type of the value to read. @returns the number of values in the list. */
export function openList(type: u32): u32 {
  const least = smallest(type & ~STORAGE_LIST);
  if ((type & STORAGE_LIST) == 0 || least == 0) throw new Error('portable storage: expected a list');
  const items = size();
  if (items > left() || items * least > left()) throw new Error('portable storage: count exceeds the input');
  return u32(items);
}

/** Returns the type of a list's values. @param type type of the list. */
export function itemType(type: u32): u32 {
  return type & ~STORAGE_LIST;
}

/** Skips a string. @returns the address of its first byte; it ends at the {@link position}. */
export function text(type: u32): usize {
  if (type != STORAGE_STRING) throw new Error('portable storage: expected a string');
  return skip(size());
}

/** Reads an unsigned integer of any width. @param type type of the value to read. */
export function unsigned(type: u32): u64 {
  if (type == STORAGE_U64) {
    const value = load<u64>(skip(8));
    if (value > MAX_SAFE) throw new Error('portable storage: integer too large');
    return value;
  }
  if (type == STORAGE_U32) return load<u32>(skip(4));
  if (type == STORAGE_U16) return load<u16>(skip(2));
  if (type == STORAGE_U8) return byte();
  throw new Error('portable storage: expected an unsigned integer');
}

/** Skips a list of 64-bit integers. @returns their number; the list ends at the {@link position}. */
export function integers(type: u32): u32 {
  const count = openList(type);
  if (count > 0 && itemType(type) != STORAGE_U64) throw new Error('portable storage: expected integers');
  const start = skip(u64(count) << 3);
  for (let value = start; value < position(); value += 8)
    if (load<u64>(value) > MAX_SAFE) throw new Error('portable storage: integer too large');
  return count;
}

/** Skips a value of any type. @param type type of the value. */
export function skipValue(type: u32): void {
  if ((type & STORAGE_LIST) != 0) {
    for (let items = openList(type); items > 0; items--) skipValue(itemType(type));
  } else if (type == STORAGE_OBJECT) {
    const fields = openSection(type);
    for (let i: u32 = 0; i < fields; i++) skipValue(nextField(i));
    closeSection();
  } else if (type == STORAGE_STRING) {
    text(type);
  } else {
    const width = smallest(type);
    if (width == 0) throw new Error('portable storage: unknown type');
    skip(width);
  }
}
