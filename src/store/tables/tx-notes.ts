import type { Hash, SecretKey } from '../../monero/crypto/types.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { chunks, concatBytes } from '../../util/bytes.js';
import { toBytes } from './columns.js';
import { OF_ORDER } from './orders.js';

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

/** Reads the transactions for which the command of `--tx-notify` must not run again. */
export class NotifiedTxReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  has(txHash: Hash): boolean {
    return this.db.row('SELECT 1 FROM notified_tx WHERE tx_hash = ?', txHash) !== undefined;
  }
}

export class NotifiedTxWriter extends NotifiedTxReader {
  add(txHash: Hash): void {
    this.db.run('INSERT OR IGNORE INTO notified_tx (tx_hash) VALUES (?)', txHash);
  }
}

/** Reads the secret keys of transactions. */
export class TxKeyReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns the secret key of a transaction, followed by its additional secret keys, one for each output. */
  get(txHash: Hash): SecretKey[] | undefined {
    const keys = this.db.value<Uint8Array>('SELECT keys FROM tx_secret_key WHERE tx_hash = ?', txHash);
    return keys && chunks(keys, 32).map((key) => toBytes<'SecretKey'>(key));
  }
}

export class TxKeyWriter extends TxKeyReader {
  /** Deletes the secret keys of all transactions, except transactions of orders. */
  clear(): void {
    this.db.run(`DELETE FROM tx_secret_key WHERE NOT ${OF_ORDER}`);
  }

  set(txHash: Hash, keys: readonly SecretKey[]): void {
    this.db.run(
      'INSERT INTO tx_secret_key (tx_hash, keys) VALUES (?, ?) ON CONFLICT (tx_hash) DO UPDATE SET keys = excluded.keys',
      txHash,
      concatBytes(...keys),
    );
  }

  remove(txHash: Hash): void {
    this.db.run('DELETE FROM tx_secret_key WHERE tx_hash = ?', txHash);
  }
}
