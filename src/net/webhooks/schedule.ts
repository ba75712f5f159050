import { systemRng, uniformDouble, type Rng } from '../../util/random.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Delays before the attempts of one delivery, each from the failure of the attempt before [ms]. Source: Standard
 * Webhooks 1.0.0, retry schedule; the tenth attempt is made after 24 hours.
 */
export const DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Number of attempts after which a delivery fails for good. */
export const MAX_ATTEMPTS = DELAYS_MS.length;

/**
 * Largest part of a delay that is added at random, so that deliveries that failed in one outage are spread over a fifth
 * of the delay. A delay is never shortened: the documented delay is a lower bound.
 */
const JITTER = 0.2;

/** Longest wait that a receiver can request [ms]. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;

/**
 * Computes the wait before the next attempt [ms].
 * @param attempts number of attempts made, all of which failed.
 * @param retryAfter wait that the receiver requests [ms]; it can lengthen the delay up to 24 hours, and never shortens
 * it.
 * @returns undefined if no attempt is left.
 */
export function nextWait(
  attempts: number,
  retryAfter: number | undefined,
  rng: Rng = systemRng,
): number | undefined {
  const delay = DELAYS_MS[attempts];
  if (delay === undefined) return undefined;
  const wait = Math.round(delay * (1 + JITTER * uniformDouble(rng)));
  return Math.max(wait, Math.min(retryAfter ?? 0, MAX_RETRY_AFTER_MS));
}

/** Date in the preferred form of RFC 9110: `Sun, 06 Nov 1994 08:49:37 GMT`. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Parses a `Retry-After` header: whole seconds or an HTTP date.
 * @param now Unix time [ms].
 * @returns the wait [ms], at least 0; undefined for any other text. Source: RFC 9110, 10.2.3.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Number(text) * SECOND;
  const time = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
