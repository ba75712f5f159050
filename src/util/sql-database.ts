import type Database from 'better-sqlite3';

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
 * Largest number of prepared statements. Without a limit, SQL whose text depends on its input would add more and more.
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
   * Iterates over the rows of a statement. It is no shared one meanwhile, because a statement cannot be executed while
   * it iterates.
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

  /** Returns the first row; undefined if there is none. */
  row<Row = unknown>(sql: string, ...params: readonly SqlParameter[]): Row | undefined {
    return this.#prepared.get(sql, this.#forms).get(...params) as Row | undefined;
  }

  rows<Row = unknown>(sql: string, ...params: readonly SqlParameter[]): Row[] {
    return this.#prepared.get(sql, this.#forms).all(...params) as Row[];
  }

  /** Returns the first column of the first row; undefined if there is none. */
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
 * A connection to an SQLite database. It shares each prepared statement among all uses of the same SQL, and can drop all
 * of them.
 */
export class SqlDatabase extends SqlQueries {
  /** Queries whose integers are bigints: for amounts, and for all other integers from 2^53 on. */
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

  /** Executes a pragma. @returns its rows; with `simple` the first value of the first row. */
  pragma(source: string, options?: { readonly simple?: boolean }): unknown {
    return this.#db.pragma(source, options);
  }

  /** Returns a function that commits what the task changes, and undoes it if the task throws. */
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
