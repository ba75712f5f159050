import type { KeyImage } from '../../monero/crypto/types.js';
import type { ParsedTxs } from '../../daemon/parsed-txs.js';
import { bytes32, toLatin1 } from '../../util/bytes.js';
import type { FoundOutput } from '../../monero/wallet/scan/receive.js';
import type { OwnedOutput } from '../../monero/wallet/model/records.js';
import { unpackKeyImages, type OutputKeyImage, type PackedKeyImages } from './packed-key-images.js';
import {
  unpackWatchedOutputs,
  WatchTable,
  type WatchedOutput,
} from '../../monero/wallet/scan/watch-table.js';

/** Packed outputs as a {@link WatchTable} packs them, by key image and by output key. */
export interface PackedOutputs {
  readonly withKeyImage: Uint8Array;
  /** Outputs of a wallet without spend key that lack their key images. */
  readonly withoutKeyImage: Uint8Array;
}

/** The outputs that a new watch list holds; each key once. */
export interface WatchedOutputs extends PackedOutputs {
  /** Burnt outputs on the same keys; a key any number of times. */
  readonly reused?: PackedOutputs;
  /** Imported key images of a wallet without spend key. */
  readonly importedKeyImages: PackedKeyImages;
}

/** An output of the wallet that a transaction spends. */
export interface SpentOutput extends WatchedOutput {
  readonly keyImage: KeyImage;
}

const NONE: readonly SpentOutput[] = [];

/** Outputs by key. The largest of several on one key is watched; another replaces it when a reorganisation undoes it. */
class WatchedKeys {
  readonly #table: WatchTable;
  /** All outputs on keys that have several. */
  readonly #reused = new Map<string, { readonly key: Uint8Array; outputs: WatchedOutput[] }>();

  /** @param packed records of a {@link WatchTable}. @param others records of more outputs on these keys. */
  constructor(packed: Uint8Array, others: Uint8Array = new Uint8Array(0)) {
    this.#table = new WatchTable(packed);
    for (const { key, output } of unpackWatchedOutputs(others)) {
      // A key that is not watched was spent too deep for a reorganisation.
      if (this.#table.get(key) !== undefined) this.#join(key, output);
    }
  }

  get size(): number {
    return this.#table.size;
  }

  get(key: Uint8Array, at?: number): WatchedOutput | undefined {
    return this.#table.get(key, at);
  }

  add(key: Uint8Array, { amount, subaddress, height }: WatchedOutput): void {
    const output = { amount, subaddress, height };
    const known = this.#table.get(key);
    if (known !== undefined) this.#join(key, output);
    if (known === undefined || known.amount < output.amount) this.#table.set(key, output);
  }

  /** Removes all outputs on a key. @returns them. */
  take(key: Uint8Array): readonly WatchedOutput[] {
    const name = toLatin1(key);
    const known = this.#table.get(key);
    const outputs = this.#reused.get(name)?.outputs ?? (known === undefined ? [] : [known]);
    this.#reused.delete(name);
    this.#table.delete(key);
    return outputs;
  }

  /** Removes outputs that were received at or above a height. */
  detachFrom(height: number): void {
    this.#table.detachFrom(height);
    for (const [name, reused] of this.#reused) {
      const { key, outputs } = reused;
      reused.outputs = outputs.filter((output) => output.height < height);
      if (reused.outputs.length === outputs.length) continue;
      if (reused.outputs.length < 2) this.#reused.delete(name);
      const [first, ...others] = reused.outputs;
      if (first === undefined) continue;
      const largest = others.reduce((most, output) => (output.amount > most.amount ? output : most), first);
      this.#table.set(key, largest);
    }
  }

  /** Adds another output on a watched key. */
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

/** The outputs of a wallet whose spends are recognised, and those that lack their key images. */
export class WatchList {
  /** By key image. */
  readonly #withKeyImage: WatchedKeys;
  /** By output key. */
  readonly #withoutKeyImage: WatchedKeys;
  /** By output key. */
  readonly #importedKeyImages = new Map<string, KeyImage>();
  /** Outputs that the transaction of {@link spentBy} spends. */
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

  /** Recognises the spends of outputs from now on, those found already and those found later. */
  importKeyImages(keyImages: Iterable<OutputKeyImage>): void {
    for (const { publicKey, keyImage } of keyImages) {
      this.#importedKeyImages.set(toLatin1(publicKey), keyImage);
      for (const output of this.#withoutKeyImage.take(publicKey)) this.#withKeyImage.add(keyImage, output);
    }
  }

  /** Removes outputs that were received at or above a height. */
  detachFrom(height: number): void {
    this.#withKeyImage.detachFrom(height);
    this.#withoutKeyImage.detachFrom(height);
  }

  /** Finds the outputs that a transaction spends. @param tx index of the transaction. */
  spentBy(txs: ParsedTxs, tx: number): readonly SpentOutput[] {
    this.#spent = NONE;
    if (this.#withKeyImage.size > 0) txs.eachKeyImage(tx, this.#noteSpent);
    return this.#spent;
  }

  /** One function for all transactions: with one for each, a fifth of a scan's garbage was made here. */
  readonly #noteSpent = (bytes: Uint8Array, at: number): void => {
    const output = this.#withKeyImage.get(bytes, at);
    if (output === undefined) return;
    const keyImage = bytes32<'KeyImage'>(bytes.subarray(at, at + 32), 'KeyImage');
    this.#spent = [...this.#spent, { ...output, keyImage }];
  };

  /** Adds the imported key image to an output that lacks its own. */
  withKeyImage(output: FoundOutput): FoundOutput {
    if (output.keyImage !== undefined) return output;
    const keyImage = this.#importedKeyImages.get(toLatin1(output.publicKey));
    return keyImage === undefined ? output : { ...output, keyImage };
  }
}
