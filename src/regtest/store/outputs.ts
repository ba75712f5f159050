import type { Hash } from '../../monero/crypto/types.js';
import type { ChainOutput } from '../rules/tx-rules.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toBytes } from './database.js';

interface OutputRow {
  readonly public_key: Uint8Array;
  readonly commitment: Uint8Array;
  readonly unlock_time: string;
  readonly height: number;
}

const toOutput = (row: OutputRow): ChainOutput => ({
  publicKey: toBytes<'PublicKey'>(row.public_key),
  commitment: toBytes<'Commitment'>(row.commitment),
  unlockTime: BigInt(row.unlock_time),
  height: row.height,
});

/** An amount and the number of its outputs. */
export interface AmountCount {
  readonly amount: bigint;
  readonly total: number;
}

const I64_MAX = (1n << 63n) - 1n;
/** Returns true if all values fit into SQLite's integers, because larger values cannot occur in the table. */
const isColumn = (...values: readonly bigint[]): boolean => values.every((value) => value <= I64_MAX);

/** Table of the outputs in the main chain, by amount and index among the outputs of that amount. */
export class OutputTable {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  at(amount: bigint, index: bigint): ChainOutput | undefined {
    if (!isColumn(amount, index)) return undefined;
    const row = this.#db.row<OutputRow>(
      'SELECT public_key, commitment, unlock_time, height FROM output WHERE amount = ? AND idx = ?',
      amount,
      index,
    );
    return row && toOutput(row);
  }

  /** Returns the hash of the transaction that created an output; undefined if there is no such output. */
  txHashAt(amount: bigint, index: bigint): Hash | undefined {
    if (!isColumn(amount, index)) return undefined;
    const hash = this.#db.value<Uint8Array>(
      'SELECT tx.hash FROM output JOIN tx ON tx.id = output.tx WHERE amount = ? AND idx = ?',
      amount,
      index,
    );
    return hash && toBytes<'Hash'>(hash);
  }

  count(amount: bigint): number {
    if (!isColumn(amount)) return 0;
    return (
      this.#db.value<number>('SELECT coalesce(max(idx) + 1, 0) FROM output WHERE amount = ?', amount) ?? 0
    );
  }

  /**
   * Returns the global indices of a transaction's outputs, in output order.
   * @param tx {@link StoredTx.id} of the transaction.
   */
  indicesOf(tx: number): number[] {
    return this.#db.values<number>('SELECT idx FROM output WHERE tx = ? ORDER BY position', tx);
  }

  /**
   * Returns the indices of a transaction's outputs among all outputs of the chain, whatever their amount, in output order.
   * @param tx {@link StoredTx.id} of the transaction.
   */
  unifiedIdsOf(tx: number): number[] {
    return this.#db.values<number>(
      'SELECT position + (SELECT count(*) FROM output WHERE tx < ?) FROM output WHERE tx = ? ORDER BY position',
      tx,
      tx,
    );
  }

  /** Returns the number of outputs of an amount in blocks below a height. */
  countBelow(amount: bigint, height: number): number {
    if (!isColumn(amount)) return 0;
    const sql = 'SELECT count(*) FROM output WHERE amount = ? AND height < ?';
    return this.#db.value<number>(sql, amount, height) ?? 0;
  }

  /**
   * Returns the number of outputs of an amount by height of their block, from a height on. Blocks without such outputs
   * are left out.
   */
  countsByHeight(amount: bigint, from: number): Map<number, number> {
    if (!isColumn(amount)) return new Map();
    return new Map(
      this.#db.arrays.rows<[height: number, total: number]>(
        'SELECT height, count(*) FROM output WHERE amount = ? AND height >= ? GROUP BY height',
        amount,
        from,
      ),
    );
  }

  amounts(): AmountCount[] {
    return this.#db.bigints
      .rows<{ amount: bigint; total: bigint }>(
        'SELECT amount, count(*) AS total FROM output GROUP BY amount ORDER BY amount',
      )
      .map(({ amount, total }) => ({ amount, total: Number(total) }));
  }

  /**
   * Adds an output.
   * @param tx {@link StoredTx.id} of its transaction.
   * @returns the index of the output among the outputs of its amount.
   */
  add(amount: bigint, tx: number, position: number, output: ChainOutput): number {
    const index = this.count(amount);
    this.#db.run(
      'INSERT INTO output VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      amount,
      index,
      tx,
      position,
      output.publicKey,
      output.commitment,
      output.unlockTime.toString(),
      output.height,
    );
    return index;
  }

  /** Removes the outputs of the block at a height, which must be the latest block. */
  removeOf(height: number): void {
    this.#db.run('DELETE FROM output WHERE tx IN (SELECT id FROM tx WHERE height = ?)', height);
  }
}
