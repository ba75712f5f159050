import { syncFileAside } from './durable.js';

/** Puts the log of an open database on disk from another thread, for as long as the database is open. */
export class LogSync {
  readonly #path: string;
  readonly #sync: (path: string) => Promise<void>;
  #ahead: Promise<void> | undefined;
  /** The disk tells of a failure once: what was not written then is missing under all that comes later. */
  #failure: { readonly error: unknown } | undefined;

  constructor(path: string, sync: (path: string) => Promise<void> = syncFileAside) {
    this.#path = path;
    this.#sync = sync;
  }

  /** Has the disk begin with what was written, unless it is at it: who waits for all of it waits for less then. */
  begin(): void {
    if (this.#ahead !== undefined) return;
    this.#ahead = this.#once().finally(() => {
      this.#ahead = undefined;
    });
  }

  /** Ends once everything written before is on disk. @throws the error of the disk, from its first failure on. */
  async finish(): Promise<void> {
    await Promise.all([this.#ahead, this.#once()]);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #once(): Promise<void> {
    try {
      await this.#sync(this.#path);
    } catch (error) {
      this.#failure ??= { error };
    }
  }
}
