/** Effects of an SQL statement that was run. */
export interface RunResult {
  /** Number of rows that were inserted, changed or deleted. */
  readonly changes: number;
  /** Row id of the last inserted row; a bigint if the result mode of the statement is safe integers. */
  readonly lastInsertRowid: number | bigint;
}

/**
 * A prepared SQL statement. `Row` is the type of a row in the result modes of the statement, which the code that
 * prepares it states: the compiler cannot derive it from the SQL.
 */
export interface Statement<Params extends unknown[] = unknown[], Row = unknown> {
  /** Runs the statement, which returns no rows. */
  run(...params: Params): RunResult;
  /** Returns the first row; undefined if there is none. */
  get(...params: Params): Row | undefined;
  all(...params: Params): Row[];
  /** Reads the rows one by one. The statement cannot be executed again before the iterator has ended. */
  iterate(...params: Params): IterableIterator<Row>;
  /** Sets the result mode in which a row is the value of its first column. */
  pluck(): this;
  /** Sets the result mode in which a row is an array of its values. */
  raw(): this;
  /** Sets the result mode in which integers are bigints. */
  safeIntegers(): this;
}

/** A function that runs in an SQLite transaction, or in a savepoint of the open transaction. */
export interface Transaction<T> {
  (): T;
  /** Runs the function in a transaction that takes the write lock when it begins. */
  immediate(): T;
}

/** Operations of an SQLite database on its schema and rows. A database of better-sqlite3 has them too. */
export interface SqlDatabase {
  prepare<Params extends unknown[] = unknown[], Row = unknown>(sql: string): Statement<Params, Row>;
  /** Executes SQL statements that have no parameters and whose rows are not needed. */
  exec(sql: string): void;
  /** Executes a pragma. @returns its rows; with `simple` the first value of the first row. */
  pragma(source: string, options?: { readonly simple?: boolean }): unknown;
  /** Returns a function that commits what the task changes, and undoes it if the task throws. */
  transaction<T>(task: () => T): Transaction<T>;
}
