/** Time for which first refreshes wait at most [ms]. */
const MOST_MS = 10_000;

/** Time after the end of a creation in which another one may begin, for example the next one of a script [ms]. */
const GAP_MS = 200;

/** Wallets that are created at about the same time. */
export class CreationGroup {
  readonly #now: () => number;
  /** Creations under way. */
  #running = 0;
  #lastEnd = -Infinity;
  #limit = -Infinity;

  /** @param now time [ms]. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes the start of a creation. @returns true if it begins a group, because none waits. */
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

  /** Time until which wallets of this group wait at most. */
  get limit(): number {
    return this.#limit;
  }

  /** Time until which the first refreshes of created wallets wait; changes when a creation begins or ends. */
  get heldUntil(): number {
    return this.#running > 0 ? this.#limit : Math.min(this.#limit, this.#lastEnd + GAP_MS);
  }
}
