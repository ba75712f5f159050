import type { Hash } from '../../monero/crypto/types.js';
import type { SqlDatabase } from '../../util/sql-database.js';

/** Reads notes on transactions. */
export class NoteReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** True if no transaction has a note. */
  isEmpty(): boolean {
    return this.db.row('SELECT 1 FROM tx_note LIMIT 1') === undefined;
  }

  /** Returns the length of the notes of transactions [bytes], without reading the notes. */
  bytes(txHashes: readonly Hash[]): number {
    const lengthOf = (txHash: Hash): number =>
      this.db.value<number>('SELECT octet_length(note) FROM tx_note WHERE tx_hash = ?', txHash) ?? 0;
    return txHashes.reduce((sum, txHash) => sum + lengthOf(txHash), 0);
  }

  get(txHash: Hash): string | undefined {
    return this.db.value<string>('SELECT note FROM tx_note WHERE tx_hash = ?', txHash);
  }
}

export class NoteWriter extends NoteReader {
  /** Sets the note of a transaction; an empty note deletes it. */
  set(txHash: Hash, note: string): void {
    if (note === '') this.db.run('DELETE FROM tx_note WHERE tx_hash = ?', txHash);
    else
      this.db.run(
        'INSERT INTO tx_note (tx_hash, note) VALUES (?, ?) ON CONFLICT (tx_hash) DO UPDATE SET note = excluded.note',
        txHash,
        note,
      );
  }
}
