import type { Hash } from '../../crypto/types.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type { OpenWallet } from '../open-wallet.js';

/** Texts that clients attach: notes to transactions, values to keys of their own. */
export class Annotations {
  readonly #session: OpenWallet;

  constructor(session: OpenWallet) {
    this.#session = session;
  }

  /** All of them or none. @param notes one a transaction; an empty one removes it. */
  setNotes(notes: readonly { readonly txHash: Hash; readonly note: string }[]): void {
    this.#session.file.write((w) => {
      for (const { txHash, note } of notes) w.notes.set(txHash, note);
    });
  }

  /** Empty for a transaction without one. */
  notes(txHashes: readonly Hash[]): string[] {
    if (this.#session.keystore.hidesNotes) return txHashes.map(() => '');
    return this.#session.file.read((r) => txHashes.map((txHash) => r.notes.get(txHash) ?? ''));
  }

  setAttribute(key: string, value: string): void {
    this.#session.file.write((w) => w.attributes.set(key, value));
  }

  /** @throws WalletError `attribute_missing` */
  attribute(key: string): string {
    const value = this.#session.file.read((r) => r.attributes.get(key));
    if (value === undefined || this.#session.keystore.hidesNotes)
      throw new WalletError({ kind: 'attribute_missing' });
    return value;
  }
}
