import { setMaxListeners } from 'node:events';

/** Ends a call to a daemon at its deadline, or when one of several signals is aborted. */
export class CallEnd {
  readonly #abort = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #timeoutError: () => Error;
  /** Time at which the call ends, on the clock of `performance.now` [ms]. */
  #deadline: number;
  #timer: NodeJS.Timeout;

  /**
   * @param ms time until the deadline [ms].
   * @param timeoutError returns the error with which the call ends at the deadline.
   * @param sources signals that end the call with their reason.
   */
  constructor(ms: number, timeoutError: () => Error, sources: readonly AbortSignal[]) {
    this.#timeoutError = timeoutError;
    this.#deadline = performance.now() + ms;
    this.#timer = setTimeout(this.#check, ms);
    this.#sources = sources;
    for (const source of sources) {
      // Any number of concurrent calls may listen to the same signal, without a warning of Node.
      setMaxListeners(0, source);
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
    await this.race(new Promise<void>((resolve) => setTimeout(resolve, ms)));
  }

  /** Waits for a promise. @returns its value. @throws the reason if the call ends earlier. */
  race<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(signal.reason as Error);
      if (signal.aborted) return ended();
      signal.addEventListener('abort', ended);
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', ended));
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
