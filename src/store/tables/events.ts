import { COINBASE_UNLOCK_BLOCKS } from '../../monero/cryptonote/constants.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { EVENT_TYPES, type EventType, type MinedPaymentFacts, type WalletEvent } from '../../model/events.js';
import { fromHex, toHex } from '../../util/bytes.js';
import type { Trace } from '../../util/trace.js';
import type { EventIds } from '../file/event-ids.js';
import { toNumber } from './columns.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import {
  CODES,
  codesOf,
  eventOf,
  isOfBlock,
  OF_BLOCKS,
  type EventRow,
  type Identities,
} from './event-row.js';
import { rowOf, type NewEvent } from './new-event-row.js';
import { MetaWriter } from './meta.js';
import { identityReader } from './payment-requests.js';
import { PayoutReader } from './payouts.js';

/**
 * SQL expression for the height below which blocks are history of the wallet. Until the height is known, all blocks are
 * history.
 */
const ARRIVAL = `SELECT max(iif(key = 'arrived_at', ${Number.MAX_SAFE_INTEGER}, CAST(value AS INTEGER)))
  FROM meta WHERE key IN ('arrived_at', 'arrival_height')`;

/** Stages that payments reach, by the kind of their lock, each comma separated, and empty for no stages. */
export interface StageTexts {
  /** Payments without an unlock time. */
  readonly none: string;
  /** Payments with the unlock time of a miner transaction. */
  readonly coinbase: string;
  /** Payments with any other unlock time. */
  readonly other: string;
}

/** Text of the stage `unlocked`; other stages are written as their number of confirmations. */
export const UNLOCKED = 'u';

/** Returns the stages in a text. */
const stagesIn = (text: string): string[] => (text === '' ? [] : text.split(','));

const countOf = (text: string): number => stagesIn(text).length;

/** SQL of a table `s` with a row for each stage of a text. */
const eachStage = (text: string): string => `json_each('["' || replace(${text}, ',', '","') || '"]') s`;

/** SQL expressions for the columns `type` and `confirmations` of a stage. */
const STAGE = `iif(s.value = '${UNLOCKED}', ${CODES['payment.unlocked']}, ${CODES['payment.confirmed']}),
  iif(s.value = '${UNLOCKED}', NULL, CAST(s.value AS INTEGER))`;

/** SQL expression for the stages of a payment, by the unlock time of its output. */
const STAGES = `CASE o.unlock_time WHEN '0' THEN :none
    WHEN CAST(o.height + ${COINBASE_UNLOCK_BLOCKS} AS TEXT) THEN :coinbase ELSE :other END`;

/** Selects payments as `PaymentReader` lists them, without payments that credit nothing. */
const PAYMENTS = `SELECT t.tx_hash, o.account, o.minor, sum(coalesce(o.credited, o.amount)) AS total, t.height,
    t.timestamp, t.unlock_time, t.coinbase, t.payment_id, ${STAGES} AS stages
  FROM owned_output o CROSS JOIN received_tx t USING (tx_hash)
  WHERE o.height BETWEEN :min AND :max AND o.change = 0 AND ${STAGES} <> ''
  GROUP BY t.height, t.tx_hash, o.account, o.minor HAVING total > 0`;

/**
 * SQL expression for the JSON facts of a payment, as `rowOf` writes them. Composed as a text, which takes half the time of
 * SQLite's functions; a payment id is in lower case digits, and an unlock time in decimal digits.
 */
const FACTS = `nullif('{' || substr(iif(unlock_time = '0', '', ',"unlockTime":"' || unlock_time || '"')
  || iif(coinbase, ',"coinbase":true', '')
  || iif(payment_id IS NULL, '', ',"paymentId":"' || lower(hex(payment_id)) || '"'), 2) || '}', '{}')`;

/** Texts of {@link insertWith}, by the stages; there are few, since stages are thresholds. */
const INSERTED = new Map<string, string>();

