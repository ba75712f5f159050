import type { Clock } from '../../util/clock.js';

/** Login and outcome by which failed calls are counted. */
export interface RefusalKey {
  readonly credential: string;
  /** Error code of the failed calls. */
  readonly outcome: number;
}

/** Number of failed calls in a period that got no line of their own. */
export interface RefusalCount extends RefusalKey {
  readonly count: number;
}

/** Number of failed calls with the same login and outcome that get a line of their own in one period. */
const NOTED = 5;

/** Length of a period, which begins with a failed call [ms]. */
const PERIOD_MS = 60_000;

/**
 * Counts failed calls, so that a flood of them writes few lines: the first calls of a period get a line each, further
 * calls are counted until the period ends. The memory is bounded by the number of logins and of error codes.
 */
export class RefusalCounts {
  readonly #clock: Clock;
  readonly #onCount: (count: RefusalCount) => void;
  readonly #seen = new Map<string, { readonly key: RefusalKey; times: number }>();
  #cancel: (() => void) | undefined;

  /** @param onCount called with each count at the end of a period. */
  constructor(clock: Clock, onCount: (count: RefusalCount) => void) {
    this.#clock = clock;
    this.#onCount = onCount;
  }

  /** Counts a failed call. @returns true if the call gets a line of its own. */
  add({ credential, outcome }: RefusalKey): boolean {
    this.#cancel ??= this.#clock.after(PERIOD_MS, () => this.end());
    const name = `${outcome} ${credential}`;
    const seen = this.#seen.get(name) ?? { key: { credential, outcome }, times: 0 };
    seen.times += 1;
    this.#seen.set(name, seen);
    return seen.times <= NOTED;
  }

  /** Ends the period, and reports its counts. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const seen = [...this.#seen.values()];
    this.#seen.clear();
    for (const { key, times } of seen) if (times > NOTED) this.#onCount({ ...key, count: times - NOTED });
  }
}
