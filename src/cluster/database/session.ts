import postgres from 'postgres';
import type { DatabaseAddress, DatabaseHost } from './address.js';
import { DatabaseSocket } from './database-socket.js';

export type Sql = postgres.Sql;

/** One row of an answer: texts, numbers, booleans, buffers, null; integers of eight bytes are texts. */
export type Row = Readonly<Record<string, unknown>>;

/** Writes one statement; its rows are the result. */
export type Statement = (sql: Sql) => postgres.PendingQuery<postgres.Row[]>;

/** Parts of a statement that changes rows; {@link Session.commit} writes the rest of the statement. */
export interface Change {
  /** Tables of the WITH of the statement, some of which change rows. Absent: the statement changes nothing. */
  readonly tables?: ReturnType<Statement>;
  /** Columns of the answer to the statement. */
  readonly answer?: ReturnType<Statement>;
}

/** Kind of failure of a call to the database. */
export type FailureKind =
  | 'lost' // the connection ended before the answer: the outcome of a write is unknown
  | 'late' // no answer in time: the outcome is unknown, the wait was cancelled
  | 'doubtful' // answered with a warning, or by a database that lost its quorum: the outcome is unknown
  | 'refused'; // an error of the database: nothing was written

/** Error of a call to the database that has no valid result. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly kind: FailureKind;
  /** SQLSTATE of an error of the database. */
  readonly code: string | undefined;

  constructor(kind: FailureKind, message: string, options?: ErrorOptions & { readonly code?: string }) {
    super(message, options);
    this.kind = kind;
    this.code = options?.code;
  }
}

/** The state of a database when a session begins. */
export interface DatabaseState {
  /**
   * The eight hex digits with which the names of the server's log files begin; they grow with each promotion. Empty on
   * a standby.
   */
  readonly timeline: string;
  /** True if the server takes writes. */
  readonly isWritable: boolean;
  /** The value of `synchronous_standby_names`. */
  readonly standbyNames: string;
  /** The configured value of `synchronous_commit`, which our sessions do not use. */
  readonly synchronousCommit: string;
  /** True unless `fsync` is off. */
  readonly isFlushing: boolean;
  /** Version of the server, such as 150018. */
  readonly version: number;
  /** Time of the server [Unix ms]. */
  readonly time: number;
}

/** SQL of the timeline of a database that takes writes. */
export const TIMELINE = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)';

/**
 * Column that adds a record without a meaning to the log of the database. A commit without a record waits for no
 * standby: a statement that runs a second time, and finds that nothing is left to change, would be answered although
 * the change of its first run is not confirmed.
 */
const RECORD = `pg_logical_emit_message(true, 'wallet-rpc', '') AS record`;

/** Longest wait within a transaction of several statements, which only readers have [ms]. */
const MOST_IDLE_MS = 60_000;

/** Longest wait for a connection that carries a request to cancel [ms]. */
const CANCEL_MS = 2000;

/** Settings of a session, which take precedence over the settings of the server, the database and the user. */
const settingsOf = (timeoutMs: number): Record<string, string> => ({
  application_name: 'wallet-rpc',
  // A warning is the only sign that a wait for standbys was cancelled.
  client_min_messages: 'warning',
  // Statements re-read rows that changed while they waited for a lock.
  default_transaction_isolation: 'read committed',
  bytea_output: 'hex',
  lock_timeout: String(timeoutMs),
  statement_timeout: String(timeoutMs),
  idle_in_transaction_session_timeout: String(MOST_IDLE_MS),
  // Ends sessions of processes whose machine or network is gone.
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
});

const describe = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException;
  return message === '' ? String(code) : message;
};

/** Code of a failure because a pooler of connections, such as PgBouncer, stands before the server. */
export const POOLED = 'pooled';

/** Message of PgBouncer in place of a session with settings. Source: pgbouncer, client.c `set_startup_options`. */
const UNSUPPORTED_SETTING = /unsupported startup parameter/;

/** Turns an error of the client into ours, without the statement and its parameters. */
function failureOf(error: unknown): CallFailed {
  if (error instanceof CallFailed) return error;
  if (!(error instanceof postgres.PostgresError)) return new CallFailed('lost', describe(error));
  const { severity_local: severity, message } = error;
  const code = UNSUPPORTED_SETTING.test(message) ? POOLED : error.code;
  const options = { code };
  // A fatal error ends the session, and may come in place of the answer to a commit.
  return new CallFailed(
    severity === 'FATAL' || severity === 'PANIC' ? 'lost' : 'refused',
    error.message,
    options,
  );
}

