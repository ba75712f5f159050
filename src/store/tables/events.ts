import type { Statement } from '../../util/sql-database.js';
import type { EventType, MinedPaymentFacts, WalletEvent } from '../../model/events.js';
import { fromHex, toHex } from '../../util/bytes.js';
import type { Trace } from '../../util/trace.js';
import type { EventIds } from '../event-ids.js';
import { toNumber, type Integer } from '../sql/columns.js';
import type { Db } from '../file/database.js';
import { EventStageWriter } from './event-stages.js';
import {
  CODES,
  codesOf,
  eventsOf,
  isOfBlock,
  OF_BLOCKS,
  RANGE,
  rowOf,
  spanOf,
  type EventRow,
  type IdentityOf,
  type NewEvent,
  type NewRow,
} from './event-row.js';
import { MetaWriter } from './meta.js';
import { identityReader } from './payment-requests.js';
import { StageRangeReader, type StageTexts } from './stage-ranges.js';

/** SQL expression for the height below which blocks are history of the wallet. Until it is known, all blocks are. */
const ARRIVAL = `SELECT max(iif(key = 'arrived_at', ${Number.MAX_SAFE_INTEGER}, CAST(value AS INTEGER)))
  FROM meta WHERE key IN ('arrived_at', 'arrival_height')`;

/** Number of rows that are read at once. */
const CHUNK = 500;

interface SpanRow {
  readonly id: number;
  readonly type: number;
  readonly stages: string | null;
  /** Number of ids of a row of type {@link RANGE}; 0 for other rows. */
  readonly ids: number;
}

/** SQL columns of a {@link SpanRow}, with the time, and their tables. */
const SPANS = `SELECT e.id, e.type, e.stages, coalesce(r.ids, 0) AS ids, e.time
  FROM event e LEFT JOIN stage_range r USING (id)`;

/** Ranges with their rows of `event`. */
const RANGES = 'stage_range r CROSS JOIN event e USING (id)';

interface TypedQuery {
  readonly from: number;
  /** JSON list of type numbers; null: all types. */
  readonly codes: string | null;
  /** Height below which the rows of blocks are left out. */
  readonly liveFrom: number;
  readonly staged: number;
  readonly limit: number;
}

const isStage = (type: EventType): boolean => type === 'payment.confirmed' || type === 'payment.unlocked';

const lastIdOf = ({ id, type, stages, ids }: SpanRow): number =>
  id + (type === RANGE ? ids : spanOf(type, stages)) - 1;

/** Reads events by ascending id. */
export class EventReader {
  protected readonly db: Db;
  readonly #all: Statement<[number, number], EventRow>;
  readonly #typed: Statement<[TypedQuery], EventRow>;
  readonly #latest: Statement<[string, number], EventRow>;
  readonly #rowAt: Statement<[number], number>;
  readonly #last: Statement<[], SpanRow>;
  readonly #expired: Statement<[], string>;
  readonly #oldestId: Statement<[], number>;
  readonly #awaitsPool: Statement<[], number>;
  readonly #ranges: StageRangeReader;
  readonly #arrival: Statement<[], number | null>;
  readonly #identityOf: IdentityOf;
  readonly #trace: Statement<[number], { readonly trace_id: Uint8Array; readonly sampled: number }>;

