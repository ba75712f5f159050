import type { SubaddressIndex } from '../../cryptonote/types.js';
import { amount, type Amount } from '../../../util/amount.js';
import { hashOf, isKeyAt, KEY_BYTES } from './spend-key-index.js';

/** Facts of an output whose spend the scanner recognises. */
export interface WatchedOutput {
  readonly amount: Amount;
  readonly subaddress: SubaddressIndex;
  readonly height: number;
}

/** Size of a record [bytes]: the key has 32 bytes, the amount 8, account, minor index and height 4 each; big-endian. */
export const WATCHED_BYTES = 52;
const AMOUNT_AT = KEY_BYTES;
const MAJOR_AT = AMOUNT_AT + 8;
const MINOR_AT = MAJOR_AT + 4;
const HEIGHT_AT = MINOR_AT + 4;

const FREE = 0;
const DELETED = -1;
const SMALLEST = 16;

/** Unpacks records of {@link WATCHED_BYTES}, in which a key may occur several times. Keys are copied. */
export function unpackWatchedOutputs(
  packed: Uint8Array,
): { readonly key: Uint8Array; readonly output: WatchedOutput }[] {
  const view = viewOf(packed);
  return Array.from({ length: packed.length / WATCHED_BYTES }, (_, record) => {
    const start = record * WATCHED_BYTES;
    return { key: packed.slice(start, start + KEY_BYTES), output: readRecord(view, start) };
  });
}

const readRecord = (view: DataView, start: number): WatchedOutput => ({
  amount: amount(view.getBigUint64(start + AMOUNT_AT)),
  subaddress: { major: view.getUint32(start + MAJOR_AT), minor: view.getUint32(start + MINOR_AT) },
  height: view.getUint32(start + HEIGHT_AT),
});

/**
 * Packed hash table of outputs, by key image or by output key. A wallet may have a hundred thousand such outputs; a map
 * of objects would take ten times the memory.
 */
export class WatchTable {
  /** Records of {@link WATCHED_BYTES}, joined; memory after the last record is reserved for more. */
  #bytes: Uint8Array;
  #view: DataView;
  #size: number;
  /**
   * Slots of a hash table with open addressing, each with the number of its record + 1, {@link FREE} or {@link
   * DELETED}. The number of slots is a power of two, and some slots are always free.
   */
  #slots = new Int32Array(0);
  /** Number of slots that are not free. */
  #used = 0;

  /** @param packed records of {@link WATCHED_BYTES}; each key must occur once. */
  constructor(packed: Uint8Array = new Uint8Array(0)) {
    this.#bytes = packed;
    this.#view = viewOf(packed);
    this.#size = packed.length / WATCHED_BYTES;
    if (!Number.isInteger(this.#size))
      throw new RangeError('watched outputs: the size is not a multiple of a record');
    this.#index();
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the output with a key. @param at offset of the key in `key` [bytes]. */
  get(key: Uint8Array, at = 0): WatchedOutput | undefined {
    if (this.#size === 0) return undefined;
    const slot = this.#slotOf(key, at);
    return slot < 0 ? undefined : this.#read(this.#recordIn(slot));
  }

  /** Adds the output of a key, or replaces it. */
  set(key: Uint8Array, output: WatchedOutput): void {
    const slot = this.#slotOf(key);
    if (slot >= 0) {
      this.#write(this.#recordIn(slot), key, output);
      return;
    }
    this.#reserve();
    this.#write(this.#size, key, output);
    this.#enter(this.#size);
    this.#size += 1;
  }

  delete(key: Uint8Array): void {
    const slot = this.#slotOf(key);
    if (slot < 0) return;
    // The last record takes the place of the deleted record.
    const record = this.#recordIn(slot);
    const last = this.#keyAt(this.#size - 1);
    const moved = this.#slotOf(this.#bytes, last);
    this.#bytes.copyWithin(this.#keyAt(record), last, last + WATCHED_BYTES);
    this.#slots[moved] = record + 1;
    this.#slots[slot] = DELETED;
    this.#size -= 1;
  }

  /** Removes the outputs that were received at the heights from `from` to `to`, both inclusive. */
  detach(from: number, to: number): void {
    let keptCount = 0;
    for (let record = 0; record < this.#size; record++) {
      const start = this.#keyAt(record);
      const height = this.#view.getUint32(start + HEIGHT_AT);
      if (height >= from && height <= to) continue;
      if (keptCount !== record) this.#bytes.copyWithin(this.#keyAt(keptCount), start, start + WATCHED_BYTES);
      keptCount += 1;
    }
    if (keptCount === this.#size) return;
    this.#size = keptCount;
    this.#index();
  }

  #keyAt(record: number): number {
    return record * WATCHED_BYTES;
  }

  #recordIn(slot: number): number {
    return (this.#slots[slot] ?? FREE) - 1;
  }

  /** Returns the slot of a key; -1 if the table lacks the key. */
  #slotOf(key: Uint8Array, at = 0): number {
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(key, at) & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot];
      if (entry === undefined || entry === FREE) return -1;
      if (entry !== DELETED && isKeyAt(this.#bytes, this.#keyAt(entry - 1), key, at)) return slot;
    }
  }

  #enter(record: number): void {
    const mask = this.#slots.length - 1;
    let slot = hashOf(this.#bytes, this.#keyAt(record)) & mask;
    while ((this.#slots[slot] ?? FREE) > FREE) slot = (slot + 1) & mask;
    if (this.#slots[slot] === FREE) this.#used += 1;
    this.#slots[slot] = record + 1;
  }

  /** Ensures that there is memory for one more record. */
  #reserve(): void {
    if (this.#keyAt(this.#size + 1) > this.#bytes.length) {
      const room = Math.max(SMALLEST, Math.ceil(this.#size * 1.5));
      const bytes = new Uint8Array(this.#keyAt(room));
      bytes.set(this.#bytes.subarray(0, this.#keyAt(this.#size)));
      this.#bytes = bytes;
      this.#view = viewOf(bytes);
    }
    if (2 * (this.#used + 1) > this.#slots.length) this.#index();
  }

  /** Computes the slots again, with space for twice as many records. */
  #index(): void {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(4 * Math.max(SMALLEST, this.#size))));
    this.#used = 0;
    for (let record = 0; record < this.#size; record++) this.#enter(record);
  }

  #read(record: number): WatchedOutput {
    return readRecord(this.#view, this.#keyAt(record));
  }

  #write(record: number, key: Uint8Array, { amount: value, subaddress, height }: WatchedOutput): void {
    const start = this.#keyAt(record);
    this.#bytes.set(key, start);
    this.#view.setBigUint64(start + AMOUNT_AT, value);
    this.#view.setUint32(start + MAJOR_AT, subaddress.major);
    this.#view.setUint32(start + MINOR_AT, subaddress.minor);
    this.#view.setUint32(start + HEIGHT_AT, height);
  }
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
