/** Time of day and timers. */
export interface PeriodClock {
  /** Unix time [ms]. */
  now(): number;
  /** Runs a function after a time [ms]. @returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** Failed calls of one login with one outcome. */
export interface RefusalKey {
  readonly credential: string;
  /** Error code. */
  readonly outcome: number;
}

/** Failed calls of a period beyond those that were noted one by one. */
export interface RefusalCount extends RefusalKey {
  readonly count: number;
}

/** Failed calls with the same login and outcome that are noted one by one within one period. */
const NOTED = 5;

/** Time after the first failed call in which further ones are counted [ms]. */
const PERIOD_MS = 60_000;

/**
 * Counts failed calls, so that a flood of them writes few lines: the first ones of a period are noted, further ones are
 * counted until its end. Its memory is bounded by the number of logins and of error codes.
 */
export class RefusalCounts {
  readonly #clock: PeriodClock;
  readonly #onCount: (count: RefusalCount) => void;
  readonly #seen = new Map<string, { readonly key: RefusalKey; times: number }>();
  #cancel: (() => void) | undefined;

  /** @param onCount takes the counts of a period at its end. */
  constructor(clock: PeriodClock, onCount: (count: RefusalCount) => void) {
    this.#clock = clock;
    this.#onCount = onCount;
  }

  /** Counts a failed call. @returns whether it is to be noted. */
  add({ credential, outcome }: RefusalKey): boolean {
    this.#cancel ??= this.#clock.after(PERIOD_MS, () => this.end());
    const name = `${outcome} ${credential}`;
    const seen = this.#seen.get(name) ?? { key: { credential, outcome }, times: 0 };
    seen.times += 1;
    this.#seen.set(name, seen);
    return seen.times <= NOTED;
  }

  /** Ends the period. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const seen = [...this.#seen.values()];
    this.#seen.clear();
    for (const { key, times } of seen) if (times > NOTED) this.#onCount({ ...key, count: times - NOTED });
  }
}
