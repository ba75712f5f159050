import Database from 'better-sqlite3';
import type { SchemaUpgrade } from '../../util/migrations.js';
import type { RunResult, SqlDatabase, Statement, Transaction } from '../../util/sql-database.js';

type ResultMode = 'pluck' | 'raw' | 'safeIntegers';

/** Bit of each result mode in the keys of {@link PreparedStatements}. */
const MODE_BITS: Readonly<Record<ResultMode, number>> = { pluck: 1, raw: 2, safeIntegers: 4 };
const MODES = Object.keys(MODE_BITS) as ResultMode[];

/**
 * Largest number of prepared statements. Without a limit, SQL whose text depends on its input would add more and more.
 */
const MAX_PREPARED = 512;

/** Key of a prepared statement: its SQL, or the object of a statement that is not shared with others of the same SQL. */
type StatementKey = string | Statement;

/** Prepared statements of a database, by SQL and result modes. */
class PreparedStatements {
  readonly #db: Database.Database;
  /** By the sum of {@link MODE_BITS}, then by the key. */
  readonly #byModes: (Map<StatementKey, Statement> | undefined)[] = [];
  #count = 0;

  constructor(db: Database.Database) {
    this.#db = db;
  }

  /** Returns a prepared statement, which is prepared now if it is missing. The caller states the type of its rows. */
  get<Params extends unknown[], Row>(
    sql: string,
    modes: number,
    key: StatementKey = sql,
  ): Statement<Params, Row> {
    const statement = this.#byModes[modes]?.get(key) ?? this.#add(sql, modes, key);
    return statement as Statement<Params, Row>;
  }

  #add(sql: string, modes: number, key: StatementKey): Statement {
    const statement = this.#db.prepare(sql);
    for (const mode of MODES) if ((modes & MODE_BITS[mode]) !== 0) statement[mode]();
    if (this.#count >= MAX_PREPARED) this.clear();
    (this.#byModes[modes] ??= new Map()).set(key, statement);
    this.#count += 1;
    return statement;
  }

  /** Drops every statement; SQLite frees it when it is garbage-collected. */
  clear(): void {
    this.#byModes.length = 0;
    this.#count = 0;
  }
}

/**
 * A statement that is prepared when it is first executed, unless a statement with the same SQL and result modes is
 * already prepared.
 */
class LazyStatement<Params extends unknown[], Row> implements Statement<Params, Row> {
  readonly #sql: string;
  readonly #prepared: PreparedStatements;
  #modes = 0;

  constructor(sql: string, prepared: PreparedStatements) {
    this.#sql = sql;
    this.#prepared = prepared;
  }

  run(...params: Params): RunResult {
    return this.prepareNow().run(...params);
  }

  get(...params: Params): Row | undefined {
    return this.prepareNow().get(...params);
  }

  all(...params: Params): Row[] {
    return this.prepareNow().all(...params);
  }

  /**
   * Iterates over the rows with a prepared statement that is not shared, because a statement cannot be executed while
   * it iterates.
   */
  iterate(...params: Params): IterableIterator<Row> {
    return this.#prepared.get<Params, Row>(this.#sql, this.#modes, this).iterate(...params);
  }

  pluck(): this {
    return this.#with('pluck');
  }

  raw(): this {
    return this.#with('raw');
  }

  safeIntegers(): this {
    return this.#with('safeIntegers');
  }

  /** Prepares the statement, unless it is prepared already. @throws SqliteError for invalid SQL. */
  prepareNow(): Statement<Params, Row> {
    return this.#prepared.get(this.#sql, this.#modes);
  }

  #with(mode: ResultMode): this {
    this.#modes |= MODE_BITS[mode];
    return this;
  }
}

/**
 * A connection to the database of a store. It shares each prepared statement among all uses of the same SQL, and can
 * drop all of them. The statements of a store's tables take a megabyte; an idle wallet keeps none.
 */
export class StoreDatabase implements SqlDatabase {
  /** Migrations that were applied when the database was opened; undefined if it lacked none. */
  upgrade: SchemaUpgrade | undefined;
  readonly #db: Database.Database;
  readonly #prepared: PreparedStatements;

  /** @param path argument that `sqlitePath` returns, or `:memory:`. */
  constructor(path: string, options: Database.Options) {
    this.#db = new Database(path, options);
    this.#prepared = new PreparedStatements(this.#db);
  }

  get open(): boolean {
    return this.#db.open;
  }

  /** True if the database is kept in memory. */
  get memory(): boolean {
    return this.#db.memory;
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction;
  }

  /** Returns a statement that is prepared when it is first executed; only then are errors in its SQL thrown. */
  prepare<Params extends unknown[] = unknown[], Row = unknown>(sql: string): LazyStatement<Params, Row> {
    return new LazyStatement(sql, this.#prepared);
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  pragma(source: string, options?: { readonly simple?: boolean }): unknown {
    return this.#db.pragma(source, options);
  }

  transaction<T>(task: () => T): Transaction<T> {
    return this.#db.transaction(task);
  }

  close(): void {
    this.#db.close();
  }

  /** Drops every prepared statement. */
  releaseStatements(): void {
    this.#prepared.clear();
  }
}
