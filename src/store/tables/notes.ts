import type { Statement } from '../../util/sql-database.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { Db } from '../file/database.js';

/** Reads notes on transactions. */
export class NoteReader {
  protected readonly db: Db;
  readonly #get: Statement<[Uint8Array], { note: string }>;
  readonly #bytes: Statement<[Uint8Array], number>;

  constructor(db: Db) {
    this.db = db;
    this.#get = db.prepare('SELECT note FROM tx_note WHERE tx_hash = ?');
    this.#bytes = db
      .prepare<[Uint8Array], number>('SELECT octet_length(note) FROM tx_note WHERE tx_hash = ?')
      .pluck();
  }

  /** True if no transaction has a note. */
  isEmpty(): boolean {
    return this.db.prepare('SELECT 1 FROM tx_note LIMIT 1').get() === undefined;
  }

  /** Returns the length of the notes of transactions [bytes], without reading the notes. */
  bytes(txHashes: readonly Hash[]): number {
    return txHashes.reduce((sum, txHash) => sum + (this.#bytes.get(txHash) ?? 0), 0);
  }

  get(txHash: Hash): string | undefined {
    return this.#get.get(txHash)?.note;
  }
}

export class NoteWriter extends NoteReader {
  /** Sets the note of a transaction; an empty note deletes it. */
  set(txHash: Hash, note: string): void {
    if (note === '') this.db.prepare('DELETE FROM tx_note WHERE tx_hash = ?').run(txHash);
    else
      this.db
        .prepare(
          'INSERT INTO tx_note (tx_hash, note) VALUES (?, ?) ON CONFLICT (tx_hash) DO UPDATE SET note = excluded.note',
        )
        .run(txHash, note);
  }
}