/** One connection to one server, which runs one call at a time and never connects again. */
export class Session {
  readonly host: DatabaseHost;
  readonly #sql: Sql;
  readonly #tls: DatabaseAddress['tls'];
  readonly #timeoutMs: number;
  /** Time after which the server ends a statement of this session [ms]. */
  #statementMs: number;
  #socket: DatabaseSocket | undefined;
  readonly #warnings: string[] = [];
  #isOpen = true;
  /** Numbers by which the server accepts a request to cancel a statement of this session. */
  #backend: { readonly pid: number; readonly secret: number } | undefined;
  #state: DatabaseState | undefined;

  private constructor(address: DatabaseAddress, host: DatabaseHost, timeoutMs: number) {
    this.host = host;
    this.#tls = address.tls;
    this.#timeoutMs = timeoutMs;
    this.#statementMs = timeoutMs;
    this.#sql = postgres({
      // By itself, the client would connect to several hosts in turn, and would take a standby for a server that takes
      // writes. So it gets one connection, and this file and `sessions.ts` look for the right server. The client
      // listens to the socket from the turn in which it gets it.
      socket: () => {
        if (this.#socket !== undefined || !this.#isOpen) throw new Error('the connection ended');
        this.#socket = new DatabaseSocket(address.tls, host);
        return this.#socket.ready;
      },
      host: host.host,
      port: host.port,
      username: address.user,
      ...(address.password === undefined ? {} : { password: address.password }),
      database: address.database,
      ssl: false,
      max: 1,
      max_lifetime: null,
      idle_timeout: undefined,
      connect_timeout: Math.max(1, timeoutMs / 1000),
      keep_alive: 5,
      fetch_types: false,
      connection: settingsOf(timeoutMs),
      onnotice: ({ message = 'a notice' }) => void this.#warnings.push(message),
      onclose: () => (this.#isOpen = false),
    } as postgres.Options<Record<string, never>>) as unknown as Sql;
  }

  /** Connects to a server, and asks for its state. @param limitMs longest wait [ms]. @throws CallFailed */
  static async connect(
    address: DatabaseAddress,
    host: DatabaseHost,
    limitMs: number,
    timeoutMs: number,
  ): Promise<Session> {
    const session = new Session(address, host, timeoutMs);
    try {
      await session.#ask(limitMs);
      return session;
    } catch (error) {
      session.end();
      throw error;
    }
  }