/** Returns the SQL that inserts an event and the stages of the same payment, which get the ids after the id of the event. */
function insertWith(stages: string): string {
  const known = INSERTED.get(stages);
  if (known !== undefined) return known;
  const reached = stagesIn(stages).map((stage, i) => {
    const code = CODES[stage === UNLOCKED ? 'payment.unlocked' : 'payment.confirmed'];
    const count = stage === UNLOCKED ? 'NULL' : Number(stage);
    return `(:id + ${i + 1}, :time, ${code}, ${count}, :hash, :account, :minor, :value, :height, :timestamp,
      nullif(json_remove(:data, '$.seen'), '{}'))`;
  });
  const rows = [
    '(:id, :time, :type, :confirmations, :hash, :account, :minor, :value, :height, :timestamp, :data)',
  ];
  const sql = `INSERT INTO event (id, time, type, confirmations, tx_hash, account, minor, amount, height, timestamp, data)
    VALUES ${[...rows, ...reached].join(', ')}`;
  INSERTED.set(stages, sql);
  return sql;
}

/** Subject of events: an event is about it if it names one of the members. */
export interface EventSubject {
  /** Hashes of transactions. */
  readonly hashes?: readonly Hash[];
  /** Address of payments, or of a payment request. */
  readonly subaddress?: SubaddressIndex | undefined;
  /** Number of a payout. */
  readonly payout?: number | undefined;
}

/** Numbers of the event types of payouts. */
const PAYOUT_CODES = codesOf(EVENT_TYPES.filter((type) => type.startsWith('payout.')));

/** Reads events by ascending id. */
export class EventReader {
  protected readonly db: SqlDatabase;
  readonly #identities: Identities;

