/** Longest time for which first refreshes wait for further creations [ms]. */
const MOST_MS = 10_000;

/** Time after the end of a creation in which the next one of the group may begin, for example in a script [ms]. */
const GAP_MS = 200;

/** Group of wallets that are created at about the same time, and whose first refreshes begin together. */
export class CreationGroup {
  readonly #now: () => number;
  /** Number of running creations. */
  #running = 0;
  #lastEnd = -Infinity;
  #limit = -Infinity;

  /** @param now returns the time [ms]. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records the start of a creation. @returns true if it begins a new group, because no group is waiting. */
  begin(): boolean {
    const isFirst = this.#now() >= this.heldUntil;
    if (isFirst) this.#limit = this.#now() + MOST_MS;
    this.#running += 1;
    return isFirst;
  }

  end(): void {
    this.#running -= 1;
    this.#lastEnd = this.#now();
  }

  /** Latest time until which wallets of this group wait [ms]. */
  get limit(): number {
    return this.#limit;
  }

  /** Time until which the first refreshes of created wallets wait [ms]; changes when a creation begins or ends. */
  get heldUntil(): number {
    return this.#running > 0 ? this.#limit : Math.min(this.#limit, this.#lastEnd + GAP_MS);
  }
}
