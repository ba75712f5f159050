import type { Hash } from '../../monero/crypto/types.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import { pagesOf } from '../../util/paged.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'assertOpen' | 'keystore' | 'store'>;

/** Number of notes that are read in one turn of the event loop; those of earlier versions may be long. */
const NOTES_AT_ONCE = 16;

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

  /** Reads the {@link notes} of many transactions, and yields to the event loop between pages. */
  notePages(txHashes: readonly Hash[]): AsyncIterable<readonly string[]> {
    const pages = async function* (read: (page: readonly Hash[]) => readonly string[]) {
      for await (const page of pagesOf(txHashes, NOTES_AT_ONCE)) yield read(page);
    };
    return pages((page) => {
      this.#context.assertOpen();
      return this.notes(page);
    });
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
