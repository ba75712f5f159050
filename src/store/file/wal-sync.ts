import { syncFileAsync } from './fsync.js';

/** Commits after which a flush starts while no caller waits for the disk: starting one takes half a millisecond. */
const COMMITS_PER_FLUSH = 4;

/**
 * Time after a call of {@link WalSync.finish} in which a flush starts with each commit: the next call has less to
 * write [ms].
 */
const BUSY_MS = 2000;

interface Failure {
  readonly error: unknown;
}

/** Flushes the write-ahead log of an open database to disk, on another thread. */
export class WalSync {
  readonly #path: string;
  readonly #sync: (path: string) => Promise<void>;
  /** A flush that runs already. */
  #running: Promise<Failure | undefined> | undefined;
  #commits = 0;
  /** Moment of the last {@link finish} [ms]. */
  #finishedAt = -Infinity;
  /** First failure. The system reports one once only, although pages before later ones are then missing. */
  #failure: Failure | undefined;

  constructor(path: string, sync: (path: string) => Promise<void> = syncFileAsync) {
    this.#path = path;
    this.#sync = sync;
  }

  /** Counts a commit. After some of them a flush starts, so that {@link finish} has less to write. */
  note(): void {
    this.#commits += 1;
    const isBusy = performance.now() - this.#finishedAt < BUSY_MS;
    if (this.#running !== undefined || this.#commits < (isBusy ? 1 : COMMITS_PER_FLUSH)) return;
    this.#running = this.#flush().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves once all earlier commits are on disk. @throws the first error of the disk, from then on in every call. */
  async finish(): Promise<void> {
    this.#finishedAt = performance.now();
    const running = this.#running;
    // A flush that began after the last commit writes it.
    const last = running !== undefined && this.#commits === 0 ? running : this.#flush();
    const [openFailure] = await Promise.all([last, running]);
    const failure = this.#failure ?? openFailure;
    if (failure !== undefined) throw failure.error;
  }

  /** @returns the error of a log that could not be opened: no data is lost then, and the next flush may succeed. */
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
