import { syncFileAsync } from './fsync.js';

/**
 * Number of commits after which a flush starts while no caller waits for the disk. To start a flush takes half a
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
  /** Result of the flush that is under way; undefined if none is. */
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
