import { resolve, join } from 'node:path';
import type Database from 'better-sqlite3';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Returns the argument with which better-sqlite3 opens exactly the file at a path. The library removes white space at
 * both ends of its argument, opens no file for `:memory:`, and treats `file:` as a URI if the environment enables URIs.
 * An absolute path has none of these beginnings; the NUL at its end is not white space, and SQLite reads a path up to
 * the NUL. Source: better-sqlite3 lib/database.js `Database`, src/objects/database.cpp `Database::JS_new`.
 * @throws RangeError for a path that contains a NUL, which no file has.
 */
export function sqlitePath(path: string): string {
  if (path.includes('\0')) throw new RangeError('a path contains a NUL');
  return `${resolve(path)}\0`;
}

/** Effects of an SQL statement that was run. */
export interface RunResult {
  /** Number of rows that were inserted, changed or deleted. */
  readonly changes: number;
  /** Row id of the last inserted row. */
  readonly lastInsertRowid: number | bigint;
}

/** Value of a parameter of a statement, or an object with the values of all named parameters. */
export type SqlParameter = number | bigint | string | object | null;

/** A function that runs in an SQLite transaction, or in a savepoint of the open transaction. */
export interface Transaction<T> {
  (): T;
  /** Runs the function in a transaction that takes the write lock when it begins. */
  immediate(): T;
}

/** Forms of a row; the key of a prepared statement is the sum of its forms and its SQL. */
const VALUE = 1;
const ARRAY = 2;
const BIGINT = 4;

/**
 * Largest number of prepared statements. Without a limit, SQL whose text depends on its input would add statements
 * without end.
 */
const MAX_PREPARED = 512;

/** Prepared statements of a database, by the forms of their rows and by SQL. */
class PreparedStatements {
  readonly #db: Database.Database;
  readonly #byForms: (Map<string, Database.Statement<unknown[]>> | undefined)[] = [];
  #count = 0;

  constructor(db: Database.Database) {
    this.#db = db;
  }

  /** Returns a prepared statement, which is prepared now if it is missing. @throws SqliteError for invalid SQL. */
  get(sql: string, forms: number): Database.Statement<unknown[]> {
    return this.#byForms[forms]?.get(sql) ?? this.#add(sql, forms, this.#prepare(sql, forms));
  }

  /**
   * Iterates over the rows of a statement. The statement is not shared meanwhile, because a statement cannot be
   * executed while it iterates.
   */
  *iterate(sql: string, forms: number, params: readonly unknown[]): IterableIterator<unknown> {
    const kept = this.#byForms[forms]?.get(sql);
    if (kept !== undefined) this.#remove(sql, forms);
    const statement = kept ?? this.#prepare(sql, forms);
    try {
      yield* statement.iterate(...params);
    } finally {
      if (this.#byForms[forms]?.has(sql) !== true) this.#add(sql, forms, statement);
    }
  }

  #prepare(sql: string, forms: number): Database.Statement<unknown[]> {
    const statement = this.#db.prepare<unknown[]>(sql);
    if ((forms & VALUE) !== 0) statement.pluck();
    if ((forms & ARRAY) !== 0) statement.raw();
    if ((forms & BIGINT) !== 0) statement.safeIntegers();
    return statement;
  }

  #add(sql: string, forms: number, statement: Database.Statement<unknown[]>): Database.Statement<unknown[]> {
    if (this.#count >= MAX_PREPARED) this.clear();
    (this.#byForms[forms] ??= new Map()).set(sql, statement);
    this.#count += 1;
    return statement;
  }

  #remove(sql: string, forms: number): void {
    this.#byForms[forms]?.delete(sql);
    this.#count -= 1;
  }

  /** Drops every statement; SQLite frees it when it is garbage-collected. */
  clear(): void {
    this.#byForms.length = 0;
    this.#count = 0;
  }
}

/**
 * Executes SQL. A statement is prepared when its SQL is first executed, then kept. The caller states the type of a row,
 * which the compiler cannot derive from the SQL.
 */
export class SqlQueries {
  readonly #prepared: PreparedStatements;
  readonly #forms: number;

  constructor(prepared: PreparedStatements, forms: number) {
    this.#prepared = prepared;
    this.#forms = forms;
  }

  /** Returns the first row; undefined if there is no row. */
  row<Row = unknown>(sql: string, ...params: readonly SqlParameter[]): Row | undefined {
    return this.#prepared.get(sql, this.#forms).get(...params) as Row | undefined;
  }

