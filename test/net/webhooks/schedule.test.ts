import { describe, expect, it, test } from '@jest/globals';
import { DELAYS_MS, MAX_ATTEMPTS, nextWait, parseRetryAfter } from '../../../src/net/webhooks/sender.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

const HOUR = 3_600_000;
const shortest = (length: number): Uint8Array => new Uint8Array(length);
const longest = (length: number): Uint8Array => new Uint8Array(length).fill(0xff);

describe('retry schedule', () => {
  it('has the delays of Standard Webhooks', () => {
    expect(DELAYS_MS.map((ms) => ms / 1000)).toEqual([
      0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400,
    ]);
  });

  it('lengthens a delay by up to a fifth and never shortens it', () => {
    DELAYS_MS.forEach((delay, attempts) => {
      expect(nextWait(attempts, undefined, shortest)).toBe(delay);
      expect(nextWait(attempts, undefined, longest)).toBe(Math.round(delay * 1.2));
    });
  });

  it('spreads deliveries that failed at the same time', () => {
    const rng = seededRng('jitter');
    const waits = Array.from({ length: 1000 }, () => nextWait(3, undefined, rng) ?? 0);
    const tenths = new Set(waits.map((wait) => Math.floor((wait - 1_800_000) / 36_000)));
    expect([...tenths].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('ends after ten attempts', () => {
    expect(MAX_ATTEMPTS).toBe(10);
    expect(nextWait(9, undefined)).toBeGreaterThan(0);
    expect(nextWait(10, undefined)).toBeUndefined();
    expect(nextWait(10, 5000)).toBeUndefined();
  });

  it('is lengthened by Retry-After up to 24 hours, and never shortened', () => {
    expect(nextWait(1, 60_000, shortest)).toBe(60_000);
    expect(nextWait(1, 1000, shortest)).toBe(5000);
    expect(nextWait(1, 1000 * HOUR, shortest)).toBe(24 * HOUR);
    expect(nextWait(9, 1000 * HOUR, longest)).toBe(Math.round(24 * HOUR * 1.2));
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(1994, 10, 6, 8, 49, 0);

  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7000],
    ['999999999999', 999_999_999_999_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
    ['Sun, 06 Nov 1994 08:48:37 GMT', 0],
  ])('of %j is %i ms', (header, wait) => {
    expect(parseRetryAfter(header, now)).toBe(wait);
  });

  test.each([undefined, '', '-1', '1.5', '1e3', 'soon', '1994-11-06', 'Sun, 99 Nov 1994 08:49:37 GMT'])(
    'of %j is ignored',
    (header) => {
      expect(parseRetryAfter(header, now)).toBeUndefined();
    },
  );
});
