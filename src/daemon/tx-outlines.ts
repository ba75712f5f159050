import type { Hash } from '../crypto/types.js';

/** What a scan tries: outputs, each with a key of its transaction that may open it. */
export interface Candidates {
  /** 32 bytes each, by transaction; of one transaction, those for every output first. */
  readonly keys: Uint8Array;
  /** One a key: the first of its rows, of which it has one at least. */
  readonly firstRows: Uint32Array;
  /** One a row: the transaction, the output's place in it, its view tag as {@link ScanBatch.viewTags}. */
  readonly txs: Uint32Array;
  readonly outputIndices: Uint32Array;
  readonly viewTags: Uint16Array;
  /** One a row: the output's key, 32 bytes. */
  readonly outputs: Uint8Array;
}

/** One value a transaction, but for `images`; places are offsets in `bytes`. */
export interface TxColumns {
  readonly bytes: Uint8Array;
  /** 32 bytes each. */
  readonly hashes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly versions: Uint8Array;
  readonly rewards: Uint8Array;
  readonly outputCounts: Uint32Array;
  /** Where the places of its outputs lie, 8 bytes each. */
  readonly indices: Uint32Array;
  /** Of its inputs, among `images`. */
  readonly firstImages: Uint32Array;
  /** Places of key images. */
  readonly images: Uint32Array;
}

/** Transactions as places in their encoding: most are not ours, and are never built. */
export class TxOutlines {
  readonly count: number;
  readonly candidates: Candidates;
  readonly #columns: TxColumns;
  readonly #view: DataView;

  constructor(columns: TxColumns, candidates: Candidates) {
    this.count = columns.starts.length;
    this.candidates = candidates;
    this.#columns = columns;
    const { bytes } = columns;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** A copy. */
  hash(tx: number): Hash {
    return this.#columns.hashes.slice(32 * tx, 32 * tx + 32) as Hash;
  }

  /** Its encoding, sharing memory with all others. */
  blob(tx: number): Uint8Array {
    const { bytes, starts, ends } = this.#columns;
    return bytes.subarray(starts[tx], ends[tx]);
  }

  version(tx: number): 1 | 2 {
    return this.#columns.versions[tx] === 1 ? 1 : 2;
  }

  /** A miner's reward. */
  isReward(tx: number): boolean {
    return this.#columns.rewards[tx] === 1;
  }

  outputCount(tx: number): number {
    return this.#columns.outputCounts[tx] ?? 0;
  }

  /** Place of an output among all of its amount. @param output place in the transaction. */
  globalIndex(tx: number, output: number): number {
    if (output >= this.outputCount(tx)) throw new RangeError('an output that is not there');
    const at = (this.#columns.indices[tx] ?? 0) + 8 * output;
    return this.#view.getUint32(at, true) + this.#view.getUint32(at + 4, true) * 2 ** 32;
  }

  /** How many of the keys of {@link candidates} belong to transactions before one. */
  keysBefore(tx: number): number {
    const { firstRows, txs } = this.candidates;
    let low = 0;
    let high = firstRows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((txs[firstRows[middle] ?? 0] ?? 0) < tx) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The bytes that key images of inputs lie in, and calls back with the place of each of a transaction. */
  eachKeyImage(tx: number, take: (bytes: Uint8Array, at: number) => void): void {
    const { bytes, firstImages, images } = this.#columns;
    const end = firstImages[tx + 1] ?? images.length;
    for (let i = firstImages[tx] ?? end; i < end; i++) take(bytes, images[i] ?? 0);
  }
}
