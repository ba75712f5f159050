import type { Hash } from '../../monero/crypto/types.js';
import { WalletError } from '../../model/wallet-error.js';
import { mapPages, pagesOf } from '../../util/paged.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'assertOpen' | 'keystore' | 'store'>;

/** Number of notes that are read in one turn of the event loop. */
const NOTES_AT_ONCE = 64;

/** Notes of transactions, and attributes that clients set. */
export class Annotations {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Sets notes of transactions in one store transaction. @param notes one per transaction; an empty note removes the
   * stored note.
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

  /** Reads the {@link notes} of many transactions in pages. The pages throw WalletError `no_wallet`. */
  notePages(txHashes: readonly Hash[]): AsyncIterable<readonly string[]> {
    return mapPages(
      this.noted(txHashes, (txHash) => txHash),
      ([, note]) => note,
    );
  }

  /**
   * Reads the notes of transactions in pages, together with items of these transactions.
   * @throws WalletError `no_wallet` if the wallet is closed meanwhile.
   */
  async *noted<T>(
    items: readonly T[],
    hashOf: (item: T) => Hash,
  ): AsyncGenerator<readonly (readonly [item: T, note: string])[]> {
    const { assertOpen, keystore, store } = this.#context;
    const bytesOf = (part: readonly T[]): number => {
      assertOpen();
      return keystore.hidesNotes ? 0 : store.read((r) => r.notes.bytes(part.map(hashOf)));
    };
    for await (const part of pagesOf(items, NOTES_AT_ONCE, bytesOf)) {
      assertOpen();
      const notes = this.notes(part.map(hashOf));
      yield part.map((item, i) => [item, notes[i] ?? ''] as const);
    }
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
