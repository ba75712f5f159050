import type { Statement } from '../../util/sql-database.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { Db } from '../file/database.js';

/** Reads the transactions for which the command of `--tx-notify` must not run again. */
export class NotifiedTxReader {
  readonly #has: Statement<[Uint8Array], number>;

  constructor(db: Db) {
    this.#has = db.prepare<[Uint8Array], number>('SELECT 1 FROM notified_tx WHERE tx_hash = ?').pluck();
  }

  has(txHash: Hash): boolean {
    return this.#has.get(txHash) !== undefined;
  }
}

export class NotifiedTxWriter extends NotifiedTxReader {
  readonly #add: Statement<[Uint8Array]>;

  constructor(db: Db) {
    super(db);
    this.#add = db.prepare('INSERT OR IGNORE INTO notified_tx (tx_hash) VALUES (?)');
  }

  add(txHash: Hash): void {
    this.#add.run(txHash);
  }
}
