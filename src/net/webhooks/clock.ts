/** Clock with timers; tests use a simulated one. */
export interface Clock {
  /** Unix time [ms]. */
  now(): number;
  /**
   * Runs a function after a time [ms], independently of changes to the time of day. @returns a function that cancels
   * it.
   */
  after(ms: number, run: () => void): () => void;
}

/** Clock of the operating system. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
