import type { Db } from './file/database.js';

/** Outputs and spends of one transaction, about. A commit writes each changed page once, most of them of random indexes. */
const MOST_ROWS = 1024;

/** The same while clients send requests, which wait for the commit. */
const MOST_BUSY_ROWS = 256;

/** Longest time that a transaction stays open [ms]. */
const LONGEST_MS = 250;

/** Callbacks of a {@link PageTransaction}; none may throw. */
export interface PageTransactionEvents {
  /** Called after a commit. */
  readonly onCommitted: () => void;
  /** Called when pages were rolled back that {@link PageTransaction.add} had accepted. */
  readonly onLost: (error: Error) => void;
  /** Runs a commit, with the conversion of its errors. */
  readonly guard: (commit: () => void) => void;
}

/**
 * One transaction of several pages of a refresh. Pages change the same rows of the store's indexes again and again: a
 * commit writes each page of the file once. A page that fails rolls back all of them, because savepoints would copy
 * every changed page; later pages are then committed one by one, so that the pages before the failing one get stored.
 */
export class PageTransaction {
  readonly #db: Db;
  readonly #events: PageTransactionEvents;
  #rows = 0;
  #hasFailed = false;
  /** Commits an open transaction in time; undefined without one. */
  #timer: NodeJS.Timeout | undefined;
  /** Commits a full transaction. */
  #soon: NodeJS.Immediate | undefined;

  constructor(db: Db, events: PageTransactionEvents) {
    this.#db = db;
    this.#events = events;
  }

  get isOpen(): boolean {
    return this.#timer !== undefined;
  }

  /**
   * Stores a page; it is committed by {@link end}, after some more pages, or after some time. The commit is a turn of the
   * event loop of its own, so that requests are read between the page and the commit.
   * @param isBusy true for a commit that is not to take long.
   */
  add({ rows, isBusy }: { readonly rows: number; readonly isBusy: boolean }, store: () => void): void {
    if (!this.isOpen) this.#begin();
    try {
      store();
    } catch (error) {
      this.#rollBack(error as Error);
      throw error;
    }
    this.#rows += rows;
    if (this.#hasFailed || this.#soon !== undefined) this.end();
    else if (this.#rows >= (isBusy ? MOST_BUSY_ROWS : MOST_ROWS))
      this.#soon = setImmediate(() => this.#endInTime());
  }

  /**
   * Runs a task in the open transaction, then commits it: one commit in place of two.
   * @throws the error of the task, whose own changes were rolled back; the error of the commit, as {@link end}.
   */
  join<T>(task: () => T): T {
    let result: T;
    try {
      result = this.#db.transaction(task)();
    } catch (error) {
      if (!this.#db.inTransaction) this.#rollBack(error as Error);
      throw error;
    }
    this.end();
    return result;
  }

  /** Commits the pages, if there are any. @throws the error of the commit, after all of them were rolled back. */
  end(): void {
    if (!this.isOpen) return;
    try {
      this.#events.guard(() => this.#db.exec('COMMIT'));
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
      // `onLost` has reported it.
    }
  }

  #rollBack(error: Error): void {
    const hadPages = this.#rows > 0;
    // SQLite rolls a transaction back itself after some errors, such as a full disk.
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
