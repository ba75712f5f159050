import type { KeyImage, PublicKey } from '../crypto/types.js';
import type { TxOutlines } from '../daemon/tx-outlines.js';
import { bytes32 } from '../util/bytes.js';
import type { FoundOutput } from '../wallet/receive.js';
import type { OwnedOutput } from '../wallet/records.js';
import { WatchTable, type Watched } from '../wallet/watched.js';

/** The key image of an output's key. */
export interface NamedKey {
  readonly publicKey: PublicKey;
  readonly keyImage: KeyImage;
}

/** An output of ours that a transaction spends. */
export interface SpentOutput extends Watched {
  readonly keyImage: KeyImage;
}

const bytesKey = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** Outputs of ours whose spending is looked out for, and those that wait for their key images. */
export class WatchList {
  /** By key image. */
  readonly #watched: WatchTable;
  /** By output key. */
  readonly #unnamed: WatchTable;
  /** By output key. */
  readonly #told = new Map<string, KeyImage>();

  /** @param watched, unnamed as {@link WatchTable} packs them: by key image, and by output key. */
  constructor({
    watched,
    unnamed,
    told,
  }: {
    readonly watched: Uint8Array;
    readonly unnamed: Uint8Array;
    readonly told: readonly NamedKey[];
  }) {
    this.#watched = new WatchTable(watched);
    this.#unnamed = new WatchTable(unnamed);
    this.learn(told);
  }

  add(output: OwnedOutput): void {
    if (output.keyImage !== undefined) this.#watch(output.keyImage, output);
    else this.#unnamed.set(output.publicKey, output);
  }

  /** Whether their outputs were found already or will be. */
  learn(told: readonly NamedKey[]): void {
    for (const { publicKey, keyImage } of told) {
      this.#told.set(bytesKey(publicKey), keyImage);
      const output = this.#unnamed.get(publicKey);
      if (output === undefined) continue;
      this.#unnamed.delete(publicKey);
      this.#watch(keyImage, output);
    }
  }

  /** Forgets what was received at or above a height. */
  detachFrom(height: number): void {
    this.#watched.detachFrom(height);
    this.#unnamed.detachFrom(height);
  }

  /** @param tx place among the transactions. */
  spentBy(txs: TxOutlines, tx: number): readonly SpentOutput[] {
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

  /** Two outputs with one key share an image; only the larger can ever be spent. */
  #watch(keyImage: KeyImage, output: Watched): void {
    const known = this.#watched.get(keyImage);
    if (known === undefined || known.amount < output.amount) this.#watched.set(keyImage, output);
  }
}
