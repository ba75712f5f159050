import { COINBASE_UNLOCK_BLOCKS } from '../../monero/cryptonote/constants.js';
import type { EventIds } from '../event-ids.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { CODES, spanOf } from './event-row.js';
import { StageRangeWriter, type StageTexts } from './stage-ranges.js';

/** SQL expression for the stages of a payment, by the unlock time of its output. */
const STAGES = `CASE o.unlock_time WHEN '0' THEN :none
    WHEN CAST(o.height + ${COINBASE_UNLOCK_BLOCKS} AS TEXT) THEN :coinbase ELSE :other END`;

/** Selects payments as `PaymentReader` lists them, without those that credit nothing. */
const PAYMENTS = `SELECT t.tx_hash, o.account, o.minor, sum(coalesce(o.credited, o.amount)) AS total, t.height,
    t.timestamp, t.unlock_time, t.coinbase, t.payment_id, ${STAGES} AS stages
  FROM owned_output o CROSS JOIN received_tx t USING (tx_hash)
  WHERE o.height BETWEEN :min AND :max AND o.change = 0 AND ${STAGES} <> ''
  GROUP BY t.height, t.tx_hash, o.account, o.minor HAVING total > 0`;

/** SQL expression for the JSON facts of a payment, as `rowOf` writes them. */
const FACTS = `iif(unlock_time = '0' AND NOT coinbase AND payment_id IS NULL, NULL, json_patch('{}', json_object(
  'unlockTime', nullif(unlock_time, '0'), 'coinbase', iif(coinbase, json('true'), NULL),
  'paymentId', nullif(lower(hex(payment_id)), ''))))`;

/** Appends the same stages to all payments in a range of blocks, without reading the payments into memory. */
export class EventStageWriter {
  readonly #db: SqlDatabase;
  readonly #ids: EventIds;
  readonly #ranges: StageRangeWriter;

  constructor(db: SqlDatabase, ids: EventIds) {
    this.#db = db;
    this.#ids = ids;
    this.#ranges = new StageRangeWriter(db, ids);
  }

  /**
   * Appends stages of the payments at the heights from `min` to `max`, both inclusive.
   * @returns the number of appended rows.
   */
  append(min: number, max: number, { none, coinbase, other }: StageTexts): number {
    // There are at most as many payments as outputs. Ids that remain unused become gaps.
    const most =
      this.#db.value<number>('SELECT count(*) FROM owned_output WHERE height BETWEEN ? AND ?', min, max) ?? 0;
    if (most === 0) return 0;
    const ranged = this.#ranges.append({ min, max }, most, { none, coinbase, other });
    if (ranged !== undefined) return ranged;
    const texts = [none, coinbase, other].filter((text) => text !== '');
    const span = Math.max(...texts.map((text) => spanOf(CODES.stages, text)));
    const first = this.#ids.take(span * most);
    const time = Math.floor(this.#ids.now());
    return this.#db.run(
      `INSERT INTO event (id, type, stages, tx_hash, account, minor, amount, height, timestamp, data, time)
       SELECT CAST(:first AS INTEGER) + (row_number() OVER () - 1) * CAST(:span AS INTEGER), ${CODES.stages},
         stages, tx_hash, account, minor, total, height, timestamp, ${FACTS},
         CAST(:time AS INTEGER)
       FROM (${PAYMENTS})`,
      { min, max, first, span, time, none, coinbase, other },
    ).changes;
  }
}
