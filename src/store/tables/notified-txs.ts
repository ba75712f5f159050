import type { Hash } from '../../monero/crypto/types.js';
import type { SqlDatabase } from '../../util/sql-database.js';

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
