import { monotonicMs } from '../../util/monotonic-time.js';

/** Limits the time that a pass waits for another one to catch up. */
export class CatchUpWait {
  readonly #onEnd: () => void;
  /** Time left (ms). */
  #left: number;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param limitMs of all waits together. @param onEnd called when the time is used up. */
  constructor(limitMs: number, onEnd: () => void) {
    this.#left = limitMs;
    this.#onEnd = onEnd;
  }

  /** Begins or continues a wait. @returns false when the time is used up. */
  wait(): boolean {
    if (this.#since === undefined && this.#left > 0) {
      this.#since = monotonicMs();
      this.#timer = setTimeout(() => {
        this.end();
        this.#left = 0;
        this.#onEnd();
      }, this.#left);
      this.#timer.unref();
    }
    return this.#since !== undefined;
  }

  end(): void {
    if (this.#since === undefined) return;
    this.#left -= monotonicMs() - this.#since;
    this.#since = undefined;
    clearTimeout(this.#timer);
  }
}
