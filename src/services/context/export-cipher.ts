import { exportKey } from '../../monero/crypto/kdf.js';
import type { Rng } from '../../util/random.js';
import {
  openExport,
  sealExport,
  type ExportKeys,
  type ExportKind,
} from '../../monero/wallet/exchange/export-blob.js';
import type { WalletKeys } from '../../monero/wallet/keys.js';

/** Encrypts and decrypts data for wallets with the same view key. Runs the slow key derivation only once. */
export class ExportCipher {
  readonly #keys: WalletKeys;
  readonly #kdfRounds: number;
  readonly #rng: Rng;
  #cipherKey: Promise<Uint8Array> | undefined;

  constructor(keys: WalletKeys, kdfRounds: number, rng: Rng) {
    this.#keys = keys;
    this.#kdfRounds = kdfRounds;
    this.#rng = rng;
  }

  /** Encrypts an export, preceded by the magic bytes of its kind. */
  async seal(kind: ExportKind, plaintext: Uint8Array): Promise<Uint8Array> {
    return sealExport(kind, plaintext, await this.#exportKeys(), this.#rng);
  }

  /**
   * Decrypts an export. @throws CodecError for an export of another kind, of another view key, or with altered data.
   */
  async open(kind: ExportKind, blob: Uint8Array): Promise<Uint8Array> {
    return openExport(kind, blob, await this.#exportKeys());
  }

  /** Wipes the derived key; the cipher cannot be used afterwards. */
  wipe(): void {
    void this.#cipherKey?.then(
      (key) => key.fill(0),
      () => undefined,
    );
  }

  async #exportKeys(): Promise<ExportKeys> {
    const { viewSecret } = this.#keys;
    this.#cipherKey ??= exportKey(viewSecret.expose(), this.#kdfRounds);
    try {
      return { cipherKey: await this.#cipherKey, viewSecret: viewSecret.expose() };
    } catch (error) {
      this.#cipherKey = undefined;
      throw error;
    }
  }
}
