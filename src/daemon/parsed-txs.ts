import type { Hash } from '../monero/crypto/types.js';

/** Outputs and transaction public keys that a scan reads, in the order of the transactions. */
export interface Candidates {
  /** First output, by transaction. */
  readonly firstOutputs: Uint32Array;
  /** Output key (32 bytes), by output. */
  readonly outputs: Uint8Array;
  /** Index within the transaction, by output. */
  readonly outputIndices: Uint32Array;
  /** View tag as in {@link ScanBatch.viewTags}, by output. */
  readonly viewTags: Uint16Array;
  /** First key, by transaction. */
  readonly firstKeys: Uint32Array;
  /** Number of keys that are tried with every output, by transaction. */
  readonly mainKeys: Uint32Array;
  /** Transaction public keys of 32 bytes: the main keys of a transaction, then one for each of its first outputs. */
  readonly keys: Uint8Array;
}

/** Columns of one value for each transaction, apart from `images`; positions are offsets in `bytes`. */
export interface TxColumns extends Candidates {
  readonly bytes: Uint8Array;
  /** Transaction hashes of 32 bytes. */
  readonly hashes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly versions: Uint8Array;
  readonly rewards: Uint8Array;
  /** Byte offset of the global indices of its outputs, 8 bytes each. */
  readonly indices: Uint32Array;
  /** Index of its first key image in `images`. */
  readonly firstImages: Uint32Array;
  /** Byte offsets of key images. */
  readonly images: Uint32Array;
}

/** Transactions as offsets in their encoding: most do not concern the wallet, and are never built as values. */
export class ParsedTxs {
  readonly count: number;
  readonly #columns: TxColumns;
  readonly #view: DataView;

  constructor(columns: TxColumns) {
    this.count = columns.starts.length;
    this.#columns = columns;
    const { bytes } = columns;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** @returns a copy of the hash. */
  hash(tx: number): Hash {
    return this.#columns.hashes.slice(32 * tx, 32 * tx + 32) as Hash;
  }

  /** @returns the encoding, which shares memory with all others. */
  blob(tx: number): Uint8Array {
    const { bytes, starts, ends } = this.#columns;
    return bytes.subarray(starts[tx], ends[tx]);
  }

  version(tx: number): 1 | 2 {
    return this.#columns.versions[tx] === 1 ? 1 : 2;
  }

  isCoinbase(tx: number): boolean {
    return this.#columns.rewards[tx] === 1;
  }

  outputCount(tx: number): number {
    return this.#outputsBefore(tx + 1) - this.#outputsBefore(tx);
  }

  /** Global index of an output among all outputs of its amount. @param output index within the transaction. */
  globalIndex(tx: number, output: number): number {
    if (output >= this.outputCount(tx)) throw new RangeError('no output has this index');
    const at = (this.#columns.indices[tx] ?? 0) + 8 * output;
    return this.#view.getUint32(at, true) + this.#view.getUint32(at + 4, true) * 2 ** 32;
  }

  get candidates(): Candidates {
    return this.#columns;
  }

  /** Number of transaction public keys of the transactions before `tx`. */
  keysBefore(tx: number): number {
    const { firstKeys, keys } = this.#columns;
    return firstKeys[tx] ?? keys.length / 32;
  }

  /** Calls `visit` with the bytes and the offset of each key image of a transaction. */
  eachKeyImage(tx: number, visit: (bytes: Uint8Array, offset: number) => void): void {
    const { bytes, firstImages, images } = this.#columns;
    const end = firstImages[tx + 1] ?? images.length;
    for (let i = firstImages[tx] ?? end; i < end; i++) visit(bytes, images[i] ?? 0);
  }

  #outputsBefore(tx: number): number {
    const { firstOutputs, outputIndices } = this.#columns;
    return firstOutputs[tx] ?? outputIndices.length;
  }
}
