import type { Statement } from '../../util/sql-database.js';
import type { Hash, SecretKey } from '../../monero/crypto/types.js';
import { chunks, concatBytes } from '../../util/bytes.js';
import { toBytes } from '../sql/columns.js';
import type { Db } from '../file/database.js';
import { OF_ORDER } from './orders.js';

/** Reads the secret keys of transactions. */
export class TxKeyReader {
  protected readonly db: Db;
  readonly #get: Statement<[Uint8Array], { keys: Uint8Array }>;

  constructor(db: Db) {
    this.db = db;
    this.#get = db.prepare('SELECT keys FROM tx_secret_key WHERE tx_hash = ?');
  }

  /** Returns the secret key of a transaction, followed by its additional secret keys, one for each output. */
  get(txHash: Hash): SecretKey[] | undefined {
    const row = this.#get.get(txHash);
    return row && chunks(row.keys, 32).map((key) => toBytes<'SecretKey'>(key));
  }
}

export class TxKeyWriter extends TxKeyReader {
  /** Deletes the secret keys of all transactions, except those of orders. */
  clear(): void {
    this.db.prepare(`DELETE FROM tx_secret_key WHERE NOT ${OF_ORDER}`).run();
  }

  set(txHash: Hash, keys: readonly SecretKey[]): void {
    this.db
      .prepare(
        'INSERT INTO tx_secret_key (tx_hash, keys) VALUES (?, ?) ON CONFLICT (tx_hash) DO UPDATE SET keys = excluded.keys',
      )
      .run(txHash, concatBytes(...keys));
  }

  remove(txHash: Hash): void {
    this.db.prepare('DELETE FROM tx_secret_key WHERE tx_hash = ?').run(txHash);
  }
}
