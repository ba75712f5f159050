import type { Statement } from 'better-sqlite3';
import { COINBASE_UNLOCK_BLOCKS } from '../../monero/cryptonote/constants.js';
import type { EventIds } from '../event-ids.js';
import type { Integer } from '../sql/columns.js';
import type { Db } from '../file/database.js';
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

/** Separator between the three texts in a row. */
const SEPARATOR = '|';

/** Returns the number of ids that each payment in a range occupies. */
const spanOfTexts = (texts: readonly string[]): number =>
  Math.max(...texts.map((text) => (text === '' ? 0 : spanOf(CODES.stages, text))));

/** Reads rows that contain the stages of all payments in a range of blocks. */
export class StageRangeReader {
  readonly #mined: Statement<[Integer | null, Integer | null, Integer], EventRow>;

  constructor(db: Db) {
    this.#mined = db
      .prepare<[Integer | null, Integer | null, Integer], EventRow>(
        `SELECT * FROM event WHERE type = ${CODES['payment.mined']} AND height BETWEEN ? AND ? AND id < ?
         ORDER BY height, id`,
      )
      .safeIntegers();
  }

  /** Returns one row for each payment in a range that reaches a stage. */
  rowsOf(range: EventRow): EventRow[] {
    const [none = '', coinbase = '', other = ''] = range.stages?.split(SEPARATOR) ?? [];
    const span = BigInt(spanOfTexts([none, coinbase, other]));
    return this.#mined.all(range.height, range.minor, range.id).flatMap((mined, i) => {
      const text = textOf(mined, { none, coinbase, other });
      const id = range.id + BigInt(i) * span;
      return text === ''
        ? []
        : [{ ...mined, id, type: BigInt(CODES.stages), stages: text, time: range.time }];
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
export class StageRangeWriter {
  readonly #ids: EventIds;
  readonly #mined: Statement<[number, number], { readonly count: number; readonly first: number | null }>;
  readonly #isReversed: Statement<[number, number], number>;
  readonly #timeOf: Statement<[number], number>;
  readonly #hasCoinbase: Statement<[number, number], number>;
  readonly #insert: Statement<
    [id: number, stages: string, min: number, max: number, ids: number, first: number, time: number]
  >;

  constructor(db: Db, ids: EventIds) {
    this.#ids = ids;
    this.#mined = db.prepare(
      `SELECT count(*) AS count, min(id) AS first FROM event
       WHERE type = ${CODES['payment.mined']} AND height BETWEEN ? AND ?`,
    );
    this.#isReversed = db
      .prepare<[number, number], number>(
        `SELECT EXISTS (SELECT 1 FROM event WHERE type = ${CODES['payment.reversed']} AND height BETWEEN ? AND ?)`,
      )
      .pluck();
    this.#timeOf = db.prepare<[number], number>('SELECT time FROM event WHERE id = ?').pluck();
    this.#hasCoinbase = db
      .prepare<[number, number], number>(
        `SELECT EXISTS (SELECT 1 FROM received_tx WHERE height BETWEEN ? AND ?
           AND unlock_time = CAST(height + ${COINBASE_UNLOCK_BLOCKS} AS TEXT))`,
      )
      .pluck();
    this.#insert = db.prepare(
      `INSERT INTO event (id, type, stages, height, minor, amount, timestamp, time)
       VALUES (?, ${RANGE}, ?, ?, ?, ?, ?, ?)`,
    );
  }

  /**
   * Appends a row, if the `payment.mined` rows at the heights are exactly those of the payments there.
   * @param outputs number of outputs at the heights; there are at most as many payments.
   * @returns the number of appended rows; undefined if one row cannot contain the stages.
   */
  append({ min, max }: Heights, outputs: number, { none, coinbase, other }: StageTexts): number | undefined {
    const { count, first } = this.#mined.get(min, max) ?? { count: 0, first: null };
    // Each payment has at least one output. Unless a payment was reversed, each row has its own payment; so equal numbers
    // mean that no payment lacks its row.
    if (first === null || count !== outputs || count > MAX_PAYMENTS) return undefined;
    if (this.#isReversed.get(min, max) === 1) return undefined;
    const time = Math.floor(this.#ids.now());
    if ((this.#timeOf.get(first) ?? -Infinity) < time - MAX_AGE_MS) return undefined;
    if (none === '' && other === '' && this.#hasCoinbase.get(min, max) === 0) return 0;
    const texts = [none, coinbase, other];
    const ids = count * spanOfTexts(texts);
    this.#insert.run(this.#ids.take(ids), texts.join(SEPARATOR), min, max, ids, first, time);
    return 1;
  }
}
