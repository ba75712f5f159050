/** Clock with timers; tests use a simulated clock. */
export interface Clock {
  /** Unix time [ms]. */
  now(): number;
  /**
   * Runs a function after a time [ms], independently of changes to the time of day. @returns a function that cancels
   * the run.
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

/** Shortest and longest pause before a further attempt [ms]. */
export interface RetryTimes {
  readonly first: number;
  readonly last: number;
}

/** Returns the pause before the next attempt [ms], which doubles with each failure. @param failures at least 1. */
export const backOff = (failures: number, { first, last }: RetryTimes): number =>
  Math.min(first * 2 ** Math.max(0, failures - 1), last);

/** Latest time that is read: the end of the year 9999 [Unix s]. */
const LATEST = 253_402_300_799n;

/** Unix time in digits. Fewer than nine digits may be a year or a date without hyphens. */
const DIGITS = /^(?:0|\d{9,12})$/;

/** Date, or date with a time of day and its offset from UTC. */
const ISO = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2}))?$/;

const inRange = (seconds: bigint): number | undefined =>
  seconds >= 0n && seconds <= LATEST ? Number(seconds) : undefined;

/**
 * Reads a time: Unix seconds, a date, which begins at 00:00 UTC, or a date with a time of day and its offset from UTC.
 * A fraction of a second is rounded up. @returns Unix time [s]; undefined for any other text.
 */
export function readInstant(given: bigint | string): number | undefined {
  if (typeof given === 'bigint' || DIGITS.test(given)) return inRange(BigInt(given));
  const [, date, time = '00:00:00', offset = 'Z'] = ISO.exec(given) ?? [];
  if (date === undefined || !isDate(date)) return undefined;
  const parsed = Date.parse(`${date}T${time}${offset}`);
  return Number.isNaN(parsed) ? undefined : inRange(BigInt(Math.ceil(parsed / 1000)));
}

/** True unless the day lies beyond the end of its month, which JavaScript reads as a day of the next month. */
function isDate(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}

/** Writes a time in UTC as ISO 8601. @param seconds Unix time [s]. */
export const instantText = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
