import type { SubaddressIndex } from '../../cryptonote/types.js';

const FIRST_CAPACITY = 256;

/** Factor by which the capacity grows when it is used up. */
const GROWTH = 1.5;

/** Largest share of the slots that may be in use. */
const MAX_LOAD = 0.75;

/** Largest number that is stored with 16 bits: of an entry, or of an account or address. */
const MAX_SHORT = 0xffff;

/**
 * Number of stored bytes of a key, its first ones. To make another key with those of one of n stored keys takes a sender
 * 2^128 / n attempts, as many as to find the secret key of one of them.
 */
const STORED_BYTES = 16;

/**
 * Hash table from spend keys to address indices. It is packed to about 24 bytes per entry, because there may be
 * hundreds of thousands. The first bytes of a key give its slot; a sender who invents keys cannot influence the slots
 * of the stored keys.
 */
export class SpendKeyIndex {
  #size = 0;
  #capacity = 0;
  /** First {@link STORED_BYTES} of the key of each entry. */
  #keys = new Uint8Array(0);
  /** Major and minor index of each entry. */
  #indices: Uint16Array | Uint32Array = new Uint16Array(0);
  /** For each slot, the number of its entry + 1, or 0 if the slot is free. The number of slots is a power of two. */
  #slots: Uint16Array | Uint32Array = new Uint16Array(1);

  get size(): number {
    return this.#size;
  }

  find(key: Uint8Array): SubaddressIndex | undefined {
    const entry = (this.#slots[this.#slotOf(key, 0)] ?? 0) - 1;
    if (entry < 0) return undefined;
    return { major: this.#indices[2 * entry] ?? 0, minor: this.#indices[2 * entry + 1] ?? 0 };
  }

  /** Reserves memory for exactly the given number of further entries. */
  reserve(entries: number): void {
    if (this.#size + entries > this.#capacity) this.#resize(this.#size + entries);
  }

  /** Adds a key, or replaces its index. @param at offset of the key's 32 bytes in `key`. */
  set(key: Uint8Array, { major, minor }: SubaddressIndex, at = 0): void {
    let slot = this.#slotOf(key, at);
    const known = this.#slots[slot] ?? 0;
    if (known === 0 && this.#size === this.#capacity) {
      this.#resize(Math.max(FIRST_CAPACITY, Math.ceil(GROWTH * this.#capacity)));
      slot = this.#slotOf(key, at);
    }
    const entry = known === 0 ? this.#size : known - 1;
    if (Math.max(major, minor) > MAX_SHORT && this.#indices instanceof Uint16Array)
      this.#indices = Uint32Array.from(this.#indices);
    this.#indices[2 * entry] = major;
    this.#indices[2 * entry + 1] = minor;
    if (known !== 0) return;
    for (let i = 0; i < STORED_BYTES; i++) this.#keys[STORED_BYTES * entry + i] = key[at + i] ?? 0;
    this.#slots[slot] = entry + 1;
    this.#size += 1;
  }

  /** Returns the slot of a key, or the free slot in which it belongs. */
  #slotOf(key: Uint8Array, at: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(key, at) & mask; ; slot = (slot + 1) & mask) {
      const entry = (this.#slots[slot] ?? 0) - 1;
      if (entry < 0 || isKeyAt(this.#keys, STORED_BYTES * entry, key, at, STORED_BYTES)) return slot;
    }
  }

  #resize(capacity: number): void {
    const keys = this.#keys;
    const indices = this.#indices;
    this.#capacity = capacity;
    this.#keys = new Uint8Array(STORED_BYTES * capacity);
    this.#keys.set(keys);
    this.#indices =
      indices instanceof Uint16Array ? new Uint16Array(2 * capacity) : new Uint32Array(2 * capacity);
    this.#indices.set(indices);
    const slots = 2 ** Math.ceil(Math.log2(capacity / MAX_LOAD));
    const isShort = capacity <= MAX_SHORT;
    if (slots === this.#slots.length && isShort === this.#slots instanceof Uint16Array) return;
    this.#slots = isShort ? new Uint16Array(slots) : new Uint32Array(slots);
    for (let entry = 0; entry < this.#size; entry++)
      this.#slots[this.#slotOf(keys, STORED_BYTES * entry)] = entry + 1;
  }
}

export const KEY_BYTES = 32;

/**
 * Returns the hash of a key for a hash table: its first four bytes. Keys are hashes or points, so these bytes are as
 * good as random.
 */
export const hashOf = (key: Uint8Array, at = 0): number =>
  (key[at] ?? 0) | ((key[at + 1] ?? 0) << 8) | ((key[at + 2] ?? 0) << 16) | ((key[at + 3] ?? 0) << 24);

/**
 * Compares a key with the packed key at `start`, in variable time: for public keys and key images only.
 * @param bytes number of compared bytes.
 */
export function isKeyAt(
  packed: Uint8Array,
  start: number,
  key: Uint8Array,
  at = 0,
  bytes = KEY_BYTES,
): boolean {
  for (let i = 0; i < bytes; i++) if (packed[start + i] !== key[at + i]) return false;
  return true;
}
