import type { SubaddressIndex } from '../../cryptonote/types.js';
import { amount, type Amount } from '../../util/amount.js';
import { hashOf, isKeyAt, KEY_BYTES } from './packed-keys.js';

/** What is known of an output that is looked out for. */
export interface Watched {
  readonly amount: Amount;
  readonly subaddress: SubaddressIndex;
  readonly height: number;
}

/** A key of 32 bytes, the amount in 8, account, minor index and height in 4 each; numbers big-endian. */
export const WATCHED_BYTES = 52;
const AMOUNT_AT = KEY_BYTES;
const MAJOR_AT = AMOUNT_AT + 8;
const MINOR_AT = MAJOR_AT + 4;
const HEIGHT_AT = MINOR_AT + 4;

const FREE = 0;
const DELETED = -1;
const SMALLEST = 16;

/** @param packed records of {@link WATCHED_BYTES}, a key any number of times. @returns them, with copies of their keys. */
export function recordsIn(packed: Uint8Array): { readonly key: Uint8Array; readonly output: Watched }[] {
  const view = viewOf(packed);
  return Array.from({ length: packed.length / WATCHED_BYTES }, (_, place) => {
    const start = place * WATCHED_BYTES;
    return { key: packed.slice(start, start + KEY_BYTES), output: readRecord(view, start) };
  });
}

const readRecord = (view: DataView, start: number): Watched => ({
  amount: amount(view.getBigUint64(start + AMOUNT_AT)),
  subaddress: { major: view.getUint32(start + MAJOR_AT), minor: view.getUint32(start + MINOR_AT) },
  height: view.getUint32(start + HEIGHT_AT),
});

/**
 * Outputs by key image or by output key, packed: a wallet may have to look out for a hundred thousand of them, and
 * a map of objects takes ten times as much.
 */
export class WatchTable {
  /** Records, one after the other, gapless. */
  #bytes: Uint8Array;
  #view: DataView;
  #size: number;
  /** Open addressing: place of the record + 1, {@link FREE} or {@link DELETED}. A power of two, never full. */
  #slots = new Int32Array(0);
  /** Slots that are not free. */
  #used = 0;

  /** @param packed records of {@link WATCHED_BYTES}, each key once. */
  constructor(packed: Uint8Array = new Uint8Array(0)) {
    this.#bytes = packed;
    this.#view = viewOf(packed);
    this.#size = packed.length / WATCHED_BYTES;
    if (!Number.isInteger(this.#size)) throw new RangeError('watched outputs: not in whole records');
    this.#index();
  }

  get size(): number {
    return this.#size;
  }

  /** @param at where the key begins. */
  get(key: Uint8Array, at = 0): Watched | undefined {
    if (this.#size === 0) return undefined;
    const slot = this.#slotOf(key, at);
    return slot < 0 ? undefined : this.#read(this.#placeIn(slot));
  }

  /** Puts an output under a key, in place of the one that stands there. */
  set(key: Uint8Array, output: Watched): void {
    const slot = this.#slotOf(key);
    if (slot >= 0) {
      this.#write(this.#placeIn(slot), key, output);
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
    const place = this.#placeIn(slot);
    const last = this.#size - 1;
    if (place !== last) {
      const end = this.#keyAt(last);
      const moved = this.#slotOf(this.#bytes, end);
      this.#bytes.copyWithin(this.#keyAt(place), end, end + WATCHED_BYTES);
      this.#slots[moved] = place + 1;
    }
    this.#slots[slot] = DELETED;
    this.#size = last;
  }

  /** Forgets what was received at or above a height. */
  detachFrom(height: number): void {
    let kept = 0;
    for (let place = 0; place < this.#size; place++) {
      const start = this.#keyAt(place);
      if (this.#view.getUint32(start + HEIGHT_AT) >= height) continue;
      if (kept !== place) this.#bytes.copyWithin(this.#keyAt(kept), start, start + WATCHED_BYTES);
      kept += 1;
    }
    if (kept === this.#size) return;
    this.#size = kept;
    this.#index();
  }

  #keyAt(place: number): number {
    return place * WATCHED_BYTES;
  }

  #placeIn(slot: number): number {
    return (this.#slots[slot] ?? FREE) - 1;
  }

  /** -1 where the key is not known. */
  #slotOf(key: Uint8Array, at = 0): number {
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(key, at) & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot];
      if (entry === undefined || entry === FREE) return -1;
      if (entry !== DELETED && isKeyAt(this.#bytes, this.#keyAt(entry - 1), key, at)) return slot;
    }
  }

  #enter(place: number): void {
    const mask = this.#slots.length - 1;
    let slot = hashOf(this.#bytes, this.#keyAt(place)) & mask;
    while ((this.#slots[slot] ?? FREE) > FREE) slot = (slot + 1) & mask;
    if (this.#slots[slot] === FREE) this.#used += 1;
    this.#slots[slot] = place + 1;
  }

  /** Room for one more. */
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

  /** Enters every record anew, with room for as many again. */
  #index(): void {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(4 * Math.max(SMALLEST, this.#size))));
    this.#used = 0;
    for (let place = 0; place < this.#size; place++) this.#enter(place);
  }

  #read(place: number): Watched {
    return readRecord(this.#view, this.#keyAt(place));
  }

  #write(place: number, key: Uint8Array, { amount: value, subaddress, height }: Watched): void {
    const start = this.#keyAt(place);
    this.#bytes.set(key, start);
    this.#view.setBigUint64(start + AMOUNT_AT, value);
    this.#view.setUint32(start + MAJOR_AT, subaddress.major);
    this.#view.setUint32(start + MINOR_AT, subaddress.minor);
    this.#view.setUint32(start + HEIGHT_AT, height);
  }
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
