import type { Hash } from '../../monero/crypto/types.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'keystore' | 'store'>;

/** Notes of transactions, and attributes that clients set. */
export class Annotations {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Sets notes of transactions in one store transaction. @param notes one per transaction; an empty note removes the
   * stored one.
   */
  setNotes(notes: readonly { readonly txHash: Hash; readonly note: string }[]): void {
    this.#context.store.write((w) => {
      for (const { txHash, note } of notes) w.notes.set(txHash, note);
    });
  }

  /** Returns the notes of transactions, in the order of the hashes; empty for a transaction without a note. */
  notes(txHashes: readonly Hash[]): string[] {
    if (this.#context.keystore.hidesNotes) return txHashes.map(() => '');
    return this.#context.store.read((r) => txHashes.map((txHash) => r.notes.get(txHash) ?? ''));
  }

  /** Sets the value of an attribute. */
  setAttribute(key: string, value: string): void {
    this.#context.store.write((w) => w.attributes.set(key, value));
  }

  /** Returns the value of an attribute. @throws WalletError `attribute_missing` */
  attribute(key: string): string {
    const value = this.#context.store.read((r) => r.attributes.get(key));
    if (value === undefined || this.#context.keystore.hidesNotes)
      throw new WalletError({ kind: 'attribute_missing' });
    return value;
  }
}
