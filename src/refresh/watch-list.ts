import type { KeyImage, PublicKey } from '../crypto/types.js';
import type { FoundOutput } from '../wallet/receive.js';
import type { OwnedOutput } from '../wallet/records.js';
import type { UnnamedOutput, WatchedOutput } from '../wallet/watched.js';
import type { ChainTx } from './chain-block.js';

/** The key image of an output's key. */
export interface NamedKey {
  readonly publicKey: PublicKey;
  readonly keyImage: KeyImage;
}

const bytesKey = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** Outputs of ours whose spending is looked out for, and those that wait for their key images. */
export class WatchList {
  /** By key image. */
  readonly #watched = new Map<string, WatchedOutput>();
  /** By output key. */
  readonly #unnamed = new Map<string, UnnamedOutput>();
  /** By output key. */
  readonly #told = new Map<string, KeyImage>();

  constructor({
    watched,
    unnamed,
    told,
  }: {
    readonly watched: readonly WatchedOutput[];
    readonly unnamed: readonly UnnamedOutput[];
    readonly told: readonly NamedKey[];
  }) {
    for (const output of watched) this.#watch(output);
    for (const output of unnamed) this.#unnamed.set(bytesKey(output.publicKey), output);
    this.learn(told);
  }

  add({ keyImage, publicKey, amount, subaddress, height }: OwnedOutput): void {
    const output = { amount, subaddress, height };
    if (keyImage !== undefined) this.#watch({ ...output, keyImage });
    else this.#unnamed.set(bytesKey(publicKey), { ...output, publicKey });
  }

  /** Whether their outputs were found already or will be. */
  learn(told: readonly NamedKey[]): void {
    for (const { publicKey, keyImage } of told) {
      const key = bytesKey(publicKey);
      this.#told.set(key, keyImage);
      const output = this.#unnamed.get(key);
      if (output === undefined) continue;
      this.#unnamed.delete(key);
      this.#watch({ ...output, keyImage });
    }
  }

  /** Forgets what was received at or above a height. */
  detachFrom(height: number): void {
    for (const outputs of [this.#watched, this.#unnamed])
      for (const [key, output] of outputs) if (output.height >= height) outputs.delete(key);
  }

  spentBy({ blob, outline }: ChainTx): WatchedOutput[] {
    if (this.#watched.size === 0) return [];
    const spent: WatchedOutput[] = [];
    for (const at of outline.keyImages) {
      const output = this.#watched.get(bytesKey(blob.subarray(at, at + 32)));
      if (output !== undefined) spent.push(output);
    }
    return spent;
  }

  /** With its key image, where that was told. */
  named(output: FoundOutput): FoundOutput {
    if (output.keyImage !== undefined) return output;
    const keyImage = this.#told.get(bytesKey(output.publicKey));
    return keyImage === undefined ? output : { ...output, keyImage };
  }

  #watch({ keyImage, amount, subaddress, height }: WatchedOutput): void {
    const key = bytesKey(keyImage);
    const known = this.#watched.get(key);
    // Two outputs with one key share an image; only the larger can ever be spent.
    if (known === undefined || known.amount < amount)
      this.#watched.set(key, { keyImage, amount, subaddress, height });
  }
}
