import type { Hash, SecretKey } from '../../monero/crypto/types.js';
import { chunks, concatBytes } from '../../util/bytes.js';
import { toBytes } from './columns.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { OF_ORDER } from './orders.js';

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
  /** Deletes the secret keys of all transactions, except those of orders. */
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
