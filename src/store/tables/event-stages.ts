import { COINBASE_UNLOCK_BLOCKS } from '../../monero/cryptonote/constants.js';
import type { EventIds } from '../file/event-ids.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import type { Integer } from './columns.js';
import { CODES, RANGE, spanOf, unlockTimeOf, type EventRow } from './event-row.js';

/**
 * Stages that payments reach, by the kind of their lock, each comma separated and empty for none. `none`: no unlock
 * time; `coinbase`: the unlock time of a miner transaction; `other`: any other unlock time.
 */
export interface StageTexts {
  readonly none: string;
  readonly coinbase: string;
  readonly other: string;
}

/** Largest number of payments in a range. A reader of one of its events reads all of them. */
const MAX_PAYMENTS = 150;

/** Largest age of a payment's `payment.mined` event [ms], because such an event is kept while a range refers to it. */
const MAX_AGE_MS = 86_400_000;

/** Returns the number of ids that each payment in a range occupies. */
const spanOfTexts = (texts: readonly string[]): number =>
  Math.max(...texts.map((text) => (text === '' ? 0 : spanOf(CODES.stages, text))));

/** A row of `stage_range`, without the facts that only its expiry reads. */
interface StageRange extends StageTexts {
  readonly id: Integer;
  readonly min_height: Integer;
  readonly max_height: Integer;
}

/** Reads rows that contain the stages of all payments in a range of blocks. */
export class StageRangeReader {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /** Returns one row for each payment in a range that reaches a stage. */
  rowsOf({ id, time }: Pick<EventRow, 'id' | 'time'>): EventRow[] {
    const range = this.#db.bigints.row<StageRange>(
      'SELECT id, min_height, max_height, none, coinbase, other FROM stage_range WHERE id = ?',
      id,
    );
    if (range === undefined) throw new Error('an event has no range of stages');
    const span = BigInt(spanOfTexts([range.none, range.coinbase, range.other]));
    return this.#db.bigints
      .rows<EventRow>(
        `SELECT * FROM event WHERE type = ${CODES['payment.mined']} AND height BETWEEN ? AND ? AND id < ?
         ORDER BY height, id`,
        range.min_height,
        range.max_height,
        id,
      )
      .flatMap((mined, i) => {
        const text = textOf(mined, range);
        return text === ''
          ? []
          : [{ ...mined, id: BigInt(id) + BigInt(i) * span, type: BigInt(CODES.stages), stages: text, time }];
      });
  }
}

function textOf(mined: EventRow, texts: StageTexts): string {
  const unlockTime = unlockTimeOf(mined);
  if (unlockTime === 0n) return texts.none;
  return unlockTime === (mined.height ?? 0n) + BigInt(COINBASE_UNLOCK_BLOCKS) ? texts.coinbase : texts.other;
}

/** Heights of a range, both inclusive. */
interface Heights {
  readonly min: number;
  readonly max: number;
}

/** Appends one row that contains the stages of all payments in a range of blocks. */
class StageRangeWriter {
  readonly #db: SqlDatabase;
  readonly #ids: EventIds;

  constructor(db: SqlDatabase, ids: EventIds) {
    this.#db = db;
    this.#ids = ids;
  }

  /**
   * Appends a row, if the `payment.mined` rows at the heights are exactly those of the payments there.
   * @param outputs number of outputs at the heights; there are at most as many payments.
   * @returns the number of appended rows; undefined if one row cannot contain the stages.
   */
  append({ min, max }: Heights, outputs: number, { none, coinbase, other }: StageTexts): number | undefined {
    const { count, first } = this.#db.row<{ readonly count: number; readonly first: number | null }>(
      `SELECT count(*) AS count, min(id) AS first FROM event
       WHERE type = ${CODES['payment.mined']} AND height BETWEEN ? AND ?`,
      min,
      max,
    ) ?? { count: 0, first: null };
    // Each payment has at least one output. Unless a payment was reversed, each row has its own payment; so equal
    // numbers mean that no payment lacks its row.
    if (first === null || count !== outputs || count > MAX_PAYMENTS) return undefined;
    if (this.#isReversed({ min, max })) return undefined;
    const time = Math.floor(this.#ids.now());
    const firstTime = this.#db.value<number>('SELECT time FROM event WHERE id = ?', first) ?? -Infinity;
    if (firstTime < time - MAX_AGE_MS) return undefined;
    if (none === '' && other === '' && !this.#hasCoinbase({ min, max })) return 0;
    const ids = count * spanOfTexts([none, coinbase, other]);
    const id = this.#ids.take(ids);
    this.#db.run(`INSERT INTO event (id, type, time) VALUES (?, ${RANGE}, ?)`, id, time);
    this.#db.run(
      `INSERT INTO stage_range (id, ids, min_height, max_height, first_mined, none, coinbase, other)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      ids,
      min,
      max,
      first,
      none,
      coinbase,
      other,
    );
    return 1;
  }

  #isReversed({ min, max }: Heights): boolean {
    const type = CODES['payment.reversed'];
    return (
      this.#db.row(
        `SELECT 1 FROM event WHERE type = ${type} AND height BETWEEN ? AND ? LIMIT 1`,
        min,
        max,
      ) !== undefined
    );
  }

  #hasCoinbase({ min, max }: Heights): boolean {
    const found = this.#db.row(
      `SELECT 1 FROM received_tx WHERE height BETWEEN ? AND ?
         AND unlock_time = CAST(height + ${COINBASE_UNLOCK_BLOCKS} AS TEXT) LIMIT 1`,
      min,
      max,
    );
    return found !== undefined;
  }
}

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