  rows<Row = unknown>(sql: string, ...params: readonly SqlParameter[]): Row[] {
    return this.#prepared.get(sql, this.#forms).all(...params) as Row[];
  }

  /** Returns the first column of the first row; undefined if there is no row. */
  value<Value = unknown>(sql: string, ...params: readonly SqlParameter[]): Value | undefined {
    return this.#prepared.get(sql, this.#forms | VALUE).get(...params) as Value | undefined;
  }

  /** Returns the first column of each row. */
  values<Value = unknown>(sql: string, ...params: readonly SqlParameter[]): Value[] {
    return this.#prepared.get(sql, this.#forms | VALUE).all(...params) as Value[];
  }

  /** Reads the rows one by one. Other statements that write cannot be executed before the iterator has ended. */
  each<Row = unknown>(sql: string, ...params: readonly SqlParameter[]): IterableIterator<Row> {
    return this.#prepared.iterate(sql, this.#forms, params) as IterableIterator<Row>;
  }
}

/**
 * A connection to an SQLite database. The connection shares each prepared statement among all uses of the same SQL, and
 * can drop all statements.
 */
export class SqlDatabase extends SqlQueries {
  /** Queries whose integers are bigints, for amounts and all other integers from 2^53 on. */
  readonly bigints: SqlQueries;
  /** Queries whose rows are arrays of their values, which takes less time for long lists. */
  readonly arrays: SqlQueries;
  /** Queries whose rows are arrays, and whose integers are bigints. */
  readonly bigintArrays: SqlQueries;
  readonly #db: Database.Database;
  readonly #prepared: PreparedStatements;

  constructor(db: Database.Database) {
    const prepared = new PreparedStatements(db);
    super(prepared, 0);
    this.#db = db;
    this.#prepared = prepared;
    this.bigints = new SqlQueries(prepared, BIGINT);
    this.arrays = new SqlQueries(prepared, ARRAY);
    this.bigintArrays = new SqlQueries(prepared, ARRAY | BIGINT);
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

  /** Runs a statement that returns no rows. */
  run(sql: string, ...params: readonly SqlParameter[]): RunResult {
    return this.#prepared.get(sql, 0).run(...params);
  }

  /** Executes SQL statements that have no parameters and whose rows are not needed. */
  exec(sql: string): void {
    this.#db.exec(sql);
  }

  /** Executes a pragma. @returns the rows of the pragma; with `simple`, the first value of the first row. */
  pragma(source: string, options?: { readonly simple?: boolean }): unknown {
    return this.#db.pragma(source, options);
  }

  /** Returns a function that commits the changes of the task, and undoes them if the task throws. */
  transaction<T>(task: () => T): Transaction<T> {
    return this.#db.transaction(task);
  }

  /** Returns the bytes of the database file, without changes of an open transaction. */
  serialize(): Buffer {
    return this.#db.serialize();
  }

  close(): void {
    this.#db.close();
  }

  /** Drops every prepared statement. */
  releaseStatements(): void {
    this.#prepared.clear();
  }
}

/** Error of a database that a newer version of the program has written. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
}

/** Schema versions before and after the migrations. */
export interface SchemaUpgrade {
  readonly from: number;
  readonly to: number;
}

/** Operations of a database on its schema. */
type SchemaDatabase = Pick<SqlDatabase, 'exec' | 'pragma' | 'transaction'>;

/** Returns the names of all migrations in their order. */
const namesIn = (directory: string): readonly string[] =>
  readdirSync(directory)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .sort();

const versionOf = (db: SchemaDatabase): number => Number(db.pragma('user_version', { simple: true }));

/** Returns true if {@link migrate} would apply a migration. */
export const lacksMigrations = (db: SchemaDatabase, directory: string): boolean =>
  versionOf(db) < namesIn(directory).length;

/**
 * Applies the missing migrations, each in its own transaction.
 * @param directory path of the migrations, `001-….sql` and so on, without gaps.
 * @returns undefined if no migration was missing. @throws NewerSchemaError
 */
export function migrate(db: SchemaDatabase, directory: string): SchemaUpgrade | undefined {
  const steps = namesIn(directory);
  const version = versionOf(db);
  if (version > steps.length)
    throw new NewerSchemaError('the database was written by a newer version of this program');
  steps.slice(version).forEach((name, i) => {
    db.transaction(() => {
      db.exec(readFileSync(join(directory, name), 'utf8'));
      db.pragma(`user_version = ${version + i + 1}`);
    })();
  });
  return version === steps.length ? undefined : { from: version, to: steps.length };
}
