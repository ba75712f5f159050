import { monotonicMs } from '../../util/clock.js';
import { numberOf } from '../database/rows.js';
import { TIMELINE, type Row, type Sql } from '../database/session.js';

/** Query of a part of a statement. */
type Fragment = ReturnType<Sql['unsafe']>;

/**
 * Part of the time of a lease that is added before a lease counts as ended: the clock of its holder may run more slowly
 * than the clock of this process.
 */
const MARGIN = 0.05;

/**
 * Writes the beat of a member, a text that each renewal changes, independently of the clock of the database: the number
 * of the last transaction that wrote the member's row, and the timeline of the database at that time.
 * @param table name of the row in the statement.
 */
export const beatOf = (sql: Sql, table = 'member'): Fragment =>
  sql.unsafe(`(${table}.timeline || ' ' || ${table}.xmin::text)`);

/** Writes the columns of a member that {@link MemberWatch.note} reads. */
export const watchedColumns = (sql: Sql): Fragment =>
  sql`member.process::text AS process, member.lease_ms, ${beatOf(sql)} AS beat`;

/** A member, as this process sees it. */
export interface Watched {
  /** Beat of the member; empty unless a process has joined under its URL. */
  readonly beat: string;
  /** Time that the leases of the member last without a further renewal [ms]; 0 once they have ended. */
  readonly remainingMs: number;
  /** Number of changes of the beat that were seen: after a change, the member is known to have renewed its leases. */
  readonly moves: number;
}

interface Sight {
  readonly beat: string;
  /** Time at which the beat was seen first, by the monotonic clock [ms]. */
  readonly since: number;
  readonly moves: number;
}

const GONE: Watched = { beat: '', remainingMs: 0, moves: 0 };

/**
 * The members of a cluster, as this process has seen them: a member whose beat stays the same for the time of its lease
 * has ended. The time is measured by a clock of this process that no one sets. The clock of the database decides
 * nothing: it may be set back or ahead, and the clock of a promoted standby may differ.
 */
export class MemberWatch {
  readonly #sights = new Map<string, Sight>();
  readonly #now: () => number;

  constructor(now: () => number = monotonicMs) {
    this.#now = now;
  }

  /** Notes the row of a member that was just read, with its {@link watchedColumns}. */
  note(url: string, row: Row): Watched {
    const { process, beat } = row;
    if (typeof process !== 'string' || typeof beat !== 'string') return GONE;
    const now = this.#now();
    const before = this.#sights.get(url);
    const sight =
      before?.beat === beat
        ? before
        : { beat, since: now, moves: before === undefined ? 0 : before.moves + 1 };
    this.#sights.set(url, sight);
    const leaseMs = numberOf(row, 'lease_ms');
    const remainingMs = Math.max(0, Math.min(leaseMs, leaseMs * (1 + MARGIN) - (now - sight.since)));
    return { beat, remainingMs, moves: sight.moves };
  }

  /** Forgets all members except those with the given URLs. */
  keep(urls: readonly string[]): void {
    for (const url of this.#sights.keys()) if (!urls.includes(url)) this.#sights.delete(url);
  }
}

/**
 * Gives a member the whole time of a lease from now on if its last renewal was made on another timeline: after a
 * promotion, the database may lack renewals that were committed on the former primary alone. The beat of the member
 * changes.
 */
export const extendAfterPromotion = (sql: Sql, url: string): Fragment =>
  sql`
    UPDATE wallet_rpc.member
    SET expires = clock_timestamp() + lease_ms * interval '1 millisecond', timeline = ${sql.unsafe(TIMELINE)}
    WHERE url = ${url} AND process IS NOT NULL AND timeline <> ${sql.unsafe(TIMELINE)}`;

/**
 * Removes the number of a member whose leases have ended, so that no late renewal revives them. Changes nothing if the
 * member has another beat by now, since it has renewed its leases.
 */
export const removeEnded = (sql: Sql, url: string, beat: string): Fragment =>
  sql`
    UPDATE wallet_rpc.member SET process = NULL
    WHERE url = ${url} AND ${beatOf(sql)} = ${beat} AND timeline = ${sql.unsafe(TIMELINE)}`;
