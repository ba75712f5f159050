import type { SqlDatabase } from '../util/sql-database.js';

/**
 * Approximate number of outputs and spends in one transaction. A larger transaction saves time: a commit writes each
 * changed page of the file once, and most of these pages belong to indexes with random keys. But requests wait for the
 * commit.
 */
const MOST_ROWS = 512;

/** Longest time that the transaction stays open [ms]. */
const LONGEST_MS = 250;

/** Callbacks of a {@link PageTransaction}, which must not throw unless their comments allow it. */
export interface PageTransactionEvents {
  /** Is called inside the transaction before it is committed, and before a task joins it. May throw. */
  readonly complete: () => void;
  /** Is called after each commit. */
  readonly onCommitted: () => void;
  /** Is called when pages that {@link PageTransaction.add} had accepted were rolled back. */
  readonly onLost: (error: Error) => void;
  /** Runs a commit and converts its errors. */
  readonly guard: (commit: () => void) => void;
}

/**
 * One SQLite transaction for several pages of blocks of a refresh. All of them change the same pages of the store's
 * indexes, and a common commit writes each changed page only once. If one page of blocks fails, all pages of blocks are
 * rolled back, because savepoints would copy every changed page of the file. Later pages of blocks are then committed
 * one by one, so that all pages before the failing page are stored.
 */
export class PageTransaction {
  readonly #db: SqlDatabase;
  readonly #events: PageTransactionEvents;
  #rows = 0;
  #hasFailed = false;
  /** Timer that commits the open transaction; undefined while no transaction is open. */
  #timer: NodeJS.Timeout | undefined;
  /** Immediate that commits a transaction which is full; undefined otherwise. */
  #soon: NodeJS.Immediate | undefined;

  constructor(db: SqlDatabase, events: PageTransactionEvents) {
    this.#db = db;
    this.#events = events;
  }

  get isOpen(): boolean {
    return this.#timer !== undefined;
  }

  /**
   * Stores a page of blocks. It is committed by {@link end}, or after some more pages, or after {@link LONGEST_MS}. The
   * commit runs in a separate turn of the event loop, so that requests are read before it.
   * @param rows number of outputs and spends of the page.
   */
  add(rows: number, store: () => void): void {
    if (!this.isOpen) this.#begin();
    try {
      store();
    } catch (error) {
      this.#rollBack(error as Error);
      throw error;
    }
    this.#rows += rows;
    if (this.#hasFailed || this.#soon !== undefined) this.end();
    else if (this.#rows >= MOST_ROWS) this.#soon = setImmediate(() => this.#endInTime());
  }

  /**
   * Runs a task in the open transaction, then commits it, so that both need only one commit.
   * @throws the error of the task, whose own changes were rolled back; or the error of the commit, as {@link end}.
   */
  join<T>(task: () => T): T {
    let result: T;
    try {
      this.#events.complete();
    } catch (error) {
      this.#rollBack(error as Error);
      throw error;
    }
    try {
      result = this.#db.transaction(task)();
    } catch (error) {
      if (!this.#db.inTransaction) this.#rollBack(error as Error);
      throw error;
    }
    this.end();
    return result;
  }

  /**
   * Commits the open transaction, if a transaction is open.
   * @throws the error of the commit, after all pages of blocks were rolled back.
   */
  end(): void {
    if (!this.isOpen) return;
    try {
      this.#events.guard(() => {
        this.#events.complete();
        this.#db.exec('COMMIT');
      });
    } catch (error) {
      this.#rollBack(error as Error);
      throw error;
    }
    this.#close();
    this.#events.onCommitted();
  }

  #begin(): void {
    this.#db.exec('BEGIN IMMEDIATE');
    this.#timer = setTimeout(() => this.#endInTime(), LONGEST_MS).unref();
  }

  #endInTime(): void {
    try {
      this.end();
    } catch {
      // The error was reported to `onLost`.
    }
  }

  #rollBack(error: Error): void {
    const hadPages = this.#rows > 0;
    // After some errors, such as a full disk, SQLite has already rolled the transaction back.
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
    this.#close();
    this.#hasFailed = true;
    if (hadPages) this.#events.onLost(error);
  }

  #close(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#soon);
    this.#timer = undefined;
    this.#soon = undefined;
    this.#rows = 0;
  }
}
