import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../util/clock.js';
import { within } from '../../util/outbound/call-end.js';
import { Semaphore } from '../../util/concurrency.js';
import type { DatabaseAddress, DatabaseHost } from './address.js';
import type { ClusterLog } from '../cluster.js';
import { ClusterRefused, ClusterUnreachable, NotReplicated } from '../errors.js';
import { CallFailed, POOLED, Session, type Change, type Row, type Sql, type Statement } from './session.js';

/** Largest number of writes at the same time, each on a connection of its own. */
const MOST_WRITES = 16;

/** Largest number of reads at the same time: writes that wait for a quorum must not keep reads waiting. */
const MOST_READS = 4;

/** Longest wait for a connection to one server if a failed call looks for a server again [ms]. */
const CONNECT_MS = 2000;

/**
 * Time for other servers to answer, after a server that takes writes has answered [ms]: a former primary may be among
 * them.
 */
const OTHERS_MS = 300;

/** Time for a statement that moves many rows or bytes, in times of the wait for an answer. */
const LONG_TIMES = 12;

/** Pause before a call is repeated [ms]. */
const PAUSE_MS = 100;

/** The oldest version that is used: 14. */
const OLDEST_VERSION = 140_000;

/**
 * SQLSTATEs, by their beginnings, of refusals that pass: connection, resources, shutdown, standby, cancelled, locked,
 * serialization. Source: PostgreSQL, appendix A.
 */
const PASSING = ['08', '53', '57', '25006', '40', '55P03', '58'];

const passes = ({ kind, code = '' }: CallFailed): boolean =>
  kind !== 'refused' || PASSING.some((beginning) => code.startsWith(beginning));

/** SQLSTATEs of a refused user or password, and of a database that does not exist. */
const LOGIN = ['28000', '28P01', '3D000'];

/** True for a value of `synchronous_standby_names` with which commits wait for at least one standby. */
export const isQuorum = (standbyNames: string): boolean => standbyNames.trim() !== '';

export interface SessionsOptions {
  readonly address: DatabaseAddress;
  /** Longest wait for an answer [ms]. */
  readonly timeoutMs: number;
  readonly isSingle: boolean;
  readonly log: ClusterLog;
}

