import Database from 'better-sqlite3';
import type { SchemaUpgrade } from '../../util/migrations.js';

type AnyStatement = Database.Statement<unknown[]>;
type ResultMode = 'pluck' | 'raw' | 'safeIntegers';

/** Bit of each result mode in the keys of {@link PreparedStatements}. */
const MODE_BITS: Readonly<Record<ResultMode, number>> = { pluck: 1, raw: 2, safeIntegers: 4 };
const MODES = Object.keys(MODE_BITS) as ResultMode[];

/**
 * Largest number of prepared statements. Without a limit, SQL whose text depends on its input would add more and more.
 */
const MAX_PREPARED = 512;

/** Prepared statements of a database, by SQL and result modes. */
class PreparedStatements {
  readonly #prepare: (sql: string) => AnyStatement;
  /** By the sum of {@link MODE_BITS}, then by the SQL, or by the object of a statement that is not shared. */
  readonly #byModes: (Map<string | LazyStatement, AnyStatement> | undefined)[] = [];
  #count = 0;

  constructor(prepare: (sql: string) => AnyStatement) {
    this.#prepare = prepare;
  }

  /**
   * Returns a prepared statement, which is prepared now if it is missing.
   * @param key the SQL, or the object of a statement that is not shared with others of the same SQL.
   */
  get(sql: string, modes: number, key: string | LazyStatement = sql): AnyStatement {
    return this.#byModes[modes]?.get(key) ?? this.#add(sql, modes, key);
  }

  #add(sql: string, modes: number, key: string | LazyStatement): AnyStatement {
    const statement = this.#prepare(sql);
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
class LazyStatement {
  readonly #sql: string;
  readonly #prepared: PreparedStatements;
  #modes = 0;

  constructor(sql: string, prepared: PreparedStatements) {
    this.#sql = sql;
    this.#prepared = prepared;
  }

  run(...params: unknown[]): Database.RunResult {
    return this.prepareNow().run(...params);
  }

  get(...params: unknown[]): unknown {
    return this.prepareNow().get(...params);
  }

  all(...params: unknown[]): unknown[] {
    return this.prepareNow().all(...params);
  }

  /**
   * Iterates over the rows with a prepared statement that is not shared, because a statement cannot be executed while
   * it iterates.
   */
  iterate(...params: unknown[]): IterableIterator<unknown> {
    return this.#prepared.get(this.#sql, this.#modes, this).iterate(...params);
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
  prepareNow(): AnyStatement {
    return this.#prepared.get(this.#sql, this.#modes);
  }

  #with(mode: ResultMode): this {
    this.#modes |= MODE_BITS[mode];
    return this;
  }
}

/**
 * A database that shares each prepared statement among all uses of the same SQL, and can drop all of them. The
 * statements of a store's tables take a megabyte; an idle wallet keeps none.
 */
export class StatementCachingDatabase extends Database {
  /** Migrations that were applied when the database was opened; undefined if it lacked none. */
  upgrade: SchemaUpgrade | undefined;
  readonly #prepared: PreparedStatements;

  constructor(...args: ConstructorParameters<typeof Database>) {
    super(...args);
    this.#prepared = new PreparedStatements(super.prepare.bind(this));
    // A statement is prepared when it is first executed; only then are errors in its SQL thrown.
    (this as { prepare: unknown }).prepare = (sql: string): LazyStatement =>
      new LazyStatement(sql, this.#prepared);
  }

  /** Drops every prepared statement. */
  releaseStatements(): void {
    this.#prepared.clear();
  }
}
