import { randomUUID } from 'node:crypto';
import { toHex } from '../../util/bytes.js';
import { Listeners } from '../../util/listeners.js';
import { Mutex } from '../../util/concurrency.js';
import type { ClusterSecret } from '../cluster-secret.js';
import { OF_COMMAND, type ClusterLog } from '../cluster.js';
import { ClusterUnreachable } from '../errors.js';
import type { Lease, LossReason } from '../lease.js';
import { beatOf, extendAfterPromotion, MemberWatch, watchedColumns, type Watched } from './member-watch.js';
import { memberProof } from '../database/rows.js';
import { CallFailed, TIMELINE, type Row, type Session } from '../database/session.js';
import type { Sessions } from '../database/sessions.js';
import { monotonicMs, systemClock } from '../../util/clock.js';

/** A moment by the clocks of this process. */
export class Moment {
  readonly #monotonic = monotonicMs();
  readonly #wall = systemClock.now();

  /**
   * Returns the time since the moment [ms]: the monotonic clock stands still while the machine sleeps, the time of day
   * can be set back, so that the longer of both times counts.
   */
  elapsedMs(): number {
    return Math.max(monotonicMs() - this.#monotonic, systemClock.now() - this.#wall);
  }
}

/** The time from one joining of this process to the end of its leases. */
export class Term {
  /** Random identifier of the process in the database, a new one after each lapse. */
  readonly process = randomUUID();
  readonly #leaseMs: number;
  #renewed: Moment | undefined;
  #hasEnded = false;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** Begins the time of a lease anew. @param sent moment before the renewal was sent. */
  renewedAt(sent: Moment): void {
    // A renewal whose answer comes late, such as after the process was stopped, does not revive a lapsed term.
    if (this.#renewed !== undefined && this.remainingMs() === 0) this.end();
    else this.#renewed = sent;
  }

  remainingMs(): number {
    if (this.#hasEnded || this.#renewed === undefined) return 0;
    return Math.max(0, this.#leaseMs - this.#renewed.elapsedMs());
  }

  end(): void {
    this.#hasEnded = true;
  }
}

/** A lease of this process. */
export class HeldLease implements Lease {
  readonly name: string;
  readonly id: Uint8Array;
  readonly epoch: bigint;
  readonly term: Term;
  /** Moment at which the lease was known to be in the database. */
  readonly since = new Moment();
  #hasEnded = false;

  constructor(name: string, id: Uint8Array, epoch: bigint, term: Term) {
    this.name = name;
    this.id = id;
    this.epoch = epoch;
    this.term = term;
  }

  isValid(marginMs = 0): boolean {
    return this.remainingMs() > marginMs;
  }

  remainingMs(): number {
    return this.#hasEnded ? 0 : this.term.remainingMs();
  }

  end(): void {
    this.#hasEnded = true;
  }
}

export interface MembershipOptions {
  readonly sessions: Sessions;
  readonly secret: ClusterSecret;
  readonly url: string;
  readonly capacity: number;
  readonly leaseMs: number;
  readonly log: ClusterLog;
}

/** Number of renewals within the time of a lease. */
const RENEWALS = 4;

/** Pause after a renewal that failed [ms]. */
const RETRY_MS = 200;

/** Time after which the row of an ended process is deleted: until then, lists show the process as ended. */
const FORGOTTEN = '7 days';
/** Time after which the row of a command is deleted if the command was killed: no list shows it. */
const FORGOTTEN_COMMAND = '1 hour';

/**
 * Number of renewals after which another process of the same URL counts as living. The last renewal of a process that
 * was killed may come late, and after a promotion, another process may extend its leases like a renewal.
 */
const RENEWALS_OF_LIFE = 3;

/**
 * Row of this process in the table of members: joins, renews its leases, and lists them. One row of the database is
 * renewed, however many wallets the process holds; it is renewed without waiting for the quorum.
 */
export class Membership {
  readonly url: string;
  /** The other members, as this process has seen them. */
  readonly watch = new MemberWatch();
  readonly #options: MembershipOptions;
  /** Lock that lets one call run at a time. */
  readonly #calls = new Mutex();
  readonly #held = new Map<string, HeldLease>();
  readonly #lost = new Listeners<[lease: Lease, reason: LossReason]>();
  #session: Session | undefined;
  #term: Term;
  #isClosed = false;
  #nextRenewal: NodeJS.Timeout | undefined;
  #lapse: NodeJS.Timeout | undefined;
  #isFailing = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.url = options.url;
    this.#term = new Term(options.leaseMs);
  }

  /** The present term, which may have lapsed. */
  get term(): Term {
    return this.#term;
  }

  onLost(listener: (lease: Lease, reason: LossReason) => void): void {
    this.#lost.add(listener);
  }

  leaseOf(name: string): HeldLease | undefined {
    return this.#held.get(name);
  }

  /** Adds a lease that the database has given to the present term. */
  add(lease: HeldLease): void {
    this.#held.get(lease.name)?.end();
    this.#held.set(lease.name, lease);
  }

  /** Ends a lease, without a call of the listeners. */
  end(lease: Lease): void {
    const held = this.#held.get(lease.name);
    if (held !== lease) return;
    held.end();
    this.#held.delete(lease.name);
  }

  /** Ends a lease that the database says is gone, unless it ended before. */
  lose(lease: Lease, reason: LossReason): void {
    if (this.#held.get(lease.name) !== lease) return;
    this.end(lease);
    this.#lost.notify(lease, reason);
  }

  /**
   * Joins the cluster. Waits until an earlier process of the same URL has ended.
   * @returns false if such a process lives on. @throws CallFailed, ClusterRefused
   */
  async join(): Promise<boolean> {
    for (;;) {
      const earlier = await this.#calls.run(() => this.#join(this.#term));
      if (earlier === undefined) break;
      if (earlier.moves >= RENEWALS_OF_LIFE) return false;
      await new Promise((resolve) => setTimeout(resolve, Math.min(earlier.remainingMs + 10, RETRY_MS)));
    }
    this.#schedule();
    return true;
  }

  /** Renews the term now. @throws ClusterUnreachable */
  async renew(): Promise<void> {
    try {
      await this.#calls.run(() => this.#renew());
    } catch (cause) {
      if (!(cause instanceof Error)) throw cause;
      throw new ClusterUnreachable(`the leases were not renewed: ${cause.message}`, { cause });
    }
  }

  /** Ends the renewals. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#nextRenewal);
    clearTimeout(this.#lapse);
    this.#term.end();
    this.#session?.end();
  }

  /** Renews the leases at intervals, counted from the end of each renewal. */
  #schedule(): void {
    const { leaseMs } = this.#options;
    const again = (ms: number): void => {
      if (!this.#isClosed) this.#nextRenewal = setTimeout(() => void run(), ms);
    };
    const run = async (): Promise<void> => {
      try {
        await this.#calls.run(() => this.#renew());
        if (this.#isFailing) this.#options.log.info({}, 'the leases are renewed again');
        this.#isFailing = false;
        again(leaseMs / RENEWALS);
      } catch (error) {
        if (this.#isClosed) return;
        if (!this.#isFailing)
          this.#options.log.warn({ reason: (error as Error).message }, 'the leases are not renewed');
        this.#isFailing = true;
        again(RETRY_MS);
      }
    };
    again(leaseMs / RENEWALS);
  }

  /** Loses all leases at the moment when the term lapses. */
  #watch(): void {
    clearTimeout(this.#lapse);
    const remainingMs = this.#term.remainingMs();
    if (remainingMs === 0) this.#endTerm('lapsed');
    else this.#lapse = setTimeout(() => this.#watch(), remainingMs + 1);
  }

  #endTerm(reason: LossReason): void {
    this.#term.end();
    for (const lease of [...this.#held.values()]) this.lose(lease, reason);
  }

  /** Returns a connection that commits without waiting for the quorum. */
  async #connection(limitMs: number): Promise<Session> {
    const { sessions } = this.#options;
    // A former primary would commit renewals that no other process sees.
    if (this.#session !== undefined && sessions.isUsable(this.#session)) return this.#session;
    this.#session?.end();
    const session = await sessions.connect(limitMs);
    if (this.#isClosed) {
      session.end();
      throw new CallFailed('lost', 'the cluster is closed');
    }
    this.#session = session;
    await session.call(limitMs, (sql) => sql`SET synchronous_commit = local`);
    return session;
  }

  /** Longest wait for an answer to a renewal, which leaves time for another renewal [ms]. */
  get #limitMs(): number {
    return this.#options.leaseMs / 2;
  }

  async #renew(): Promise<void> {
    if (this.#term.remainingMs() === 0) {
      this.#endTerm('lapsed');
      const next = new Term(this.#options.leaseMs);
      if ((await this.#join(next, this.#term.process)) !== undefined)
        throw new CallFailed('refused', `another process has joined the cluster as ${this.url}`);
      this.#options.log.info({ url: this.url }, 'joined the cluster again after a lapse');
      return;
    }
    const sent = new Moment();
    const term = this.#term;
    const session = await this.#connection(this.#limitMs);
    const rows = await session.call(
      this.#limitMs,
      (sql) => sql`
        WITH renewed AS (
          UPDATE wallet_rpc.member
          SET expires = clock_timestamp() + lease_ms * interval '1 millisecond', timeline = ${sql.unsafe(TIMELINE)}
          WHERE url = ${this.url} AND process = ${term.process}::uuid
          RETURNING process)
        SELECT (SELECT count(*) FROM renewed) = 1 AS renewed, id, epoch
        FROM (VALUES (true)) AS one (one) LEFT JOIN wallet_rpc.wallet ON holder = ${this.url}`,
    );
    if (rows[0]?.['renewed'] !== true) {
      this.#endTerm('lapsed');
      await this.#renew();
      return;
    }
    term.renewedAt(sent);
    this.#watch();
    this.#compare(rows, sent);
  }

  /** Compares the leases of this process with its leases in the database. */
  #compare(rows: readonly Row[], sent: Moment): void {
    const epochs = new Map<string, bigint>();
    for (const { id, epoch } of rows)
      if (id instanceof Uint8Array) epochs.set(toHex(id), BigInt(String(epoch)));
    for (const lease of [...this.#held.values()])
      // A lease that is younger than the question cannot be in the answer.
      if (epochs.get(toHex(lease.id)) !== lease.epoch && lease.since.elapsedMs() > sent.elapsedMs())
        this.lose(lease, 'taken');
  }

  /**
   * Becomes a member with a term.
   * @param former the process of an earlier term, which is replaced. @returns another process that has not ended.
   */
  async #join(term: Term, former = term.process): Promise<Watched | undefined> {
    const { capacity, leaseMs, secret } = this.#options;
    const proof = memberProof(secret, this.url, term.process);
    const session = await this.#connection(this.#limitMs);
    await session.call(this.#limitMs, (sql) => extendAfterPromotion(sql, this.url));
    const [known = {}] = await session.call(
      this.#limitMs,
      (sql) => sql`SELECT ${watchedColumns(sql)} FROM wallet_rpc.member WHERE url = ${this.url}`,
    );
    const earlier = this.watch.note(this.url, known);
    const ended = earlier.remainingMs > 0 ? '' : earlier.beat;
    const sent = new Moment();
    const [joined] = await session.call(
      this.#limitMs,
      (sql) => sql`
        INSERT INTO wallet_rpc.member AS known (url, process, capacity, lease_ms, expires, timeline, proof)
        VALUES (${this.url}, ${term.process}::uuid, ${capacity}, ${leaseMs},
          clock_timestamp() + ${leaseMs} * interval '1 millisecond', ${sql.unsafe(TIMELINE)}, ${proof}::bytea)
        ON CONFLICT (url) DO UPDATE
        SET process = excluded.process, capacity = excluded.capacity, lease_ms = excluded.lease_ms,
          expires = excluded.expires, timeline = excluded.timeline, proof = excluded.proof
        WHERE known.process IS NULL OR ${beatOf(sql, 'known')} = ${ended}
          OR known.process IN (${term.process}::uuid, ${former}::uuid)
        RETURNING url`,
    );
    if (joined === undefined) return earlier;
    term.renewedAt(sent);
    this.#term = term;
    this.#watch();
    await session.call(
      this.#limitMs,
      (sql) => sql`
        DELETE FROM wallet_rpc.member
        WHERE expires < clock_timestamp()
            - CASE capacity WHEN ${OF_COMMAND} THEN ${FORGOTTEN_COMMAND} ELSE ${FORGOTTEN} END::interval
          AND NOT EXISTS (SELECT FROM wallet_rpc.wallet WHERE holder = url)`,
    );
    return undefined;
  }
}
