import type { KeyImage, PublicKey } from '../crypto/types.js';
import type { ParsedTxs } from '../daemon/parsed-txs.js';
import { bytes32 } from '../util/bytes.js';
import type { FoundOutput } from '../wallet/scan/receive.js';
import type { OwnedOutput } from '../wallet/model/records.js';
import { unpackWatchedOutputs, WatchTable, type WatchedOutput } from '../wallet/scan/watch-table.js';

/** The key image of an output's key. */
export interface NamedKey {
  readonly publicKey: PublicKey;
  readonly keyImage: KeyImage;
}

/** An output of ours that a transaction spends. */
export interface SpentOutput extends WatchedOutput {
  readonly keyImage: KeyImage;
}

const bytesKey = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** Outputs by key. Of several with one key the largest is watched; the others take its place when its block is undone. */
class WatchedKeys {
  readonly #table: WatchTable;
  /** All outputs on keys that have several. */
  readonly #reused = new Map<string, { readonly key: Uint8Array; outputs: WatchedOutput[] }>();

  /** @param packed as {@link WatchTable} packs them. @param others more outputs on these keys. */
  constructor(packed: Uint8Array, others: Uint8Array = new Uint8Array(0)) {
    this.#table = new WatchTable(packed);
    for (const { key, output } of unpackWatchedOutputs(others)) {
      // The one that is watched is spent, and its block too deep to be undone.
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

  /** @returns all outputs on the key, which are watched no longer. */
  take(key: Uint8Array): readonly WatchedOutput[] {
    const name = bytesKey(key);
    const known = this.#table.get(key);
    const outputs = this.#reused.get(name)?.outputs ?? (known === undefined ? [] : [known]);
    this.#reused.delete(name);
    this.#table.delete(key);
    return outputs;
  }

  /** Forgets outputs that were received at or above a height. */
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

  /** Notes another output on a key that is watched. */
  #join(key: Uint8Array, output: WatchedOutput): void {
    const name = bytesKey(key);
    const known = this.#table.get(key);
    const reused = this.#reused.get(name) ?? {
      key: Uint8Array.from(key),
      outputs: known === undefined ? [] : [known],
    };
    reused.outputs.push(output);
    this.#reused.set(name, reused);
  }
}

/** Outputs of ours whose spending is looked out for, and those that wait for their key images. */
export class WatchList {
  /** By key image. */
  readonly #watched: WatchedKeys;
  /** By output key. */
  readonly #unnamed: WatchedKeys;
  /** By output key. */
  readonly #told = new Map<string, KeyImage>();

  /**
   * @param watched, unnamed as {@link WatchTable} packs them: by key image, and by output key.
   * @param reused other outputs on their keys; absent: none.
   */
  constructor({
    watched,
    unnamed,
    reused,
    told,
  }: {
    readonly watched: Uint8Array;
    readonly unnamed: Uint8Array;
    readonly reused?: { readonly watched: Uint8Array; readonly unnamed: Uint8Array };
    readonly told: readonly NamedKey[];
  }) {
    this.#watched = new WatchedKeys(watched, reused?.watched);
    this.#unnamed = new WatchedKeys(unnamed, reused?.unnamed);
    this.learn(told);
  }

  add(output: OwnedOutput): void {
    if (output.keyImage !== undefined) this.#watched.add(output.keyImage, output);
    else this.#unnamed.add(output.publicKey, output);
  }

  /** Whether their outputs were found already or will be. */
  learn(told: readonly NamedKey[]): void {
    for (const { publicKey, keyImage } of told) {
      this.#told.set(bytesKey(publicKey), keyImage);
      for (const output of this.#unnamed.take(publicKey)) this.#watched.add(keyImage, output);
    }
  }

  /** Forgets what was received at or above a height. */
  detachFrom(height: number): void {
    this.#watched.detachFrom(height);
    this.#unnamed.detachFrom(height);
  }

  /** @param tx place among the transactions. */
  spentBy(txs: ParsedTxs, tx: number): readonly SpentOutput[] {
    if (this.#watched.size === 0) return [];
    const spent: SpentOutput[] = [];
    txs.eachKeyImage(tx, (bytes, at) => {
      const output = this.#watched.get(bytes, at);
      if (output !== undefined)
        spent.push({ ...output, keyImage: bytes32<'KeyImage'>(bytes.subarray(at, at + 32), 'KeyImage') });
    });
    return spent;
  }

  /** With its key image, where that was told. */
  named(output: FoundOutput): FoundOutput {
    if (output.keyImage !== undefined) return output;
    const keyImage = this.#told.get(bytesKey(output.publicKey));
    return keyImage === undefined ? output : { ...output, keyImage };
  }
}
