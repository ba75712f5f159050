import type { KeyImage } from '../../monero/crypto/types.js';
import type { ParsedTxs } from '../../monero/wallet/scan/block-page.js';
import { bytes32, toLatin1 } from '../../util/bytes.js';
import type { FoundOutput } from '../../monero/wallet/scan/found-output.js';
import type { OwnedOutput } from '../../monero/wallet/scan/findings.js';
import { unpackKeyImages, type OutputKeyImage, type WatchedOutputs } from './scanner-state.js';
import {
  unpackWatchedOutputs,
  WatchTable,
  type WatchedOutput,
} from '../../monero/wallet/scan/watch-table.js';

/** An output of the wallet that a transaction spends. */
export interface SpentOutput extends WatchedOutput {
  readonly keyImage: KeyImage;
}

const NONE: readonly SpentOutput[] = [];

/**
 * Watched outputs by key. A key is watched while any output has it. Only the store decides which of several outputs a
 * spend of the key takes, and so the amount of the spend: `OutgoingWriter.confirm`.
 */
class WatchedKeys {
  readonly #table: WatchTable;
  /** All outputs whose key more than one output has, by key. */
  readonly #reused = new Map<string, { readonly key: Uint8Array; outputs: WatchedOutput[] }>();

  /**
   * @param packed records of a {@link WatchTable}, one per key.
   * @param others records of further outputs on the same keys.
   */
  constructor(packed: Uint8Array, others: Uint8Array = new Uint8Array(0)) {
    this.#table = new WatchTable(packed);
    for (const { key, output } of unpackWatchedOutputs(others)) {
      // If the key is not watched any more, its output was spent so deep in the chain that no reorganisation undoes the
      // spend.
      if (this.#table.get(key) !== undefined) this.#join(key, output);
    }
  }

  get size(): number {
    return this.#table.size;
  }

  get(key: Uint8Array, at?: number): WatchedOutput | undefined {
    return this.#table.get(key, at);
  }

  /** Adds an output; an output that is watched already is not added twice. */
  add(key: Uint8Array, { amount, subaddress, height }: WatchedOutput): void {
    const output = { amount, subaddress, height };
    const known = this.#table.get(key);
    if (known === undefined) this.#table.set(key, output);
    else if (!this.#has(key, output, known)) this.#join(key, output);
  }

  /** Removes all outputs on a key and returns them. */
  take(key: Uint8Array): readonly WatchedOutput[] {
    const name = toLatin1(key);
    const known = this.#table.get(key);
    const outputs = this.#reused.get(name)?.outputs ?? (known === undefined ? [] : [known]);
    this.#reused.delete(name);
    this.#table.delete(key);
    return outputs;
  }

  /** Removes outputs that were received at the heights from `from` to `to`, both inclusive. */
  detach(from: number, to: number): void {
    this.#table.detach(from, to);
    for (const [name, reused] of this.#reused) {
      const { key, outputs } = reused;
      reused.outputs = outputs.filter(({ height }) => height < from || height > to);
      if (reused.outputs.length === outputs.length) continue;
      if (reused.outputs.length < 2) this.#reused.delete(name);
      const [first] = reused.outputs;
      if (first !== undefined) this.#table.set(key, first);
    }
  }

  /**
   * True if an output is watched, or is among the further outputs on its key.
   * @param known output that is watched on the key.
   */
  #has(key: Uint8Array, output: WatchedOutput, known: WatchedOutput): boolean {
    const outputs = this.#reused.get(toLatin1(key))?.outputs ?? [known];
    return outputs.some(
      ({ amount, subaddress, height }) =>
        amount === output.amount &&
        height === output.height &&
        subaddress.major === output.subaddress.major &&
        subaddress.minor === output.subaddress.minor,
    );
  }

  /** Adds a further output on a key that is already watched. */
  #join(key: Uint8Array, output: WatchedOutput): void {
    const name = toLatin1(key);
    const known = this.#table.get(key);
    const reused = this.#reused.get(name) ?? {
      key: Uint8Array.from(key),
      outputs: known === undefined ? [] : [known],
    };
    reused.outputs.push(output);
    this.#reused.set(name, reused);
  }
}

/** The outputs of a wallet whose spends are recognised, and the outputs whose key images are still unknown. */
export class WatchList {
  /** Outputs with a known key image, by key image. */
  readonly #withKeyImage: WatchedKeys;
  /** Outputs without a known key image, by output key. */
  readonly #withoutKeyImage: WatchedKeys;
  /** Imported key images, by output key. */
  readonly #importedKeyImages = new Map<string, KeyImage>();
  /** Outputs that the transaction of the current call of {@link spentBy} spends. */
  #spent = NONE;

  constructor({ withKeyImage, withoutKeyImage, reused, importedKeyImages }: WatchedOutputs) {
    this.#withKeyImage = new WatchedKeys(withKeyImage, reused?.withKeyImage);
    this.#withoutKeyImage = new WatchedKeys(withoutKeyImage, reused?.withoutKeyImage);
    this.importKeyImages(unpackKeyImages(importedKeyImages));
  }

  add(output: OwnedOutput): void {
    if (output.keyImage !== undefined) this.#withKeyImage.add(output.keyImage, output);
    else this.#withoutKeyImage.add(output.publicKey, output);
  }

  /**
   * Adds imported key images: the spends of their outputs are recognised from now on, whether the outputs are already
   * found or not.
   */
  importKeyImages(keyImages: Iterable<OutputKeyImage>): void {
    for (const { publicKey, keyImage } of keyImages) {
      this.#importedKeyImages.set(toLatin1(publicKey), keyImage);
      for (const output of this.#withoutKeyImage.take(publicKey)) this.#withKeyImage.add(keyImage, output);
    }
  }

  /** Removes outputs that were received at the heights from `from` to `to`, both inclusive. */
  detach(from: number, to: number): void {
    this.#withKeyImage.detach(from, to);
    this.#withoutKeyImage.detach(from, to);
  }

  /** Finds the outputs of this wallet that a transaction spends. @param tx index of the transaction in `txs`. */
  spentBy(txs: ParsedTxs, tx: number): readonly SpentOutput[] {
    this.#spent = NONE;
    if (this.#withKeyImage.size > 0) txs.eachKeyImage(tx, this.#noteSpent);
    return this.#spent;
  }

  /** One callback for all transactions: a new closure for each transaction made up a fifth of the garbage of a scan. */
  readonly #noteSpent = (bytes: Uint8Array, at: number): void => {
    const output = this.#withKeyImage.get(bytes, at);
    if (output === undefined) return;
    const keyImage = bytes32<'KeyImage'>(bytes.subarray(at, at + 32), 'KeyImage');
    this.#spent = [...this.#spent, { ...output, keyImage }];
  };

  /** Returns the output with its imported key image, if the output has no key image. */
  withKeyImage(output: FoundOutput): FoundOutput {
    if (output.keyImage !== undefined) return output;
    const keyImage = this.#importedKeyImages.get(toLatin1(output.publicKey));
    return keyImage === undefined ? output : { ...output, keyImage };
  }
}
