import { statSync } from 'node:fs';
import type { SqlDatabase } from '../../util/sql-database.js';

/**
 * Part of the log that SQLite flushes to disk during a commit: all of it (FULL); only its header, when a new log begins
 * (NORMAL); nothing (OFF).
 */
type Flushing = 'FULL' | 'NORMAL' | 'OFF';

/** Sets how much the next commit of a connection flushes to disk. A new connection is set as by {@link full}. */
export class CommitFlushing {
  readonly #db: SqlDatabase;
  readonly #log: string | undefined;
  readonly #autocheckpoint: number;
  #current: Flushing = 'FULL';
  /** True once the log is known to contain its header. */
  #hasLogHeader = false;

  /**
   * @param log path of the write-ahead log; undefined for a database in memory.
   * @param autocheckpoint size of the log from which a commit moves it into the main file [pages]; 0: never.
   */
  constructor(db: SqlDatabase, log: string | undefined, autocheckpoint: number) {
    this.#db = db;
    this.#log = log;
    this.#autocheckpoint = autocheckpoint;
  }

  /** Makes commits flush everything that they write. */
  full(): void {
    this.#set('FULL');
  }

  /**
   * Makes commits flush as little as is safe for a commit that does not wait for the disk. The header of an empty log
   * is not flushed: without a header nothing in the log can be taken for valid. A log that starts again contains old
   * data, so its new header must be on disk first.
   */
  least(): void {
    if (!this.#hasLogHeader && this.#log !== undefined)
      this.#hasLogHeader = (statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0) > 0;
    this.#set(this.#hasLogHeader || this.#log === undefined ? 'NORMAL' : 'OFF');
  }

  #set(flushing: Flushing): void {
    if (flushing === this.#current) return;
    this.#db.pragma(`synchronous = ${flushing}`);
    // A checkpoint must flush both files, so it is left to a later commit that flushes.
    if (flushing === 'OFF') this.#db.pragma('wal_autocheckpoint = 0');
    else if (this.#current === 'OFF') this.#db.pragma(`wal_autocheckpoint = ${this.#autocheckpoint}`);
    this.#current = flushing;
  }
}
