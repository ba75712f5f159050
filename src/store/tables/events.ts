import type { EventType, MinedPaymentFacts, WalletEvent } from '../../model/events.js';
import { fromHex, toHex } from '../../util/bytes.js';
import type { Trace } from '../../util/trace.js';
import type { EventIds } from '../file/event-ids.js';
import { toNumber } from './columns.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { EventStageWriter, StageRangeReader, type StageTexts } from './event-stages.js';
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
} from './event-row.js';
import { MetaWriter } from './meta.js';
import { identityReader } from './payment-requests.js';

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
  protected readonly db: SqlDatabase;
  readonly #ranges: StageRangeReader;
  readonly #identityOf: IdentityOf;

  constructor(db: SqlDatabase) {
    this.db = db;
    this.#ranges = new StageRangeReader(db);
    this.#identityOf = identityReader(db);
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
    let from = this.db.value<number>('SELECT id FROM event WHERE id <= ? ORDER BY id DESC LIMIT 1', id) ?? 0;
    while (found.length < limit) {
      const most = Math.min(CHUNK, limit - found.length + 1);
      const rows =
        types === undefined && liveFrom === 0
          ? this.db.bigints.rows<EventRow>(
              'SELECT * FROM event WHERE id >= ? ORDER BY id LIMIT ?',
              from,
              most,
            )
          : this.#typed({ from, codes, staged, liveFrom, limit: most });
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

  #typed(query: TypedQuery): EventRow[] {
    return this.db.bigints.rows<EventRow>(
      `SELECT * FROM event WHERE id >= :from
         AND (:codes IS NULL OR type IN (SELECT value FROM json_each(:codes))
           OR (:staged AND (stages IS NOT NULL OR type = ${RANGE})))
         AND NOT (height < :liveFrom AND type IN (${OF_BLOCKS.join()}))
       ORDER BY id LIMIT :limit`,
      query,
    );
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
    return this.db.value<number | null>(ARRIVAL) ?? 0;
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
    return this.db.bigints
      .rows<EventRow>(
        'SELECT * FROM event WHERE type IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT ?',
        JSON.stringify(codes),
        limit,
      )
      .flatMap((row) => this.#eventsOf(row, arrival).reverse())
      .filter(({ type }) => types.includes(type))
      .slice(0, limit);
  }

  /** Returns the greatest id of the wallet's events, including expired ones; 0 if there was none. */
  last(): number {
    const row = this.db.row<SpanRow>(`${SPANS} ORDER BY e.id DESC LIMIT 1`);
    return row === undefined ? this.expiredUpTo() : lastIdOf(row);
  }

  /** Returns true if the next read of the mempool may change a reported payment or transfer. */
  awaitsPool(): boolean {
    const awaits = this.db.value<number>(
      `SELECT EXISTS (SELECT 1 FROM seen_payment WHERE gone_height IS NOT NULL OR tx_hash NOT IN (SELECT tx_hash FROM pool_tx))
         OR EXISTS (SELECT 1 FROM reported_transfer)`,
    );
    return awaits === 1;
  }

  /** Returns the trace of the call that caused an event; undefined if none is known. */
  traceOf(id: number): Trace | undefined {
    const row = this.db.row<{ readonly trace_id: Uint8Array; readonly sampled: number }>(
      'SELECT trace_id, sampled FROM event_trace WHERE event = (SELECT max(id) FROM event WHERE id <= ?)',
      id,
    );
    return row && { traceId: toHex(row.trace_id), sampled: row.sampled !== 0 };
  }

  /** Returns the id of the oldest stored row; undefined if there is none. */
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
  readonly #stages: EventStageWriter;
  #appended = 0;
  /** Trace of the call that causes the next events. */
  #cause: Trace | undefined;

  constructor(db: SqlDatabase, ids: EventIds) {
    super(db);
    this.#ids = ids;
    this.#meta = new MetaWriter(db);
    this.#stages = new EventStageWriter(db, ids);
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
    this.db.run(
      `INSERT INTO event (id, type, stages, tx_hash, account, minor, amount, height, timestamp, data, time)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      ...row,
      Math.floor(this.#ids.now()),
    );
    if (this.#cause !== undefined)
      this.db.run(
        'INSERT INTO event_trace (event, trace_id, sampled) VALUES (?, ?, ?)',
        id,
        fromHex(this.#cause.traceId),
        Number(this.#cause.sampled),
      );
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
   * Deletes events up to an id, oldest first. A row is kept while a later row of type {@link RANGE} refers to it. A row of
   * type {@link RANGE} whose referenced rows are deleted has expired too.
   * @param max largest number of rows to delete.
   * @returns true if further events may be deleted.
   */
  expire(upTo: number, max: number): boolean {
    const oldest = this.db
      .rows<SpanRow>(`${SPANS} ORDER BY e.id LIMIT ?`, max)
      .filter(({ id }) => id <= upTo);
    const referred = oldest.length === 0 ? 0 : this.#firstReferredAfter(upTo);
    const expired = oldest.filter(({ id }) => id < referred);
    const last = expired.at(-1);
    if (last === undefined) return false;
    this.db.run('DELETE FROM event WHERE id <= ?', last.id);
    const cutRange = this.db.row<SpanRow>(
      `SELECT r.id, e.type, e.stages, r.ids FROM ${RANGES}
       WHERE r.first_mined <= ? AND r.id > ? ORDER BY r.id DESC LIMIT 1`,
      last.id,
      last.id,
    );
    this.#meta.set('events_expired', String(lastIdOf(cutRange ?? last)));
    return expired.length === max;
  }

  /** Returns the smallest id to which a row of type {@link RANGE} above an id refers; Infinity if there is none. */
  #firstReferredAfter(id: number): number {
    const first = this.db.value<number>(
      `SELECT r.first_mined FROM ${RANGES} WHERE r.id > ? ORDER BY r.first_mined LIMIT 1`,
      id,
    );
    return first ?? Infinity;
  }
}
