/** Time of day. Tests hand in their own. */
export interface Clock {
  /** Unix time [s]. */
  now(): number;
}

export const systemClock: Clock = { now: () => Math.floor(Date.now() / 1000) };
