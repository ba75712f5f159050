import { monotonicMs } from '../../util/clock.js';

/** Limits the total time that a pass waits for passes behind it to catch up. */
export class CatchUpWait {
  readonly #onEnd: () => void;
  /** Remaining waiting time [ms]. */
  #left: number;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param limitMs sum of the durations of all waits [ms]. @param onEnd is called when that time is used up. */
  constructor(limitMs: number, onEnd: () => void) {
    this.#left = limitMs;
    this.#onEnd = onEnd;
  }

  /** Starts a wait, or continues the one under way. @returns false when the time is used up. */
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