/** Connections to the server of a cluster that takes writes, which are opened when calls need them. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #idle: Session[] = [];
  readonly #used = new Set<Session>();
  readonly #writes = new Semaphore(MOST_WRITES);
  readonly #reads = new Semaphore(MOST_READS);
  #isClosed = false;
  /** The server that took writes last. */
  #current: DatabaseHost | undefined;
  /** The highest timeline seen: a server below it was replaced, and must not be used again. */
  #timeline = '';

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Longest wait for a statement that moves many rows or bytes, for which no call of a client waits [ms]. */
  get longMs(): number {
    return LONG_TIMES * this.#options.timeoutMs;
  }

  /**
   * Runs a statement that changes nothing, and repeats it after a lost connection.
   * @throws ClusterUnreachable if no server answers within the time limit.
   */
  async read(statement: Statement, limitMs = this.#options.timeoutMs): Promise<readonly Row[]> {
    return this.#repeat(
      this.#reads,
      limitMs,
      (session, leftMs) => session.call(leftMs, statement),
      (reason, cause) =>
        new ClusterUnreachable(`the database of the cluster does not answer: ${reason}`, { cause }),
    );
  }

  /**
   * Runs a statement that changes rows, and waits for the quorum. After a failure the statement runs again, until the
   * time limit: a second run must change nothing more, and waits for the quorum as well.
   * @param lock number of a lock that is taken before: the statement sees the changes that others committed under the
   * lock.
   * @throws NotReplicated; ClusterUnreachable if the statement was not sent at all.
   */
  async write(change: (sql: Sql) => Change, limitMs = this.#options.timeoutMs, lock?: bigint): Promise<Row> {
    let wasSent = false;
    return this.#repeat(
      this.#writes,
      limitMs,
      (session, leftMs) => {
        wasSent = true;
        return session.commit(leftMs, change, this.#options.isSingle, lock);
      },
      (reason, cause) =>
        wasSent
          ? new NotReplicated(reason, { cause })
          : new ClusterUnreachable(`the database of the cluster does not answer: ${reason}`, { cause }),
    );
  }

  /**
   * Opens a connection of the caller's own to the server that takes writes; the caller ends the session.
   * @param connectMs longest wait for a connection to one server [ms]; longer at the start, when no later call looks
   * for a server again.
   * @throws CallFailed, ClusterRefused `no_quorum`, `login`, `pooler`, `version`
   */
  async connect(limitMs: number, connectMs = CONNECT_MS): Promise<Session> {
    const end = monotonicMs() + limitMs;
    const current = this.#current;
    const { hosts } = this.#options.address;
    if (current !== undefined)
      try {
        return this.#accept(await this.#connectTo(current, Math.min(limitMs, connectMs)));
      } catch {
        this.#current = undefined; // The server is down, or was replaced by another server: all servers are asked.
      }
    const leftMs = end - monotonicMs();
    return this.#accept(await this.#newest(hosts, Math.min(leftMs, connectMs)));
  }

  /** True if a connection is open, and no other server is known to have been promoted since it was opened. */
  isUsable(session: Session): boolean {
    return session.isOpen && session.state.timeline >= this.#timeline;
  }

  /** Ends unused connections, so that the next calls look for the server that takes writes. */
  reset(): void {
    this.#current = undefined;
    for (const session of this.#idle.splice(0)) session.end();
  }

  /** Ends all connections. Calls that run fail. */
  close(): void {
    this.#isClosed = true;
    this.reset();
    for (const session of this.#used) session.end();
  }

  async #repeat<T>(
    places: Semaphore,
    limitMs: number,
    call: (session: Session, leftMs: number) => Promise<T>,
    failure: (reason: string, cause: unknown) => Error,
  ): Promise<T> {
    const end = monotonicMs() + limitMs;
    await within(
      limitMs,
      () => failure('earlier calls wait for an answer', undefined),
      [],
      (signal) => places.take(signal),
    );
    try {
      let cause: unknown;
      for (let leftMs = end - monotonicMs(); leftMs > 0 && !this.#isClosed; leftMs = end - monotonicMs()) {
        try {
          return await this.#once(leftMs, end, call);
        } catch (error) {
          if (!(error instanceof CallFailed) && !(error instanceof ClusterRefused)) throw error;
          // A missing answer, perhaps only because the time was over, says less than an earlier failure, which stays
          // the cause.
          if (cause === undefined || !(error instanceof CallFailed && error.kind === 'late')) cause = error;
          if (error instanceof CallFailed && !passes(error)) break;
        }
        await pause(Math.min(PAUSE_MS, Math.max(0, end - monotonicMs())));
      }
      if (cause instanceof CallFailed && !passes(cause))
        throw new ClusterUnreachable(`the database of the cluster refuses a call: ${cause.message}`, {
          cause,
        });
      const reason = this.#isClosed
        ? 'the cluster is closed'
        : cause instanceof Error
          ? cause.message
          : 'no answer';
      throw failure(reason, cause);
    } finally {
      places.give();
    }
  }

  async #once<T>(
    leftMs: number,
    end: number,
    call: (session: Session, leftMs: number) => Promise<T>,
  ): Promise<T> {
    const session = this.#takeIdle() ?? (await this.connect(leftMs));
    if (this.#isClosed) session.end();
    this.#used.add(session);
    try {
      return await call(session, end - monotonicMs());
    } catch (error) {
      // Other connections to this server may be dead or silent in the same way.
      if (error instanceof CallFailed && error.kind !== 'refused') this.reset();
      // A server that refuses for a time may be a primary that became a standby: the next call looks for a server
      // again.
      else if (error instanceof CallFailed && passes(error)) {
        session.end();
        this.reset();
      }
      throw error;
    } finally {
      this.#used.delete(session);
      if (session.isOpen && !this.#isClosed) this.#idle.push(session);
    }
  }

  #takeIdle(): Session | undefined {
    for (;;) {
      const session = this.#idle.pop();
      if (session === undefined || session.isOpen) return session;
    }
  }

  #connectTo(host: DatabaseHost, limitMs: number): Promise<Session> {
    const { address, timeoutMs } = this.#options;
    return Session.connect(address, host, limitMs, timeoutMs);
  }

  /**
   * Connects to all servers, and returns the server that takes writes and was promoted last.
   * @throws CallFailed, `late` if the time was over for any server; ClusterRefused `login`, `pooler`
   */
  async #newest(hosts: readonly DatabaseHost[], limitMs: number): Promise<Session> {
    const found: Session[] = [];
    const failures: CallFailed[] = [];
    let isChosen = false;
    let enough = (): void => undefined;
    const shortly = new Promise<void>((resolve) => (enough = resolve));
    let timer: NodeJS.Timeout | undefined;
    const attempts = hosts.map(async (host) => {
      try {
        const session = await this.#connectTo(host, limitMs);
        if (isChosen || !session.state.isWritable) {
          session.end();
          if (!isChosen) failures.push(new CallFailed('refused', `${host.host}:${host.port} is a standby`));
          return;
        }
        found.push(session);
        timer ??= setTimeout(enough, OTHERS_MS);
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error;
        failures.push(error);
      }
    });
    await Promise.race([Promise.all(attempts), shortly]);
    clearTimeout(timer);
    isChosen = true;
    const [newest, ...older] = found.sort((a, b) => (a.state.timeline > b.state.timeline ? -1 : 1));
    for (const session of older) session.end();
    if (newest !== undefined) return newest;
    const login = failures.find(({ code = '' }) => LOGIN.includes(code));
    if (login !== undefined)
      throw new ClusterRefused('login', `--cluster: the database refuses the login: ${login.message}`, {
        cause: login,
      });
    const pooled = failures.find(({ code }) => code === POOLED);
    if (pooled !== undefined)
      throw new ClusterRefused(
        'pooler',
        `--cluster: PgBouncer, or another pooler of connections, stands before the database (${pooled.message}): leases and locks need sessions of their own, so give the address of PostgreSQL itself`,
        { cause: pooled },
      );
    const reasons = [...new Set(failures.map(({ message }) => message))].join('; ');
    const wasLate = failures.some(({ kind }) => kind === 'late');
    throw new CallFailed(wasLate ? 'late' : 'lost', `no server takes writes (${reasons})`);
  }

  /** Checks that a server may be used. @throws CallFailed, ClusterRefused, and ends the session. */
  #accept(session: Session): Session {
    const { host } = session;
    const { isWritable, timeline, standbyNames, version } = session.state;
    const name = `${host.host}:${host.port}`;
    const fail = (error: Error): never => {
      session.end();
      throw error;
    };
    if (!isWritable) fail(new CallFailed('refused', `${name} is a standby`, { code: '25006' }));
    if (timeline < this.#timeline)
      fail(
        new CallFailed('refused', `${name} is a former primary: its timeline ${timeline} is older`, {
          code: '25006',
        }),
      );
    if (version < OLDEST_VERSION)
      fail(new ClusterRefused('version', `--cluster: ${name} is older than PostgreSQL 14`));
    if (!this.#options.isSingle && !isQuorum(standbyNames))
      fail(
        new ClusterRefused(
          'no_quorum',
          `--cluster: ${name} acknowledges commits that it alone has, since synchronous_standby_names is empty: set it, such as to ANY 1 (b, c), or allow one machine by --cluster-single`,
        ),
      );
    if (timeline > this.#timeline && this.#timeline !== '')
      this.#options.log.info({ server: name, timeline }, 'another database server takes writes now');
    this.#timeline = timeline;
    this.#current = host;
    return session;
  }
}