  /** The state of the database when the session began. */
  get state(): DatabaseState {
    if (this.#state === undefined) throw new Error('the session has not begun');
    return this.#state;
  }

  /** False once the connection has ended. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Runs a statement. After a failure but `refused`, the session has ended.
   * @param limitMs longest wait for the answer [ms]. @throws CallFailed
   */
  async call(limitMs: number, statement: Statement): Promise<readonly Row[]> {
    const [rows = []] = await this.#run(limitMs, [statement]);
    return rows;
  }

  /**
   * Runs a statement that changes rows, and checks that a quorum has acknowledged its commit and all earlier commits,
   * also if the statement finds nothing to change.
   * @param isSingle true: the server alone is enough.
   * @param lock number of a lock that is taken before: the statement sees the changes that others committed under the
   * lock.
   * @throws CallFailed
   */
  async commit(
    limitMs: number,
    change: (sql: Sql) => Change,
    isSingle: boolean,
    lock?: bigint,
  ): Promise<Row> {
    const before: readonly Statement[] =
      lock === undefined
        ? []
        : [
            (sql) => sql`BEGIN`,
            (sql) => sql`SELECT pg_advisory_xact_lock(${lock.toString()}::bigint)::text AS locked`,
          ];
    const statement: Statement = (sql) => {
      const { tables, answer } = change(sql);
      const columns = sql`${answer === undefined ? sql`` : sql`${answer},`} ${sql.unsafe(RECORD)}`;
      return sql`${tables === undefined ? sql`` : sql`WITH ${tables}`} SELECT ${columns}`;
    };
    const end: readonly Statement[] = lock === undefined ? [] : [(sql) => sql`COMMIT`];
    // Commits that wait are acknowledged when the setting becomes empty, so the setting is read after the commit, in
    // the same turn.
    const after: Statement = (sql) => sql`SELECT current_setting('synchronous_standby_names') AS names`;
    const answers = await this.#run(limitMs, [...before, statement, ...end, ...(isSingle ? [] : [after])]);
    const [row = {}] = answers[before.length] ?? [];
    const [setting] = answers.at(-1) ?? [];
    if (this.#warnings.length > 0) throw this.#doubt(this.#warnings.join('; '));
    if (!isSingle && String(setting?.['names']).trim() === '')
      throw this.#doubt('the database has no synchronous standbys any more');
    return row;
  }

  /** Ends the connection at once. */
  end(): void {
    this.#isOpen = false;
    this.#socket?.destroy();
    // Timers of the client end with its connection.
    this.#sql.end({ timeout: 0 }).catch(() => undefined);
  }

  #doubt(reason: string): CallFailed {
    this.end();
    return new CallFailed('doubtful', reason);
  }

  async #run(limitMs: number, statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    if (!this.#isOpen) throw new CallFailed('lost', 'the connection has ended');
    this.#warnings.length = 0;
    let timer: NodeJS.Timeout | undefined;
    const queries = this.#timed(limitMs, statements).map((statement) => statement(this.#sql).execute());
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new CallFailed('late', `no answer within ${Math.round(limitMs)} ms`)),
        Math.max(0, limitMs),
      );
    });
    late.catch(() => undefined);
    try {
      const answers = Promise.all(queries);
      answers.catch(() => undefined);
      const results = await Promise.race([answers, late]);
      this.#backend = results[0]?.state;
      return results.slice(-statements.length);
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind === 'late') this.#cancel();
      if (failure.kind !== 'refused') this.end();
      // The check after a refused statement is answered, too, before the session is used again.
      else await Promise.race([Promise.allSettled(queries), late]).catch(() => this.end());
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Adds a statement that sets the server's time limit before statements that need another time limit. */
  #timed(limitMs: number, statements: readonly Statement[]): readonly Statement[] {
    const ms = Math.max(this.#timeoutMs, Math.ceil(limitMs));
    if (ms === this.#statementMs) return statements;
    this.#statementMs = ms;
    return [(sql) => sql`SELECT set_config('statement_timeout', ${String(ms)}, false)`, ...statements];
  }

  /**
   * Asks the server to end the statement that runs, or its wait for standbys: the server does not notice that its
   * caller has given up, and the waiting statement holds locks. Source: PostgreSQL, Message Formats, CancelRequest.
   */
  #cancel(): void {
    if (this.#backend === undefined) return;
    const request = Buffer.alloc(16);
    request.writeUInt32BE(request.length, 0);
    request.writeUInt32BE(80_877_102, 4);
    request.writeUInt32BE(this.#backend.pid, 8);
    request.writeUInt32BE(this.#backend.secret, 12);
    const connection = new DatabaseSocket(this.#tls, this.host);
    const timer = setTimeout(() => connection.destroy(), CANCEL_MS);
    connection.ready
      .then((socket) => {
        socket.once('close', () => clearTimeout(timer));
        socket.end(request);
        socket.resume();
      })
      .catch(() => clearTimeout(timer));
  }

  /**
   * Asks for the state of the server, and makes commits wait for the quorum even if the server's configuration does
   * not.
   */
  async #ask(limitMs: number): Promise<void> {
    const [row] = await this.call(
      limitMs,
      (sql) => sql`
        SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS read_only,
               CASE WHEN pg_is_in_recovery() THEN '' ELSE ${sql.unsafe(TIMELINE)} END AS timeline,
               current_setting('synchronous_standby_names') AS names,
               current_setting('synchronous_commit') AS commit,
               current_setting('fsync')::boolean AS fsync,
               current_setting('server_version_num')::integer AS version,
               (SELECT setting FROM pg_settings WHERE name = 'lock_timeout') AS lock_ms,
               extract(epoch FROM clock_timestamp())::float8 * 1000 AS time`,
    );
    if (row === undefined) throw new CallFailed('refused', 'the database answered without a row');
    // A pooler can be configured to drop the settings of a session, or to run the next statement in another session.
    if (row['lock_ms'] !== String(this.#timeoutMs))
      throw new CallFailed('refused', 'the settings of the session did not reach the server', {
        code: POOLED,
      });
    this.#state = {
      isWritable: row['read_only'] !== true,
      timeline: String(row['timeline']),
      standbyNames: String(row['names']),
      synchronousCommit: String(row['commit']),
      isFlushing: row['fsync'] === true,
      version: Number(row['version']),
      time: Number(row['time']),
    };
    await this.call(
      limitMs,
      (sql) => sql`
        SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit')
          WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)`,
    );
  }
}
