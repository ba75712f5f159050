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

/** The reading of a {@link Clock}. */
export type TimeOfDay = Pick<Clock, 'now'>;

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Unix time in whole seconds, the unit of the chain and of the wallets' records. */
export const unixSeconds = (clock: TimeOfDay): number => Math.floor(clock.now() / 1000);

/** Returns the time since an arbitrary moment [ms], from the same clock in all threads of the process. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
