import type { Statement } from 'better-sqlite3';
import type { Hash } from '../../monero/crypto/types.js';
import type { ChainOutput } from '../rules/tx-rules.js';
import { toBytes, type Db } from './database.js';

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
/** Returns true if all values fit into SQLite's integers; larger values cannot occur in the table. */
const isColumn = (...values: readonly bigint[]): boolean => values.every((value) => value <= I64_MAX);

type NewOutput = [bigint, number, number, number, Uint8Array, Uint8Array, string, number];

/** Table of the outputs in the main chain, by amount and index among the outputs of that amount. */
export class OutputTable {
  readonly #at: Statement<[bigint, bigint], OutputRow>;
  readonly #hashAt: Statement<[bigint, bigint], Uint8Array>;
  readonly #next: Statement<[bigint], number>;
  readonly #indices: Statement<[number], number>;
  readonly #countBy: Statement<[bigint, number], number>;
  readonly #heights: Statement<[bigint, number], { height: number; total: number }>;
  readonly #amounts: Statement<[], { amount: bigint; total: bigint }>;
  readonly #insert: Statement<NewOutput>;
  readonly #removeOf: Statement<[number]>;

  constructor(db: Db) {
    this.#at = db.prepare(
      'SELECT public_key, commitment, unlock_time, height FROM output WHERE amount = ? AND idx = ?',
    );
    this.#hashAt = db
      .prepare<[bigint, bigint], Uint8Array>(
        'SELECT tx.hash FROM output JOIN tx ON tx.id = output.tx WHERE amount = ? AND idx = ?',
      )
      .pluck();
    this.#next = db
      .prepare<[bigint], number>('SELECT coalesce(max(idx) + 1, 0) FROM output WHERE amount = ?')
      .pluck();
    this.#indices = db
      .prepare<[number], number>('SELECT idx FROM output WHERE tx = ? ORDER BY position')
      .pluck();
    this.#countBy = db
      .prepare<[bigint, number], number>('SELECT count(*) FROM output WHERE amount = ? AND height < ?')
      .pluck();
    this.#heights = db.prepare(
      'SELECT height, count(*) AS total FROM output WHERE amount = ? AND height >= ? GROUP BY height',
    );
    this.#amounts = db
      .prepare<[], { amount: bigint; total: bigint }>(
        'SELECT amount, count(*) AS total FROM output GROUP BY amount ORDER BY amount',
      )
      .safeIntegers();
    this.#insert = db.prepare('INSERT INTO output VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
    this.#removeOf = db.prepare('DELETE FROM output WHERE tx IN (SELECT id FROM tx WHERE height = ?)');
  }

  at(amount: bigint, index: bigint): ChainOutput | undefined {
    const row = isColumn(amount, index) ? this.#at.get(amount, index) : undefined;
    return row && toOutput(row);
  }

  /** Returns the hash of the transaction that created an output; undefined if there is no such output. */
  txHashAt(amount: bigint, index: bigint): Hash | undefined {
    const hash = isColumn(amount, index) ? this.#hashAt.get(amount, index) : undefined;
    return hash && toBytes<'Hash'>(hash);
  }

  count(amount: bigint): number {
    return isColumn(amount) ? (this.#next.get(amount) ?? 0) : 0;
  }

  /**
   * Returns the global indices of a transaction's outputs, in output order.
   * @param tx {@link StoredTx.id} of the transaction.
   */
  indicesOf(tx: number): number[] {
    return this.#indices.all(tx);
  }

  /** Returns the number of outputs of an amount in blocks below a height. */
  countBelow(amount: bigint, height: number): number {
    return isColumn(amount) ? (this.#countBy.get(amount, height) ?? 0) : 0;
  }

  /**
   * Returns the number of outputs of an amount by height of their block, from a height on. Blocks without such outputs
   * are left out.
   */
  countsByHeight(amount: bigint, from: number): Map<number, number> {
    const rows = isColumn(amount) ? this.#heights.all(amount, from) : [];
    return new Map(rows.map(({ height, total }) => [height, total]));
  }

  amounts(): AmountCount[] {
    return this.#amounts.all().map(({ amount, total }) => ({ amount, total: Number(total) }));
  }

  /**
   * Adds an output.
   * @param tx {@link StoredTx.id} of its transaction.
   * @returns the index of the output among those of its amount.
   */
  add(amount: bigint, tx: number, position: number, output: ChainOutput): number {
    const index = this.count(amount);
    this.#insert.run(
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
    this.#removeOf.run(height);
  }
}
