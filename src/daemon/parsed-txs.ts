import type { Hash } from '../monero/crypto/types.js';
import { keysBefore, type Candidates } from '../monero/wallet/scan/output-matches.js';

/** Columns with one value for each transaction, except `images`. Positions are byte offsets in `bytes`. */
export interface TxColumns extends Candidates {
  readonly bytes: Uint8Array;
  /** Transaction hashes, 32 bytes each. */
  readonly hashes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly versions: Uint8Array;
  readonly rewards: Uint8Array;
  /** Byte offset of the global indices of the transaction's outputs, 8 bytes each. */
  readonly indices: Uint32Array;
  /** Index in `images` of the transaction's first key image. */
  readonly firstImages: Uint32Array;
  /** Byte offsets of the key images of all transactions. */
  readonly images: Uint32Array;
}

/**
 * Parsed transactions as offsets into their encoding. Most transactions do not concern the wallet and are never built
 * as objects.
 */
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

  /** Returns a copy of a transaction's hash. @param tx index of the transaction. */
  hash(tx: number): Hash {
    return this.#columns.hashes.slice(32 * tx, 32 * tx + 32) as Hash;
  }

  /** Returns the encoding of a transaction as a view of shared memory. @param tx index of the transaction. */
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

  /**
   * Returns the global index of an output among all outputs of its amount.
   * @param output index of the output in its transaction.
   */
  globalIndex(tx: number, output: number): number {
    if (output >= this.outputCount(tx)) throw new RangeError('no output has this index');
    const at = (this.#columns.indices[tx] ?? 0) + 8 * output;
    return this.#view.getUint32(at, true) + this.#view.getUint32(at + 4, true) * 2 ** 32;
  }

  get candidates(): Candidates {
    return this.#columns;
  }

  /** Returns the number of transaction public keys of all transactions before `tx`. */
  keysBefore(tx: number): number {
    return keysBefore(this.#columns, tx);
  }

  /** Calls `visit` for each key image of a transaction, with the bytes that contain it and its offset in them. */
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
