import type { TimeOfDay } from '../../util/clock.js';

/** Largest difference between the time of a signature and the time of its check [ms]. */
export const WINDOW_MS = 30_000;

/** Largest number of nonces that are remembered, about 30 MB; 4,000 requests a second need them all. */
const MOST_NONCES = 1 << 18;

export type NonceCheck = 'fresh' | 'seen' | 'time';

/**
 * Remembers the nonces of signed requests while their time is accepted. Whatever a nonce is forgotten for, nothing that
 * was signed up to its time is accepted any more: so a request is not accepted twice if there are too many of them, if the
 * clock is set back, or after a restart of the process.
 */
export class SeenNonces {
  readonly #clock: TimeOfDay;
  readonly #most: number;
  /** Time of the signature [Unix ms] by nonce, in the order of arrival. */
  readonly #times = new Map<string, number>();
  /** Time up to which no signature is accepted [Unix ms]. */
  #floor: number;

  constructor(clock: TimeOfDay, most = MOST_NONCES) {
    this.#clock = clock;
    this.#most = most;
    // The nonces that an earlier process on this address has seen are unknown.
    this.#floor = clock.now();
  }

  get size(): number {
    return this.#times.size;
  }

  /**
   * Uses a nonce. To be called only after the tag was checked. @param time time of the signature [Unix ms].
   * @returns `seen` also for a request that may have been seen: the sender signs it anew.
   */
  use(nonce: string, time: number): NonceCheck {
    const now = this.#clock.now();
    if (Math.abs(now - time) > WINDOW_MS) return 'time';
    if (time <= this.#floor || this.#times.has(nonce)) return 'seen';
    this.#times.set(nonce, time);
    this.#forget(now);
    return 'fresh';
  }

  #forget(now: number): void {
    for (const [nonce, time] of this.#times) {
      if (now - time <= WINDOW_MS && this.#times.size <= this.#most) return;
      this.#times.delete(nonce);
      this.#floor = Math.max(this.#floor, time);
    }
  }
}
