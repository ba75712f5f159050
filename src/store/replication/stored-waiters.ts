import { NotReplicatedError } from './replication.js';

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

  /** Rejects all callers, and later callers unless their commits are stored. */
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

/** First and longest wait after a failure; each failure doubles the wait [ms]. */
const FIRST_MS = 50;
const LONGEST_MS = 2000;

/** Waits between attempts of a task that fails. */
export class RetryPause {
  #failures = 0;
  #isEnded = false;
  #end: () => void = () => undefined;

  /** Waits after a failure, and longer after each further failure. */
  async wait(): Promise<void> {
    if (this.#isEnded) return;
    const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#end = (): void => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Notes that an attempt has succeeded. */
  reset(): void {
    this.#failures = 0;
  }

  /** Ends the present wait and prevents later waits. */
  end(): void {
    this.#isEnded = true;
    this.#end();
  }
}
