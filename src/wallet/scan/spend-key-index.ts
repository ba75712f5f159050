import type { SubaddressIndex } from '../../cryptonote/types.js';
import { hashOf, isKeyAt, KEY_BYTES } from './packed-keys.js';

const FIRST_CAPACITY = 1024;

/**
 * Hash table from spend keys to address indices, packed to some 60 bytes per entry since there may be hundreds of
 * thousands. A slot follows from the first bytes of a key; a sender of foreign keys cannot influence where the stored
 * ones are placed.
 */
export class SpendKeyIndex {
  #size = 0;
  #keys = new Uint8Array(KEY_BYTES * FIRST_CAPACITY);
  /** Major and minor index of each entry. */
  #indices = new Uint32Array(2 * FIRST_CAPACITY);
  /** Entry number + 1, 0 for a free slot. At most half are in use. */
  #slots = new Uint32Array(2 * FIRST_CAPACITY);

  get size(): number {
    return this.#size;
  }

  find(key: Uint8Array): SubaddressIndex | undefined {
    const entry = (this.#slots[this.#slotOf(key)] ?? 0) - 1;
    if (entry < 0) return undefined;
    return { major: this.#indices[2 * entry] ?? 0, minor: this.#indices[2 * entry + 1] ?? 0 };
  }

  /** Inserts a key, or replaces its index. @param key 32 bytes. */
  set(key: Uint8Array, { major, minor }: SubaddressIndex): void {
    const slot = this.#slotOf(key);
    const known = this.#slots[slot] ?? 0;
    const entry = known === 0 ? this.#size : known - 1;
    this.#indices[2 * entry] = major;
    this.#indices[2 * entry + 1] = minor;
    if (known !== 0) return;
    this.#keys.set(key, KEY_BYTES * entry);
    this.#slots[slot] = entry + 1;
    this.#size += 1;
    if (2 * this.#size === this.#slots.length) this.#grow();
  }

  /** Slot of a key, or the free slot for it. */
  #slotOf(key: Uint8Array): number {
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(key) & mask; ; slot = (slot + 1) & mask) {
      const entry = (this.#slots[slot] ?? 0) - 1;
      if (entry < 0 || isKeyAt(this.#keys, KEY_BYTES * entry, key)) return slot;
    }
  }

  #grow(): void {
    const keys = this.#keys;
    const indices = this.#indices;
    this.#keys = new Uint8Array(2 * keys.length);
    this.#keys.set(keys);
    this.#indices = new Uint32Array(2 * indices.length);
    this.#indices.set(indices);
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let entry = 0; entry < this.#size; entry++) {
      const slot = this.#slotOf(keys.subarray(KEY_BYTES * entry, KEY_BYTES * (entry + 1)));
      this.#slots[slot] = entry + 1;
    }
  }
}
