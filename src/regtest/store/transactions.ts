import type { Hash } from '../../monero/crypto/types.js';
import { amount, type Amount } from '../../util/amount.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toBytes } from './database.js';

/** A transaction in the main chain. */
export interface StoredTx {
  /** Row number; ascends with the position of the transaction in the chain. */
  readonly id: number;
  readonly hash: Hash;
  readonly height: number;
  /** Encoded transaction without its signatures and proofs. */
  readonly pruned: Uint8Array;
  /** Encoded signatures and proofs; empty for a miner transaction. */
  readonly prunable: Uint8Array;
  readonly prunableHash: Hash;
  readonly fee: Amount;
  readonly weight: number;
}

interface TxRow {
  readonly id: bigint;
  readonly hash: Uint8Array;
  readonly height: bigint;
  readonly pruned: Uint8Array;
  readonly prunable: Uint8Array;
  readonly prunable_hash: Uint8Array;
  readonly fee: bigint;
  readonly weight: bigint;
}

const toTx = (row: TxRow): StoredTx => ({
  id: Number(row.id),
  hash: toBytes<'Hash'>(row.hash),
  height: Number(row.height),
  pruned: Uint8Array.from(row.pruned),
  prunable: Uint8Array.from(row.prunable),
  prunableHash: toBytes<'Hash'>(row.prunable_hash),
  fee: amount(row.fee),
  weight: Number(row.weight),
});

/** Table of the transactions in the main chain, including miner transactions. */
export class TransactionTable {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  get(hash: Hash): StoredTx | undefined {
    const row = this.#db.bigints.row<TxRow>('SELECT * FROM tx WHERE hash = ?', hash);
    return row && toTx(row);
  }

  /** Returns the hashes of all transactions, in chain order. */
  hashes(): Hash[] {
    return this.#db
      .values<Uint8Array>('SELECT hash FROM tx ORDER BY id')
      .map((hash) => toBytes<'Hash'>(hash));
  }

  has(hash: Hash): boolean {
    return this.#db.row('SELECT 1 FROM tx WHERE hash = ?', hash) !== undefined;
  }

  /** Returns the transactions of the block at a height, the miner transaction first. */
  ofBlock(height: number): StoredTx[] {
    return this.#db.bigints.rows<TxRow>('SELECT * FROM tx WHERE height = ? ORDER BY id', height).map(toTx);
  }

  /** Returns the sum of all fees in the blocks at the heights from `first` to `last`, both inclusive [atomic units]. */
  feesBetween(first: number, last: number): bigint {
    return (
      this.#db.bigints.value<bigint>(
        'SELECT coalesce(sum(fee), 0) FROM tx WHERE height BETWEEN ? AND ?',
        first,
        last,
      ) ?? 0n
    );
  }

  /** Adds a transaction. @returns its {@link StoredTx.id}. */
  add(tx: Omit<StoredTx, 'id'>): number {
    const { lastInsertRowid } = this.#db.run(
      'INSERT INTO tx (hash, height, pruned, prunable, prunable_hash, fee, weight) VALUES (?, ?, ?, ?, ?, ?, ?)',
      tx.hash,
      tx.height,
      tx.pruned,
      tx.prunable,
      tx.prunableHash,
      tx.fee,
      tx.weight,
    );
    return Number(lastInsertRowid);
  }

  removeOf(height: number): void {
    this.#db.run('DELETE FROM tx WHERE height = ?', height);
  }
}
