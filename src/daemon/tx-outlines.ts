import type { Hash } from '../crypto/types.js';

/** What a scan reads: outputs and keys of all transactions, in their order. */
export interface Candidates {
  /** One a transaction: its first output. */
  readonly firstOutputs: Uint32Array;
  /** One an output: its key, 32 bytes. */
  readonly outputs: Uint8Array;
  /** One an output: its place in its transaction, and its view tag as {@link ScanBatch.viewTags}. */
  readonly outputIndices: Uint32Array;
  readonly viewTags: Uint16Array;
  /** One a transaction: its first key, and the number of its keys that are tried with all of its outputs. */
  readonly firstKeys: Uint32Array;
  readonly mainKeys: Uint32Array;
  /** Public keys of 32 bytes: the main keys of a transaction, then one for each of its first outputs. */
  readonly keys: Uint8Array;
}

/** One value a transaction, but for `images`; places are offsets in `bytes`. */
export interface TxColumns extends Candidates {
  readonly bytes: Uint8Array;
  /** 32 bytes each. */
  readonly hashes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly versions: Uint8Array;
  readonly rewards: Uint8Array;
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
  readonly #columns: TxColumns;
  readonly #view: DataView;

  constructor(columns: TxColumns) {
    this.count = columns.starts.length;
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
    return this.#outputsBefore(tx + 1) - this.#outputsBefore(tx);
  }

  /** Place of an output among all of its amount. @param output place in the transaction. */
  globalIndex(tx: number, output: number): number {
    if (output >= this.outputCount(tx)) throw new RangeError('an output that is not there');
    const at = (this.#columns.indices[tx] ?? 0) + 8 * output;
    return this.#view.getUint32(at, true) + this.#view.getUint32(at + 4, true) * 2 ** 32;
  }

  get candidates(): Candidates {
    return this.#columns;
  }

  /** Number of public keys to be tried of the transactions before one. */
  keysBefore(tx: number): number {
    const { firstKeys, keys } = this.#columns;
    return firstKeys[tx] ?? keys.length / 32;
  }

  /** The bytes that key images of inputs lie in, and calls back with the place of each of a transaction. */
  eachKeyImage(tx: number, take: (bytes: Uint8Array, at: number) => void): void {
    const { bytes, firstImages, images } = this.#columns;
    const end = firstImages[tx + 1] ?? images.length;
    for (let i = firstImages[tx] ?? end; i < end; i++) take(bytes, images[i] ?? 0);
  }

  #outputsBefore(tx: number): number {
    const { firstOutputs, outputIndices } = this.#columns;
    return firstOutputs[tx] ?? outputIndices.length;
  }
}