  constructor(db: Db) {
    this.db = db;
    this.#arrival = db.prepare<[], number | null>(ARRIVAL).pluck();
    this.#ranges = new StageRangeReader(db);
    this.#identityOf = identityReader(db);
    const rows = <P extends unknown[]>(condition: string): Statement<P, EventRow> =>
      db.prepare<P, EventRow>(`SELECT * FROM event WHERE ${condition}`).safeIntegers();
    this.#all = rows('id >= ? ORDER BY id LIMIT ?');
    this.#typed = rows(
      `id >= :from
         AND (:codes IS NULL OR type IN (SELECT value FROM json_each(:codes))
           OR (:staged AND (stages IS NOT NULL OR type = ${RANGE})))
         AND NOT (height < :liveFrom AND type IN (${OF_BLOCKS.join()}))
       ORDER BY id LIMIT :limit`,
    );
    this.#latest = rows('type IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT ?');
    this.#rowAt = db
      .prepare<[number], number>('SELECT id FROM event WHERE id <= ? ORDER BY id DESC LIMIT 1')
      .pluck();
    this.#trace = db.prepare(
      'SELECT trace_id, sampled FROM event_trace WHERE event = (SELECT max(id) FROM event WHERE id <= ?)',
    );
    this.#last = db.prepare(`${SPANS} ORDER BY e.id DESC LIMIT 1`);
    this.#awaitsPool = db
      .prepare<[], number>(
        `SELECT EXISTS (SELECT 1 FROM seen_payment WHERE gone_height IS NOT NULL OR tx_hash NOT IN (SELECT tx_hash FROM pool_tx))
           OR EXISTS (SELECT 1 FROM reported_transfer)`,
      )
      .pluck();
    this.#oldestId = db.prepare<[], number>('SELECT id FROM event ORDER BY id LIMIT 1').pluck();
    this.#expired = db.prepare<[], string>("SELECT value FROM meta WHERE key = 'events_expired'").pluck();
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
    const found: WalletEvent[] = [];
    const wanted = types && new Set<EventType>(types);
    const codes = types === undefined ? null : JSON.stringify(codesOf(types));
    const arrival = this.arrivalHeight();
    const liveFrom = live ? arrival : 0;
    const staged = Number(
      wanted?.has('payment.confirmed') === true || wanted?.has('payment.unlocked') === true,
    );
    // The row that contains the event of the cursor may contain later events too.
    let from = this.#rowAt.get(id) ?? 0;
    while (found.length < limit) {
      const most = Math.min(CHUNK, limit - found.length + 1);
      const rows =
        types === undefined && liveFrom === 0
          ? this.#all.all(from, most)
          : this.#typed.all({ from, codes, staged, liveFrom, limit: most });
      for (const row of rows)
        for (const event of this.#eventsOf(row, arrival)) {
          const isWanted = event.id > id && wanted?.has(event.type) !== false;
          if (isWanted && !(live && event.history) && found.length < limit) found.push(event);
        }
      const last = rows.at(-1);
      if (last === undefined) break;
      from = toNumber(last.id) + 1;
    }
    return found;
  }

  /** Returns the events of a row. @param arrival height below which blocks are history of the wallet. */
  #eventsOf(row: EventRow, arrival: number): WalletEvent[] {
    if (row.type === BigInt(RANGE))
      return this.#ranges.rowsOf(row).flatMap((one) => this.#eventsOf(one, arrival));
    const isHistory = isOfBlock(row) && row.height !== null && toNumber(row.height) < arrival;
    const events = eventsOf(row, this.#identityOf);
    return isHistory ? events.map((event) => ({ ...event, history: true })) : events;
  }

  /** Returns the height below which blocks are history of the wallet; a value above all heights until it is known. */
  arrivalHeight(): number {
    return this.#arrival.get() ?? 0;
  }

  /**
   * Returns the latest events from rows that contain the given types, newest first; stages of a payment count as events
   * of their types.
   */
  latest(limit: number, types: readonly EventType[]): WalletEvent[] {
    const codes = [
      ...codesOf(types),
      ...(types.some(isStage) ? [CODES.stages, CODES['payment.mined'], RANGE] : []),
    ];
    const arrival = this.arrivalHeight();
    return this.#latest
      .all(JSON.stringify(codes), limit)
      .flatMap((row) => this.#eventsOf(row, arrival).reverse())
      .filter(({ type }) => types.includes(type))
      .slice(0, limit);
  }

  /** Returns the greatest id of the wallet's events, including expired ones; 0 if there was none. */
  last(): number {
    const row = this.#last.get();
    return row === undefined ? this.expiredUpTo() : lastIdOf(row);
  }

  /** Returns true if the next read of the mempool may change a reported payment or transfer. */
  awaitsPool(): boolean {
    return this.#awaitsPool.get() === 1;
  }

  /** Returns the trace of the call that caused an event; undefined if none is known. */
  traceOf(id: number): Trace | undefined {
    const row = this.#trace.get(id);
    return row && { traceId: toHex(row.trace_id), sampled: row.sampled !== 0 };
  }

  /** Returns the id of the oldest stored row; undefined if there is none. */
  oldestId(): number | undefined {
    return this.#oldestId.get();
  }

  /** Returns the greatest id of a deleted event; 0 if no event was deleted. */
  expiredUpTo(): number {
    return Number(this.#expired.get() ?? '0');
  }
}

export class EventWriter extends EventReader {
  readonly #ids: EventIds;
  readonly #meta: MetaWriter;
  readonly #stages: EventStageWriter;
  readonly #insert: Statement<[id: number, ...row: NewRow, time: number]>;
  readonly #mined: Statement<[number, Uint8Array, number, number], Integer>;
  readonly #oldest: Statement<[number], SpanRow>;
  readonly #delete: Statement<[number]>;
  readonly #referred: Statement<[number], number>;
  readonly #cutRange: Statement<[number, number], SpanRow>;
  readonly #insertTrace: Statement<[id: number, traceId: Uint8Array, sampled: number]>;
  #appended = 0;
  /** Trace of the call that causes the next events. */
  #cause: Trace | undefined;

  constructor(db: Db, ids: EventIds) {
    super(db);
    this.#ids = ids;
    this.#meta = new MetaWriter(db);
    this.#stages = new EventStageWriter(db, ids);
    this.#insert = db.prepare(
      `INSERT INTO event (id, type, stages, tx_hash, account, minor, amount, height, timestamp, data, time)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#insertTrace = db.prepare('INSERT INTO event_trace (event, trace_id, sampled) VALUES (?, ?, ?)');
    this.#mined = db
      .prepare<[number, Uint8Array, number, number], Integer>(
        `SELECT id FROM event WHERE type = 2 AND height = ? AND tx_hash = ? AND account = ? AND minor = ?
         ORDER BY id DESC LIMIT 1`,
      )
      .pluck();
    this.#oldest = db.prepare(`${SPANS} ORDER BY e.id LIMIT ?`);
    this.#referred = db
      .prepare<[number], number>(
        `SELECT r.first_mined FROM ${RANGES} WHERE r.id > ? ORDER BY r.first_mined LIMIT 1`,
      )
      .pluck();
    this.#cutRange = db.prepare(
      `SELECT r.id, e.type, e.stages, r.ids FROM ${RANGES}
       WHERE r.first_mined <= ? AND r.id > ? ORDER BY r.id DESC LIMIT 1`,
    );
    this.#delete = db.prepare('DELETE FROM event WHERE id <= ?');
  }

  /** Number of rows that this writer has appended. */
  get appended(): number {
    return this.#appended;
  }

  /** Returns the Unix time [s]. */
  now(): number {
    return Math.floor(this.#ids.now() / 1000);
  }

  /** Sets the trace of the call that causes the next events; undefined: no call does. */
  setCause(trace: Trace | undefined): void {
    this.#cause = trace;
  }

  /**
   * Appends an event.
   * @param stages stages of the same payment, comma separated; they get the ids after the event's own.
   * @returns the id of the event.
   */
  append(event: NewEvent, stages = ''): number {
    const row = rowOf(event, stages);
    const id = this.#ids.take(spanOf(row[0], row[1]));
    this.#insert.run(id, ...row, Math.floor(this.#ids.now()));
    if (this.#cause !== undefined)
      this.#insertTrace.run(id, fromHex(this.#cause.traceId), Number(this.#cause.sampled));
    this.#appended += 1;
    return id;
  }

  /**
   * Appends stages of all payments at the heights from `min` to `max`, both inclusive: see {@link EventStageWriter}.
   */
  appendStages(min: number, max: number, stages: StageTexts): void {
    this.#appended += this.#stages.append(min, max, stages);
  }

  /** Returns the id of the latest `payment.mined` event of a payment; undefined after the event has expired. */
  minedId({ height, txHash, subaddress: { major, minor } }: MinedPaymentFacts): number | undefined {
    const id = this.#mined.get(height, txHash, major, minor);
    return id === undefined ? undefined : Number(id);
  }

  /**
   * Deletes events up to an id, oldest first. A row is kept while a later row of type {@link RANGE} refers to it. A row of
   * type {@link RANGE} whose referenced rows are deleted has expired too.
   * @param max largest number of rows to delete.
   * @returns true if further events may be deleted.
   */
  expire(upTo: number, max: number): boolean {
    const oldest = this.#oldest.all(max).filter(({ id }) => id <= upTo);
    const referred = oldest.length === 0 ? 0 : (this.#referred.get(upTo) ?? Infinity);
    const expired = oldest.filter(({ id }) => id < referred);
    const last = expired.at(-1);
    if (last === undefined) return false;
    this.#delete.run(last.id);
    this.#meta.set('events_expired', String(lastIdOf(this.#cutRange.get(last.id, last.id) ?? last)));
    return expired.length === max;
  }
}
