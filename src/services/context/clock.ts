/** Source of the time of day; tests use a fake one. */
export interface Clock {
  /** Unix time [s]. */
  now(): number;
}

export const systemClock: Clock = { now: () => Math.floor(Date.now() / 1000) };
