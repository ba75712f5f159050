import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Daemon } from '../../../src/daemon/daemon.js';
import { heightOfDate } from '../../../src/services/manager/restore-height.js';

const DAY = 86_400;
const FIRST = Date.parse('2026-01-01T00:00:00Z') / 1000;
const NOW = Date.parse('2026-11-22T12:00:00Z');

/** Daemon with blocks at given timestamps, and its number of header requests. */
function chainOf(timestamps: readonly number[]) {
  let requests = 0;
  const daemon = {
    getInfo: () => Promise.resolve({ height: timestamps.length }),
    getBlockHeader: (height: number) => {
      requests += 1;
      const timestamp = timestamps[height];
      return timestamp === undefined
        ? Promise.reject(new Error(`no block ${height}`))
        : Promise.resolve({ timestamp });
    },
  } as unknown as Pick<Daemon, 'getInfo' | 'getBlockHeader'>;
  return { daemon, requests: () => requests };
}

const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

describe('the height of a date', () => {
  it('is that of the first block at most a day before the date begins, in any chain', async () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 5 * DAY }), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(gaps, fc.integer({ min: -10, max: 300 }), async (steps, day) => {
        let time = FIRST;
        const timestamps = steps.map((step) => (time += step));
        const { daemon } = chainOf(timestamps);
        const date = FIRST + day * DAY;
        const height = await heightOfDate(dateOf(date), daemon, NOW);
        expect(height).toBe(timestamps.filter((timestamp) => timestamp < date - DAY).length);
      }),
      { numRuns: 200 },
    );
  });

  it('takes a request per halving of the chain', async () => {
    const { daemon, requests } = chainOf(Array.from({ length: 100_000 }, (_, i) => FIRST + 120 * i));
    await heightOfDate('2026-03-01', daemon, NOW);
    expect(requests()).toBeLessThanOrEqual(17);
  });

  it('is the height of the chain for a date after its last block, such as today', async () => {
    const { daemon } = chainOf([FIRST, FIRST + 60]);
    expect(await heightOfDate('2026-11-22', daemon, NOW)).toBe(2);
    // Where the day begins earlier, it is tomorrow already.
    expect(await heightOfDate('2026-11-23', daemon, NOW)).toBe(2);
  });

  it.each(['2026-11-24', '2027-01-01', '9999-12-31'])('is refused for %s, in the future', async (date) => {
    const { daemon } = chainOf([FIRST]);
    await expect(heightOfDate(date, daemon, NOW)).rejects.toMatchObject({
      fault: { kind: 'invalid', reason: 'restore_date lies in the future' },
    });
  });

  it.each([
    '',
    '2026-1-1',
    '2026-02-30',
    '2026-13-01',
    '01.02.2026',
    '2026-01-01T00:00',
    ' 2026-01-01',
    '+02026-01-01',
  ])('is refused for %p, which is no date', async (date) => {
    const { daemon, requests } = chainOf([FIRST]);
    await expect(heightOfDate(date, daemon, NOW)).rejects.toMatchObject({
      fault: { kind: 'invalid', reason: 'restore_date is a date as YYYY-MM-DD' },
    });
    expect(requests()).toBe(0);
  });
});
