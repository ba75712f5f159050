/** Limit for the rate of calls. */
export interface RateRule {
  /** Largest number of calls within any period of `seconds`. */
  readonly requests: number;
  readonly seconds: number;
}

/** Limits the rate of calls: at most `requests` calls begin within any period of `seconds`. */
export class CallRate {
  readonly rule: RateRule;
  readonly #now: () => number;
  /** Times of the latest calls [ms], in a ring buffer of `requests` entries. */
  readonly #times: number[] = [];
  #next = 0;

  /** @param now monotonic clock [ms]. */
  constructor(rule: RateRule, now: () => number = () => performance.now()) {
    this.rule = rule;
    this.#now = now;
  }

  /** Time until a call is allowed again [ms]; 0 if a call is allowed now. */
  wait(now = this.#now()): number {
    const oldest = this.#times[this.#next];
    return oldest === undefined ? 0 : Math.max(0, oldest + this.rule.seconds * 1000 - now);
  }

  /**
   * Counts one call, unless it is not allowed yet. @returns 0 if it was counted, otherwise the time until a call is
   * allowed [ms].
   */
  take(): number {
    const now = this.#now();
    const wait = this.wait(now);
    if (wait > 0) return wait;
    this.#times[this.#next] = now;
    this.#next = (this.#next + 1) % this.rule.requests;
    return 0;
  }
}
