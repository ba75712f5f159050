import Database from 'better-sqlite3';

type AnyStatement = Database.Statement<unknown[]>;
type ResultMode = 'pluck' | 'raw' | 'safeIntegers';

/** A statement that is prepared when it is first executed, and again after {@link release}. */
class LazyStatement {
  readonly #prepare: () => AnyStatement;
  readonly #modes: ResultMode[] = [];
  #statement: AnyStatement | undefined;

  constructor(prepare: () => AnyStatement) {
    this.#prepare = prepare;
  }

  run(...params: unknown[]): Database.RunResult {
    return this.#prepared.run(...params);
  }

  get(...params: unknown[]): unknown {
    return this.#prepared.get(...params);
  }

  all(...params: unknown[]): unknown[] {
    return this.#prepared.all(...params);
  }

  iterate(...params: unknown[]): IterableIterator<unknown> {
    return this.#prepared.iterate(...params);
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

  /** Prepares the statement now. @throws SqliteError for wrong SQL. */
  prepareNow(): void {
    void this.#prepared;
  }

  /** Drops the prepared statement; SQLite frees it when it is garbage-collected. */
  release(): void {
    this.#statement = undefined;
  }

  #with(mode: ResultMode): this {
    this.#modes.push(mode);
    return this;
  }

  get #prepared(): AnyStatement {
    if (this.#statement !== undefined) return this.#statement;
    const statement = this.#prepare();
    for (const mode of this.#modes) statement[mode]();
    this.#statement = statement;
    return statement;
  }
}

/**
 * A database whose prepared statements can be dropped: those of a store's tables take a megabyte. An idle wallet has
 * none of them.
 */
export class StatementCachingDatabase extends Database {
  #statements: WeakRef<LazyStatement>[] = [];

  constructor(...args: ConstructorParameters<typeof Database>) {
    super(...args);
    const prepare = super.prepare.bind(this);
    const prepareLazily = (sql: string): LazyStatement => {
      const statement = new LazyStatement(() => prepare(sql));
      this.#statements.push(new WeakRef(statement));
      return statement;
    };
    // Statements are prepared when they are first executed, which throws the errors of their SQL.
    (this as { prepare: unknown }).prepare = prepareLazily;
  }

  /** Prepares every statement now, which shows errors of their SQL. @returns their number. */
  prepareAll(): number {
    for (const reference of this.#statements) reference.deref()?.prepareNow();
    return this.#statements.length;
  }

  /** Drops every prepared statement. */
  releaseStatements(): void {
    this.#statements = this.#statements.filter((reference) => {
      const statement = reference.deref();
      statement?.release();
      return statement !== undefined;
    });
  }
}