  constructor(db: SqlDatabase) {
    this.db = db;
    const payouts = new PayoutReader(db);
    this.#identities = {
      request: identityReader(db),
      payout: (sequence) => payouts.identityOf(sequence),
    };
  }

  /**
   * Returns events whose id is greater than a cursor, by ascending id. Events are missing if the cursor is below {@link
   * expiredUpTo}.
   * @param limit largest number of events.
   * @param types absent: all types.
   * @param options.live true: events of the wallet's history are left out.
   */
  after(
    id: number,
    limit: number,
    types?: readonly EventType[],
    { live = false }: { readonly live?: boolean } = {},
  ): WalletEvent[] {
    const arrival = this.arrivalHeight();
    const rows =
      types === undefined && !live
        ? this.db.bigints.rows<EventRow>('SELECT * FROM event WHERE id > ? ORDER BY id LIMIT ?', id, limit)
        : this.db.bigints.rows<EventRow>(
            `SELECT * FROM event
             WHERE id > :id AND (:codes IS NULL OR type IN (SELECT value FROM json_each(:codes)))
               AND (type NOT IN (${OF_BLOCKS.join()}) OR coalesce(height, :liveFrom) >= :liveFrom)
             ORDER BY id LIMIT :limit`,
            {
              ...{ id, limit, liveFrom: live ? arrival : 0 },
              codes: types === undefined ? null : JSON.stringify(codesOf(types)),
            },
          );
    return rows.map((row) => this.#eventOf(row, arrival));
  }

  /** Returns the event of a row. @param arrival height below which blocks are history of the wallet. */
  #eventOf(row: EventRow, arrival: number): WalletEvent {
    const event = eventOf(row, this.#identities);
    const isHistory = isOfBlock(row) && row.height !== null && toNumber(row.height) < arrival;
    return isHistory ? { ...event, history: true } : event;
  }

  /** Returns the height below which blocks are history of the wallet; a value above all heights until it is known. */
  arrivalHeight(): number {
    return this.db.value<number | null>(ARRIVAL) ?? 0;
  }

  /**
   * Returns the latest events of the given types, newest first.
   * @param among number of the latest events of any type that are looked at.
   */
  latest(limit: number, types: readonly EventType[], among = Number.MAX_SAFE_INTEGER): WalletEvent[] {
    const arrival = this.arrivalHeight();
    return this.db.bigints
      .rows<EventRow>(
        `SELECT * FROM (SELECT * FROM event ORDER BY id DESC LIMIT ?)
         WHERE type IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT ?`,
        among,
        JSON.stringify(codesOf(types)),
        limit,
      )
      .map((row) => this.#eventOf(row, arrival));
  }

  /**
   * Returns the events about a subject among a number of events below an id, newest first.
   * @param above id that the events are greater than. @param span largest number of events that are looked at.
   * @returns the events, and the id below which the search goes on; undefined once it has ended.
   */
  about(
    { hashes = [], subaddress, payout }: EventSubject,
    { below, above }: { readonly below: number; readonly above: number },
    span: number,
  ): { readonly events: WalletEvent[]; readonly next?: number } {
    const arrival = this.arrivalHeight();
    const range = 'FROM event WHERE id < :below AND id > :above ORDER BY id DESC LIMIT :span';
    const next = this.db.value<number>(`SELECT id ${range.replace('LIMIT :span', 'LIMIT 1 OFFSET :last')}`, {
      below,
      above,
      last: span - 1,
    });
    const rows = this.db.bigints.rows<EventRow>(
      `SELECT * FROM (SELECT * ${range}) WHERE lower(hex(tx_hash)) IN (SELECT value FROM json_each(:hashes))
         OR minor = :minor AND account = :account
         OR type IN (SELECT value FROM json_each(:codes)) AND json_extract(data, '$.payout') = :payout`,
      {
        ...{ below, above, span, hashes: JSON.stringify(hashes.map(toHex)) },
        ...{ account: subaddress?.major ?? null, minor: subaddress?.minor ?? null, payout: payout ?? null },
        codes: payout === undefined ? '[]' : JSON.stringify(PAYOUT_CODES),
      },
    );
    return {
      events: rows.map((row) => this.#eventOf(row, arrival)),
      ...(next == null ? {} : { next }),
    };
  }

  /** Returns the greatest id of the wallet's events, including expired ones; 0 if there was no event. */
  last(): number {
    return this.db.value<number | null>('SELECT max(id) FROM event') ?? this.expiredUpTo();
  }

  /** Returns true if the next read of the mempool may change a reported payment or transfer. */
  awaitsPool(): boolean {
    const awaits = this.db.value<number>(
      `SELECT EXISTS (SELECT 1 FROM seen_payment WHERE gone_height IS NOT NULL OR tx_hash NOT IN (SELECT tx_hash FROM pool_tx))
         OR EXISTS (SELECT 1 FROM reported_transfer)`,
    );
    return awaits === 1;
  }

  /** Returns the trace of the call that caused an event; undefined if no trace is known. */
  traceOf(id: number): Trace | undefined {
    const row = this.db.row<{ readonly trace_id: Uint8Array; readonly sampled: number }>(
      'SELECT trace_id, sampled FROM event_trace WHERE event = ?',
      id,
    );
    return row && { traceId: toHex(row.trace_id), sampled: row.sampled !== 0 };
  }

  /** Returns the id of the oldest stored event; undefined if there is none. */
  oldestId(): number | undefined {
    return this.db.value<number>('SELECT id FROM event ORDER BY id LIMIT 1');
  }

  /** Returns the greatest id of a deleted event; 0 if no event was deleted. */
  expiredUpTo(): number {
    return Number(this.db.value<string>("SELECT value FROM meta WHERE key = 'events_expired'") ?? '0');
  }
}

export class EventWriter extends EventReader {
  readonly #ids: EventIds;
  readonly #meta: MetaWriter;
  #appended = 0;
  /** Trace of the call that causes the next events. */
  #cause: Trace | undefined;

  constructor(db: SqlDatabase, ids: EventIds) {
    super(db);
    this.#ids = ids;
    this.#meta = new MetaWriter(db);
  }

  /** Number of events that this writer has appended. */
  get appended(): number {
    return this.#appended;
  }

  /** Returns the Unix time [s]. */
  now(): number {
    return Math.floor(this.#ids.now() / 1000);
  }

  /** Sets the trace of the call that causes the next events; undefined: no call causes them. */
  setCause(trace: Trace | undefined): void {
    this.#cause = trace;
  }

  /**
   * Appends an event.
   * @param stages stages of the same payment, comma separated; they get the ids after the id of the event.
   * @returns the id of the event.
   */
  append(event: NewEvent, stages = ''): number {
    const [type, hash, account, minor, value, height, timestamp, data] = rowOf(event);
    const count = countOf(stages);
    const id = this.#ids.take(1 + count);
    const time = Math.floor(this.#ids.now());
    const confirmations = event.type === 'payment.confirmed' ? event.data.confirmations : null;
    this.db.run(insertWith(stages), {
      ...{ id, time, type, confirmations, hash, account, minor, value, height, timestamp, data },
    });
    if (this.#cause !== undefined)
      this.db.run(
        'INSERT INTO event_trace (event, trace_id, sampled) SELECT id, ?, ? FROM event WHERE id >= ?',
        fromHex(this.#cause.traceId),
        Number(this.#cause.sampled),
        id,
      );
    this.#appended += 1 + count;
    return id;
  }

  /**
   * Appends the stages of all payments at the heights from `min` to `max`, both inclusive, without reading the payments
   * into memory.
   */
  appendStages(min: number, max: number, { none, coinbase, other }: StageTexts): void {
    // There are at most as many payments as outputs. Ids that remain unused become gaps.
    const most =
      this.db.value<number>('SELECT count(*) FROM owned_output WHERE height BETWEEN ? AND ?', min, max) ?? 0;
    if (most === 0) return;
    const before = this.#ids.take(1 + most * Math.max(...[none, coinbase, other].map(countOf)));
    const time = Math.floor(this.#ids.now());
    // SQLite numbers rows without an id after the greatest one: a window function would take as long as all else.
    this.db.run('INSERT INTO event (id, type, time) VALUES (?, 0, 0)', before);
    // The groups have the order of their columns.
    this.#appended += this.db.run(
      `INSERT INTO event (type, confirmations, tx_hash, account, minor, amount, height, timestamp, data, time)
       SELECT ${STAGE}, tx_hash, account, minor, total, height, timestamp, ${FACTS}, :time
       FROM (${PAYMENTS}) p CROSS JOIN ${eachStage('p.stages')}`,
      { min, max, time, none, coinbase, other },
    ).changes;
    this.db.run('DELETE FROM event WHERE id = ?', before);
  }

  /** Returns the id of the latest `payment.mined` event of a payment; undefined after the event has expired. */
  minedId({ height, txHash, subaddress: { major, minor } }: MinedPaymentFacts): number | undefined {
    return this.db.value<number>(
      `SELECT id FROM event WHERE type = 2 AND height = ? AND tx_hash = ? AND account = ? AND minor = ?
       ORDER BY id DESC LIMIT 1`,
      height,
      txHash,
      major,
      minor,
    );
  }

  /**
   * Deletes events up to an id, oldest first.
   * @param max largest number of events to delete.
   * @returns true if further events may be deleted.
   */
  expire(upTo: number, max: number): boolean {
    const expired = this.db.values<number>(
      'SELECT id FROM event WHERE id <= ? ORDER BY id LIMIT ?',
      upTo,
      max,
    );
    const last = expired.at(-1);
    if (last === undefined) return false;
    this.db.run('DELETE FROM event WHERE id <= ?', last);
    this.#meta.set('events_expired', String(last));
    return expired.length === max;
  }
}

/** Id of the latest event at a time. */
export interface EventMark {
  readonly last: number;
  /** Latest possible time at which the mark was made [Unix s]. */
  readonly time: number;
}

/** Reads marks, which show the least age of events. */
export class EventMarkReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns the mark of the greatest id; undefined if there is no mark. */
  newest(): EventMark | undefined {
    return this.db.row<EventMark>('SELECT last, time FROM event_mark ORDER BY last DESC LIMIT 1');
  }

  /** Returns the greatest id of an event that certainly existed before a time [Unix s]; 0 if no such event is known. */
  upTo(time: number): number {
    return this.db.value<number | null>('SELECT max(last) FROM event_mark WHERE time < ?', time) ?? 0;
  }
}

/** Writes marks. As every writer, it exists only for the task of `WalletStore.write`. */
export class EventMarkWriter extends EventMarkReader {
  /** Adds a mark, in place of marks with later times. */
  add({ last, time }: EventMark): void {
    this.db.run('DELETE FROM event_mark WHERE time > ?', time);
    this.db.run('INSERT INTO event_mark (last, time) VALUES (?, ?) ON CONFLICT DO NOTHING', last, time);
  }

  /** Deletes the marks below an id, because they add no information to the mark of the id. */
  dropBelow(last: number): void {
    this.db.run('DELETE FROM event_mark WHERE last < ?', last);
  }
}
