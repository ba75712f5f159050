import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Ends a call to another process at its deadline, or when one of several signals is aborted. */
export class CallEnd {
  readonly #abort = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #timeoutError: () => Error;
  /** Time at which the call ends, on the clock of `performance.now` [ms]. */
  #deadline: number;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param ms time until the deadline [ms]; undefined: unlimited.
   * @param timeoutError returns the error with which the call ends at the deadline.
   * @param sources signals that end the call with their reason.
   */
  constructor(ms: number | undefined, timeoutError: () => Error, sources: readonly AbortSignal[]) {
    this.#timeoutError = timeoutError;
    this.#deadline = performance.now() + (ms ?? Infinity);
    if (ms !== undefined) this.#timer = setTimeout(this.#check, ms);
    this.#sources = sources;
    for (const source of sources) {
      // Any number of concurrent calls may listen to the same signal, without a warning of Node.js.
      if (source instanceof EventTarget) setMaxListeners(0, source);
      if (source.aborted) this.#abort.abort(source.reason);
      else source.addEventListener('abort', this.#follow);
    }
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Moves the deadline to a later time. @param ms additional time [ms]. */
  extend(ms: number): void {
    this.#deadline += ms;
  }

  /** Waits for `ms` milliseconds. @throws the reason if the call ends earlier. */
  async pause(ms: number): Promise<void> {
    const { signal } = this;
    await sleep(ms, undefined, { signal }).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
  }

  /** Stops the timer and removes the listeners of the signals. */
  release(): void {
    clearTimeout(this.#timer);
    for (const source of this.#sources) source.removeEventListener('abort', this.#follow);
  }

  readonly #check = (): void => {
    const remaining = this.#deadline - performance.now();
    if (remaining <= 0) this.#abort.abort(this.#timeoutError());
    else this.#timer = setTimeout(this.#check, remaining);
  };

  readonly #follow = (event: Event): void => {
    this.#abort.abort((event.target as AbortSignal).reason);
  };
}

/**
 * Runs a task that ends at a deadline, or when one of several signals is aborted.
 * @param task receives the signal that ends it. @throws the reason of the signal, if the task throws it.
 */
export async function within<T>(
  ms: number | undefined,
  timeoutError: () => Error,
  sources: readonly AbortSignal[],
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new CallEnd(ms, timeoutError, sources);
  try {
    return await task(end.signal);
  } finally {
    end.release();
  }
}
