import type { Statement } from 'better-sqlite3';
import type { Hash } from '../../monero/crypto/types.js';
import { amount, type Amount } from '../../util/amount.js';
import { toBytes, type Db } from './database.js';

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

type NewTx = [Uint8Array, number, Uint8Array, Uint8Array, Uint8Array, bigint, number];

/** Table of the transactions in the main chain, including miner transactions. */
export class TransactionTable {
  readonly #byHash: Statement<[Uint8Array], TxRow>;
  readonly #ofBlock: Statement<[number], TxRow>;
  readonly #hashes: Statement<[], Uint8Array>;
  readonly #exists: Statement<[Uint8Array], number>;
  readonly #feesOf: Statement<[number, number], bigint>;
  readonly #insert: Statement<NewTx>;
  readonly #removeOf: Statement<[number]>;

  constructor(db: Db) {
    this.#byHash = db.prepare<[Uint8Array], TxRow>('SELECT * FROM tx WHERE hash = ?').safeIntegers();
    this.#ofBlock = db
      .prepare<[number], TxRow>('SELECT * FROM tx WHERE height = ? ORDER BY id')
      .safeIntegers();
    this.#hashes = db.prepare<[], Uint8Array>('SELECT hash FROM tx ORDER BY id').pluck();
    this.#exists = db.prepare<[Uint8Array], number>('SELECT 1 FROM tx WHERE hash = ?').pluck();
    this.#feesOf = db
      .prepare<[number, number], bigint>('SELECT coalesce(sum(fee), 0) FROM tx WHERE height BETWEEN ? AND ?')
      .pluck()
      .safeIntegers();
    this.#insert = db.prepare(
      'INSERT INTO tx (hash, height, pruned, prunable, prunable_hash, fee, weight) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#removeOf = db.prepare('DELETE FROM tx WHERE height = ?');
  }

  get(hash: Hash): StoredTx | undefined {
    const row = this.#byHash.get(hash);
    return row && toTx(row);
  }

  /** Returns the hashes of all transactions, in chain order. */
  hashes(): Hash[] {
    return this.#hashes.all().map((hash) => toBytes<'Hash'>(hash));
  }

  has(hash: Hash): boolean {
    return this.#exists.get(hash) !== undefined;
  }

  /** Returns the transactions of the block at a height, the miner transaction first. */
  ofBlock(height: number): StoredTx[] {
    return this.#ofBlock.all(height).map(toTx);
  }

  /** Returns the sum of all fees in the blocks at the heights from `first` to `last`, both inclusive [atomic units]. */
  feesBetween(first: number, last: number): bigint {
    return this.#feesOf.get(first, last) ?? 0n;
  }

  /** Adds a transaction. @returns its {@link StoredTx.id}. */
  add(tx: Omit<StoredTx, 'id'>): number {
    const { lastInsertRowid } = this.#insert.run(
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
    this.#removeOf.run(height);
  }
}
