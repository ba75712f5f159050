import { setMaxListeners } from 'node:events';

/** Ends a call early: when its time is over, or when one of the signals that it depends on is aborted. */
export class CallEnd {
  readonly #abort = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #late: () => Error;
  /** On the clock of `performance.now`. */
  #until: number;
  #timer: NodeJS.Timeout;

  /**
   * @param ms until the call ends. @param late makes the error that it ends with then.
   * @param sources end it with their reason.
   */
  constructor(ms: number, late: () => Error, sources: readonly AbortSignal[]) {
    this.#late = late;
    this.#until = performance.now() + ms;
    this.#timer = setTimeout(this.#check, ms);
    this.#sources = sources;
    for (const source of sources) {
      // As many calls as wait at once.
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
    this.#until += ms;
  }

  /** Waits for a while. @throws the reason where the call ends meanwhile. */
  async pause(ms: number): Promise<void> {
    await this.race(new Promise<void>((resolve) => setTimeout(resolve, ms)));
  }

  /** @returns the value of a promise. @throws the reason where the call ends before. */
  race<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(signal.reason as Error);
      if (signal.aborted) return ended();
      signal.addEventListener('abort', ended);
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', ended));
    });
  }

  /** Lets go of the clock and the sources. */
  release(): void {
    clearTimeout(this.#timer);
    for (const source of this.#sources) source.removeEventListener('abort', this.#follow);
  }

  readonly #check = (): void => {
    const left = this.#until - performance.now();
    if (left <= 0) this.#abort.abort(this.#late());
    else this.#timer = setTimeout(this.#check, left);
  };

  readonly #follow = (event: Event): void => {
    this.#abort.abort((event.target as AbortSignal).reason);
  };
}
