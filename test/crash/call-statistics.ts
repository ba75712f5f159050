/** Numbers of calls of a load, and their longest times. */
export class CallStatistics {
  #answered = 0;
  #broken = 0;
  #longestMs = 0;
  readonly #refused = new Map<number, number>();
  readonly #longestRefusalMs = new Map<number, number>();

  /** Counts an answer. @param code of the error; undefined for a result. @param ms time of the call. */
  count(code: number | undefined, ms: number): void {
    if (code === undefined) {
      this.#answered += 1;
      this.#longestMs = Math.max(this.#longestMs, ms);
      return;
    }
    this.#refused.set(code, (this.#refused.get(code) ?? 0) + 1);
    this.#longestRefusalMs.set(code, Math.max(this.#longestRefusalMs.get(code) ?? 0, ms));
  }

  /** Counts a call whose connection ended without an answer. */
  countBroken(): void {
    this.#broken += 1;
  }

  /** Number of calls with a result. */
  get answered(): number {
    return this.#answered;
  }

  /** Number of calls whose connection ended without an answer. */
  get broken(): number {
    return this.#broken;
  }

  /** Longest time of a call with a result [ms]. */
  get longestMs(): number {
    return this.#longestMs;
  }

  /** Number of calls with this error code. */
  refused(code: number): number {
    return this.#refused.get(code) ?? 0;
  }

  /** Numbers of calls with an error, by its code. */
  get refusals(): ReadonlyMap<number, number> {
    return this.#refused;
  }

  /** Longest time of a call with this error code [ms]; 0 if there is none. */
  longestRefusalMs(code: number): number {
    return this.#longestRefusalMs.get(code) ?? 0;
  }

  /** Number of failed calls that a cluster caused: -66 and -67, and calls without an answer. */
  get failed(): number {
    return this.#broken + this.refused(NOT_REPLICATED) + this.refused(WALLET_ELSEWHERE);
  }
}

/** Error code: a quorum of databases did not confirm the change in time; the outcome is unknown. */
export const NOT_REPLICATED = -66;
/** Error code: another process holds the wallet, and could not be reached; nothing has run. */
export const WALLET_ELSEWHERE = -67;
