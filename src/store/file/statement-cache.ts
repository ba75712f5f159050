import Database from 'better-sqlite3';
import type { SchemaUpgrade } from '../../util/migrations.js';

type AnyStatement = Database.Statement<unknown[]>;
type ResultMode = 'pluck' | 'raw' | 'safeIntegers';

/** Bit of each result mode in the key of a prepared statement. */
const MODE_BITS: Readonly<Record<ResultMode, number>> = { pluck: 1, raw: 2, safeIntegers: 4 };
const MODES = Object.keys(MODE_BITS) as ResultMode[];

/** Prepared statements at most. SQL whose text depends on its input would otherwise add statements without end. */
const MAX_PREPARED = 512;

/** Prepared statements by SQL and result modes. */
class PreparedStatements {
  readonly #prepare: (sql: string) => AnyStatement;
  /** By the sum of {@link MODE_BITS}, then by SQL, or by the iterating statement. */
  readonly #byModes: (Map<string | LazyStatement, AnyStatement> | undefined)[] = [];
  #count = 0;

  constructor(prepare: (sql: string) => AnyStatement) {
    this.#prepare = prepare;
  }

  /** @param key the SQL, or a statement that is not shared with others of the same SQL. */
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

/** A statement that is prepared when it is executed, unless one with its SQL and result modes is prepared already. */
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

  /** Uses a prepared statement of its own: it cannot be executed while it iterates. */
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

  /** Prepares the statement unless it is prepared. @throws SqliteError for wrong SQL. */
  prepareNow(): AnyStatement {
    return this.#prepared.get(this.#sql, this.#modes);
  }

  #with(mode: ResultMode): this {
    this.#modes |= MODE_BITS[mode];
    return this;
  }
}

/**
 * A database that shares prepared statements between all uses of the same SQL, and can drop them: those of a store's
 * tables take a megabyte. An idle wallet has none of them.
 */
export class StatementCachingDatabase extends Database {
  /** Migrations that opening it has applied; undefined if none was missing. */
  upgrade: SchemaUpgrade | undefined;
  readonly #prepared: PreparedStatements;

  constructor(...args: ConstructorParameters<typeof Database>) {
    super(...args);
    this.#prepared = new PreparedStatements(super.prepare.bind(this));
    // Statements are prepared when they are first executed, which throws the errors of their SQL.
    (this as { prepare: unknown }).prepare = (sql: string): LazyStatement =>
      new LazyStatement(sql, this.#prepared);
  }

  /** Drops every prepared statement. */
  releaseStatements(): void {
    this.#prepared.clear();
  }
}
