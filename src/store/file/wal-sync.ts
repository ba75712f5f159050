import { syncFileAside } from './fsync.js';

/** Commits after which the disk begins: to ask it costs half a millisecond. */
const COMMITS_AT_ONCE = 4;

interface Failure {
  readonly error: unknown;
}

/** Puts the log of an open database on disk from another thread, for as long as the database is open. */
export class WalSync {
  readonly #path: string;
  readonly #sync: (path: string) => Promise<void>;
  #ahead: Promise<unknown> | undefined;
  #commits = 0;
  /** The disk tells of a failure once: what was not written then is missing under all that comes later. */
  #failure: Failure | undefined;

  constructor(path: string, sync: (path: string) => Promise<void> = syncFileAside) {
    this.#path = path;
    this.#sync = sync;
  }

  /** Something was committed. After a few of them the disk begins, so that who waits for all of it waits for less. */
  note(): void {
    this.#commits += 1;
    if (this.#commits < COMMITS_AT_ONCE || this.#ahead !== undefined) return;
    this.#ahead = this.#once().finally(() => {
      this.#ahead = undefined;
    });
  }

  /** Ends once everything written before is on disk. @throws the error of the disk, from its first failure on. */
  async finish(): Promise<void> {
    const [, unopened] = await Promise.all([this.#ahead, this.#once()]);
    const failure = this.#failure ?? unopened;
    if (failure !== undefined) throw failure.error;
  }

  /** @returns the error of a log that could not be opened: the disk was asked for nothing, and may be the next time. */
  async #once(): Promise<Failure | undefined> {
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
