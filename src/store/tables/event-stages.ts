import type { Statement } from 'better-sqlite3';
import type { EventIds } from '../event-ids.js';
import type { Db } from '../file/database.js';
import { CODES, UNLOCKED, spanOf } from './event-row.js';

/** Parameters of the statements; the heights are inclusive. */
interface Query {
  readonly min: number;
  readonly max: number;
  readonly first: number;
  readonly span: number;
  readonly time: number;
  readonly stages: string;
  readonly confirmed: string | null;
}

/** Payments of the rows, as `PaymentReader` lists them, without those that credit nothing. */
const PAYMENTS = `SELECT t.tx_hash, o.account, o.minor, sum(coalesce(o.credited, o.amount)) AS total, t.height,
    t.timestamp, t.unlock_time, t.coinbase, t.payment_id
  FROM owned_output o CROSS JOIN received_tx t USING (tx_hash)
  WHERE o.height BETWEEN :min AND :max AND o.change = 0 AND (:confirmed IS NOT NULL OR o.unlock_time = '0')
  GROUP BY t.height, t.tx_hash, o.account, o.minor HAVING total > 0`;

/** JSON facts of a payment, as `rowOf` writes them. */
const FACTS = `iif(unlock_time = '0' AND NOT coinbase AND payment_id IS NULL, NULL, json_patch('{}', json_object(
  'unlockTime', nullif(unlock_time, '0'), 'coinbase', iif(coinbase, json('true'), NULL),
  'paymentId', nullif(lower(hex(payment_id)), ''))))`;

/** Appends the same stages of all payments in a range of blocks without reading their rows into memory. */
export class EventStageWriter {
  readonly #ids: EventIds;
  readonly #count: Statement<[number, number], number>;
  readonly #insert: Statement<[Query]>;

  constructor(db: Db, ids: EventIds) {
    this.#ids = ids;
    this.#count = db
      .prepare<[number, number], number>('SELECT count(*) FROM owned_output WHERE height BETWEEN ? AND ?')
      .pluck();
    this.#insert = db.prepare(
      `INSERT INTO event (id, type, stages, tx_hash, account, minor, amount, height, timestamp, data, time)
       SELECT CAST(:first AS INTEGER) + (row_number() OVER () - 1) * CAST(:span AS INTEGER), ${CODES.stages},
         iif(unlock_time = '0', :stages, :confirmed), tx_hash, account, minor, total, height, timestamp, ${FACTS},
         CAST(:time AS INTEGER)
       FROM (${PAYMENTS})`,
    );
  }

  /**
   * Appends stages of the payments at heights from one to another, both inclusive. Payments with an unlock time do not
   * get the stage `unlocked`. @returns the number of rows.
   */
  append(min: number, max: number, stages: readonly string[]): number {
    // Payments are at most as many; unused ids are gaps.
    const most = this.#count.get(min, max) ?? 0;
    if (most === 0) return 0;
    const text = stages.join(',');
    const confirmed = stages.filter((stage) => stage !== UNLOCKED).join(',');
    const span = spanOf(CODES.stages, text);
    const first = this.#ids.take(span * most);
    const time = Math.floor(this.#ids.now());
    return this.#insert.run({
      ...{ min, max, first, span, time },
      ...{ stages: text, confirmed: confirmed === '' ? null : confirmed },
    }).changes;
  }
}
