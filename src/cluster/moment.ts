import { monotonicMs, systemClock } from '../util/clock.js';

/** A moment by the clocks of this process. */
export class Moment {
  readonly #monotonic = monotonicMs();
  readonly #wall = systemClock.now();

  /**
   * Returns the time since the moment [ms]: the monotonic clock stands still while the machine sleeps, the time of day
   * can be set back, so that the longer of both counts.
   */
  elapsedMs(): number {
    return Math.max(monotonicMs() - this.#monotonic, systemClock.now() - this.#wall);
  }
}
