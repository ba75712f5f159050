import { statSync } from 'node:fs';
import { AUTOCHECKPOINT_PAGES, type Db } from './database.js';

/** Data that SQLite flushes during a commit: the log; only its header, when it is begun; nothing. */
type Flushing = 'FULL' | 'NORMAL' | 'OFF';

/** Sets how much the next commit of a connection flushes to disk. A connection begins with {@link full}. */
export class CommitFlushing {
  readonly #db: Db;
  readonly #log: string | undefined;
  #current: Flushing = 'FULL';
  /** False until the log is known to hold its header. */
  #hasLogHeader = false;

  /** @param log path of its write-ahead log; undefined for a database in memory. */
  constructor(db: Db, log: string | undefined) {
    this.#db = db;
    this.#log = log;
  }

  /** Flushes the whole commit. */
  full(): void {
    this.#set('FULL');
  }

  /**
   * Flushes as little as a commit may that does not wait for the disk. The header of an empty log is not flushed
   * either: nothing in such a log can be taken for valid without its header. A log that restarts has old data, which
   * its new header must precede.
   */
  least(): void {
    if (!this.#hasLogHeader && this.#log !== undefined)
      this.#hasLogHeader = (statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0) > 0;
    this.#set(this.#hasLogHeader || this.#log === undefined ? 'NORMAL' : 'OFF');
  }

  #set(flushing: Flushing): void {
    if (flushing === this.#current) return;
    this.#db.pragma(`synchronous = ${flushing}`);
    // A checkpoint must flush both files: it waits for a commit that does.
    if (flushing === 'OFF') this.#db.pragma('wal_autocheckpoint = 0');
    else if (this.#current === 'OFF') this.#db.pragma(`wal_autocheckpoint = ${AUTOCHECKPOINT_PAGES}`);
    this.#current = flushing;
  }
}
