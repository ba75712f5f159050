import { indexOfBytes } from '#platform/hex.js';
import { bytes32 } from '../../../util/bytes.js';
import type { PublicKey } from '../../crypto/types.js';
import type { SubaddressIndex } from '../../cryptonote/types.js';

/** Spend public key and index of an address. */
export interface SubaddressKey {
  readonly index: SubaddressIndex;
  readonly spendPublicKey: PublicKey;
}

/** Size of a packed entry [bytes]. */
export const ENTRY_BYTES = 40;

/**
 * Subaddresses in entries of {@link ENTRY_BYTES}: a spend key of 32 bytes, then major and minor index, u32 big-endian.
 */
export type PackedSubaddresses = Uint8Array;

/** Packs entries one by one. */
class EntryWriter {
  readonly packed: PackedSubaddresses;
  readonly #view: DataView;

  constructor(count: number) {
    this.packed = new Uint8Array(ENTRY_BYTES * count);
    this.#view = new DataView(this.packed.buffer);
  }

  /** Writes entry number `i`. */
  write(i: number, spendPublicKey: Uint8Array, major: number, minor: number): void {
    const at = ENTRY_BYTES * i;
    this.packed.set(spendPublicKey, at);
    this.#view.setUint32(at + 32, major);
    this.#view.setUint32(at + 36, minor);
  }
}

/**
 * Packs consecutive addresses of an account.
 * @param spendKeys 32 bytes each.
 * @param from minor index of the first address.
 */
export function packSubaddresses(spendKeys: Uint8Array, major: number, from: number): PackedSubaddresses {
  const count = spendKeys.length / 32;
  const entries = new EntryWriter(count);
  for (let i = 0; i < count; i++) entries.write(i, spendKeys.subarray(32 * i, 32 * i + 32), major, from + i);
  return entries.packed;
}

/** Packs keys in their order. */
export function packKeys(keys: readonly SubaddressKey[]): PackedSubaddresses {
  const entries = new EntryWriter(keys.length);
  keys.forEach(({ index, spendPublicKey }, i) => {
    entries.write(i, spendPublicKey, index.major, index.minor);
  });
  return entries.packed;
}

const ENTRY_WORDS = ENTRY_BYTES / 4;

/** Number of parts into which {@link partsOf} divides entries. */
const PARTS = 16;

/** Returns the part to which a key belongs: the key's first four bits. @param at offset of the key. */
export const partOf = (key: Uint8Array, at = 0): number => (key[at] ?? 0) >> 4;

/** Divides entries by the parts of their keys. @returns {@link PARTS} lists, in which entries keep their order. */
export function partsOf(packed: PackedSubaddresses): PackedSubaddresses[] {
  // Entries are copied word by word: creating a typed array for each entry would take ten times as long.
  const words = new Uint32Array(Uint8Array.from(packed).buffer);
  const entries = packed.length / ENTRY_BYTES;
  const sizes = new Uint32Array(PARTS);
  for (let entry = 0; entry < entries; entry++) {
    const part = partOf(packed, ENTRY_BYTES * entry);
    sizes[part] = (sizes[part] ?? 0) + ENTRY_WORDS;
  }
  const parts = Array.from(sizes, (size) => new Uint32Array(size));
  const ends = new Uint32Array(PARTS);
  for (let entry = 0; entry < entries; entry++) {
    const part = partOf(packed, ENTRY_BYTES * entry);
    const to = parts[part];
    const end = ends[part] ?? 0;
    if (to !== undefined)
      for (let i = 0; i < ENTRY_WORDS; i++) to[end + i] = words[ENTRY_WORDS * entry + i] ?? 0;
    ends[part] = end + ENTRY_WORDS;
  }
  return parts.map(({ buffer }) => new Uint8Array(buffer));
}

/** Reads the address index of the entry at an offset. */
function indexAt({ buffer, byteOffset, length }: PackedSubaddresses, at: number): SubaddressIndex {
  const view = new DataView(buffer, byteOffset, length);
  return { major: view.getUint32(at + 32), minor: view.getUint32(at + 36) };
}

/** Returns the address index of a spend key, searching entries in any order; undefined if no entry has the key. */
export function findPacked(
  packed: PackedSubaddresses,
  spendPublicKey: PublicKey,
): SubaddressIndex | undefined {
  // A match may begin inside an entry, so its offset is checked.
  for (
    let at = indexOfBytes(packed, spendPublicKey);
    at >= 0;
    at = indexOfBytes(packed, spendPublicKey, at + 1)
  )
    if (at % ENTRY_BYTES === 0) return indexAt(packed, at);
  return undefined;
}

/**
 * Reads packed entries in their order.
 * @param onEntry receives the address index of an entry, and the offset of its spend key in `packed`.
 */
export function eachSubaddress(
  packed: PackedSubaddresses,
  onEntry: (index: SubaddressIndex, at: number) => void,
): void {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  for (let at = 0; at + ENTRY_BYTES <= packed.length; at += ENTRY_BYTES)
    onEntry({ major: view.getUint32(at + 32), minor: view.getUint32(at + 36) }, at);
}

/** Unpacks entries in their order; the keys are copied. */
export function unpackSubaddresses(packed: PackedSubaddresses): SubaddressKey[] {
  const keys: SubaddressKey[] = [];
  eachSubaddress(packed, (index, at) => {
    const spendPublicKey: PublicKey = bytes32<'PublicKey'>(packed.slice(at, at + 32), 'PublicKey');
    keys.push({ index, spendPublicKey });
  });
  return keys;
}
