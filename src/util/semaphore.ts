/** Limits the number of tasks that run at one time; further tasks wait in the order of their calls. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#free = most;
  }

  /** Runs a task when its turn comes. @throws the reason of the signal if it is aborted before. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.take(signal);
    try {
      return await task();
    } finally {
      this.give();
    }
  }

  /** Takes a place, which is to be given back. @throws the reason of the signal if it is aborted before. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#waiting.delete(begin);
        reject(signal.reason as Error);
      };
      this.#waiting.add(begin);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Gives a place back, to the caller that has waited longest, so that no later caller takes it. */
  give(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
