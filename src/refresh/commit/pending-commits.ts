/** Counts the commits of a refresh that the main thread has not acknowledged yet. */
export class PendingCommits {
  readonly #signal: AbortSignal;
  #count = 0;
  #wake: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  add(): void {
    this.#count += 1;
  }

  acknowledge(): void {
    this.#count -= 1;
    this.#wake();
  }

  /**
   * Resolves when at most `limit` commits are not acknowledged.
   * @throws the reason of the signal when it is aborted first.
   */
  async settled(limit: number): Promise<void> {
    while (!this.#signal.aborted && this.#count > limit)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#signal.throwIfAborted();
  }
}
