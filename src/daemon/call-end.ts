import { setMaxListeners } from 'node:events';

/** Ends a call at its deadline, or when one of its signals is aborted. */
export class CallEnd {
  readonly #abort = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #timeoutError: () => Error;
  /** Time on the clock of `performance.now`. */
  #deadline: number;
  #timer: NodeJS.Timeout;

  /**
   * @param ms time until the deadline. @param timeoutError makes the error with which the call ends then.
   * @param sources end the call with their reason.
   */
  constructor(ms: number, timeoutError: () => Error, sources: readonly AbortSignal[]) {
    this.#timeoutError = timeoutError;
    this.#deadline = performance.now() + ms;
    this.#timer = setTimeout(this.#check, ms);
    this.#sources = sources;
    for (const source of sources) {
      // Any number of calls may listen to one signal.
      setMaxListeners(0, source);
      if (source.aborted) this.#abort.abort(source.reason);
      else source.addEventListener('abort', this.#follow);
    }
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Gives the call more time. */
  extend(ms: number): void {
    this.#deadline += ms;
  }

  /** Waits for `ms`. @throws the reason if the call ends earlier. */
  async pause(ms: number): Promise<void> {
    await this.race(new Promise<void>((resolve) => setTimeout(resolve, ms)));
  }

  /** @returns the value of a promise. @throws the reason if the call ends earlier. */
  race<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(signal.reason as Error);
      if (signal.aborted) return ended();
      signal.addEventListener('abort', ended);
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', ended));
    });
  }

  /** Releases the timer and the listeners. */
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
