import { NotReplicatedError } from './page-sink.js';

interface Waiter {
  readonly target: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Callers that wait until commits are stored at a sink. */
export class StoredWaiters {
  readonly #waiters = new Set<Waiter>();
  #stored = 0;
  /** Error of the sink since the last success. */
  #cause: unknown;
  #end: NotReplicatedError | undefined;

  /** Number of commits that are stored. */
  get stored(): number {
    return this.#stored;
  }

  /** Resolves when a number of commits is stored. @throws NotReplicatedError after a time, or after {@link end}. */
  async wait(target: number, timeoutMs: number): Promise<void> {
    if (this.#stored >= target) return;
    if (this.#end !== undefined) throw this.#end;
    await new Promise<void>((resolve, reject) => {
      const waiter = {
        ...{ target, resolve, reject },
        timer: setTimeout(() => {
          this.#waiters.delete(waiter);
          reject(new NotReplicatedError('the pages are not stored yet', false, { cause: this.#cause }));
        }, timeoutMs),
      };
      this.#waiters.add(waiter);
    });
  }

  /** Notes that a number of commits is stored. */
  resolve(stored: number): void {
    this.#stored = stored;
    this.#cause = undefined;
    for (const waiter of this.#waiters) if (waiter.target <= stored) this.#take(waiter).resolve();
  }

  /** Keeps an error of the sink as the cause for callers that wait in vain. */
  note(cause: unknown): void {
    this.#cause = cause;
  }

  /** Rejects all callers, and later ones unless their commits are stored. */
  end(error: NotReplicatedError): void {
    this.#end ??= error;
    for (const waiter of this.#waiters) this.#take(waiter).reject(this.#end);
  }

  #take(waiter: Waiter): Waiter {
    clearTimeout(waiter.timer);
    this.#waiters.delete(waiter);
    return waiter;
  }
}
