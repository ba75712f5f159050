import { syncFileAsync } from './fsync.js';

/** Commits after which a flush starts: starting one takes half a millisecond. */
const COMMITS_PER_FLUSH = 4;

interface Failure {
  readonly error: unknown;
}

/** Flushes the write-ahead log of an open database to disk, on another thread. */
export class WalSync {
  readonly #path: string;
  readonly #sync: (path: string) => Promise<void>;
  /** A flush that runs already. */
  #running: Promise<unknown> | undefined;
  #commits = 0;
  /** First failure. The system reports one once only, although pages before later ones are then missing. */
  #failure: Failure | undefined;

  constructor(path: string, sync: (path: string) => Promise<void> = syncFileAsync) {
    this.#path = path;
    this.#sync = sync;
  }

  /** Counts a commit. After some of them a flush starts, so that {@link finish} has less to write. */
  note(): void {
    this.#commits += 1;
    if (this.#commits < COMMITS_PER_FLUSH || this.#running !== undefined) return;
    this.#running = this.#flush().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves once all earlier commits are on disk. @throws the first error of the disk, from then on in every call. */
  async finish(): Promise<void> {
    const [, openFailure] = await Promise.all([this.#running, this.#flush()]);
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
