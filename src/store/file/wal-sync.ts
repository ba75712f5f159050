import { statSync } from 'node:fs';
import type { SqlDatabase } from '../../util/sql-database.js';
import { syncFileAsync } from './file-draft.js';

/**
 * Number of commits after which a flush starts while no caller waits for the disk. Starting a flush takes half a
 * millisecond.
 */
const COMMITS_PER_FLUSH = 4;

/**
 * Time after a call of {@link WalSync.finish} during which a flush starts with each commit, so that the next call has
 * less to wait for [ms].
 */
const BUSY_MS = 2000;

interface Failure {
  readonly error: unknown;
}

/** Flushes the write-ahead log of an open database to disk, on another thread. */
export class WalSync {
  readonly #path: string;
  readonly #sync: (path: string) => Promise<void>;
  /** Result of the flush that is under way; undefined if no flush is under way. */
  #running: Promise<Failure | undefined> | undefined;
  #commits = 0;
  /** Time of the last call of {@link finish}, on the clock of `performance.now` [ms]. */
  #finishedAt = -Infinity;
  /**
   * First failure of a flush. The system reports an error only once, although pages which were not written remain
   * missing afterwards.
   */
  #failure: Failure | undefined;

  constructor(path: string, sync: (path: string) => Promise<void> = syncFileAsync) {
    this.#path = path;
    this.#sync = sync;
  }

  /** Counts a commit. After some commits a flush starts, so that {@link finish} has less to wait for. */
  note(): void {
    this.#commits += 1;
    const isBusy = performance.now() - this.#finishedAt < BUSY_MS;
    if (this.#running !== undefined || this.#commits < (isBusy ? 1 : COMMITS_PER_FLUSH)) return;
    this.#running = this.#flush().finally(() => {
      this.#running = undefined;
    });
  }

  /**
   * Resolves when all earlier commits are on disk.
   * @throws the first error of the disk; after an error every call throws it.
   */
  async finish(): Promise<void> {
    this.#finishedAt = performance.now();
    const running = this.#running;
    // A flush that began after the last commit includes it.
    const last = running !== undefined && this.#commits === 0 ? running : this.#flush();
    const [openFailure] = await Promise.all([last, running]);
    const failure = this.#failure ?? openFailure;
    if (failure !== undefined) throw failure.error;
  }

  /**
   * Flushes the log.
   * @returns the error if the log could not be opened: no data is lost then, and the next flush may succeed.
   */
  async #flush(): Promise<Failure | undefined> {
    this.#commits = 0;
    try {
      await this.#sync(this.#path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === 'open') return { error };
      this.#failure ??= { error };
    }
    return undefined;
  }
}

/**
 * Part of the log that SQLite flushes to disk during a commit: the whole log (FULL); only its header, when a new log
 * begins (NORMAL); no part (OFF).
 */
type Flushing = 'FULL' | 'NORMAL' | 'OFF';

/**
 * Sets the part of the log that the next commit of a connection flushes to disk. A new connection is set as by {@link
 * full}.
 */
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
   * is not flushed: without a header no part of the log can be taken for valid. A log that starts again contains old
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
