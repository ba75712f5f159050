import type { SqlDatabase } from '../../util/sql-database.js';
import { IN_TX_RANGE, txRangeColumns, type TxRange } from './pages.js';

/** Sums of incoming payments [atomic units]. */
export interface ReceivedSums {
  readonly all: bigint;
  /** Sum of the payments to addresses of payment requests. */
  readonly requested: bigint;
}

/** SQL that sums a column in two halves, because SQLite's sum fails beyond 63 bits. */
const halves = (column: string, name: string): string =>
  `coalesce(sum(${column} >> 32), 0) AS ${name}_high, coalesce(sum(${column} & 4294967295), 0) AS ${name}_low`;

const joined = (high: number, low: number): bigint => (BigInt(high) << 32n) + BigInt(low);

interface ReceivedRow {
  readonly all_high: number;
  readonly all_low: number;
  readonly requested_high: number;
  readonly requested_low: number;
}

interface SentRow {
  readonly spent_high: number;
  readonly spent_low: number;
}

/**
 * Largest time by which the times of blocks may descend while their heights ascend [s], rounded up. A block is at most two
 * hours ahead of the clocks, and later than the median of the 60 blocks before it.
 * Source: cryptonote_config.h `CRYPTONOTE_BLOCK_FUTURE_TIME_LIMIT`, `BLOCKCHAIN_TIMESTAMP_CHECK_WINDOW`.
 */
const DISORDER_SECONDS = 6 * 3600;

/** Finds blocks with transactions of a table by their times. */
class BlockTimes {
  readonly #db: SqlDatabase;
  readonly #table: string;

  constructor(db: SqlDatabase, table: 'received_tx' | 'outgoing_tx') {
    this.#db = db;
    this.#table = table;
  }

  /**
   * Returns the height up to which no block has a time from `time` on [Unix s], by bisection; -1: there is no such
   * height.
   */
  heightBefore(time: number): number {
    const before = time - DISORDER_SECONDS;
    // The block at `low` lies before the time, and the first block above `high` does not.
    let [low, high] = [-1, this.#db.value<number | null>(`SELECT max(height) FROM ${this.#table}`) ?? -1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const found = this.#db.row<{ readonly height: number; readonly timestamp: number }>(
        `SELECT height, timestamp FROM ${this.#table} WHERE height >= ? ORDER BY height LIMIT 1`,
        middle,
      );
      if (found !== undefined && found.timestamp < before) low = found.height;
      else high = middle - 1;
    }
    return low;
  }
}

/** Sums payments from a time on. Reads no payments of blocks that lie well before this time. */
export class PeriodSumReader {
  readonly #db: SqlDatabase;
  readonly #receivedTimes: BlockTimes;
  readonly #sentTimes: BlockTimes;

  constructor(db: SqlDatabase) {
    this.#db = db;
    this.#receivedTimes = new BlockTimes(db, 'received_tx');
    this.#sentTimes = new BlockTimes(db, 'outgoing_tx');
  }

  /** Returns the height up to which no block with an incoming payment has a time from `from` on [Unix s]. */
  receivedBefore(from: number): number {
    return this.#receivedTimes.heightBefore(from);
  }

  /** Sums the incoming payments of a range in blocks from a time on [Unix s]. */
  received(range: TxRange, from: number): ReceivedSums {
    const row = this.#db.row<ReceivedRow>(
      `SELECT ${halves('amount', 'all')}, ${halves('amount * requested', 'requested')} FROM (
         SELECT coalesce(o.credited, o.amount) AS amount,
           EXISTS (SELECT 1 FROM payment_request p WHERE p.minor = o.minor AND p.account = o.account) AS requested
         FROM received_tx t CROSS JOIN owned_output o USING (tx_hash)
         WHERE o.change = 0 AND ${IN_TX_RANGE} AND t.timestamp >= :from)`,
      { ...txRangeColumns(range), from },
    );
    return {
      all: joined(row?.all_high ?? 0, row?.all_low ?? 0),
      requested: joined(row?.requested_high ?? 0, row?.requested_low ?? 0),
    };
  }

  /**
   * Sums the amounts that own payments from a time on [Unix s], mined or pending, take from the balance, including
   * their fees.
   */
  sent(from: number): bigint {
    const height = this.#sentTimes.heightBefore(from);
    const row = this.#db.row<SentRow>(
      `SELECT ${halves('spent', 'spent')} FROM (
         SELECT max(0, amount_in - change) AS spent FROM outgoing_tx WHERE height > :height AND timestamp >= :from
         UNION ALL
         SELECT max(0, amount_in - change) FROM outgoing_tx
           WHERE state <> 'confirmed' AND state <> 'failed' AND timestamp >= :from)`,
      { height, from },
    );
    return joined(row?.spent_high ?? 0, row?.spent_low ?? 0);
  }
}
