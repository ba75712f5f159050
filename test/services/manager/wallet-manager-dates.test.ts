import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Daemon } from '../../../src/daemon/daemon.js';
import { heightOfDate } from '../../../src/services/manager/wallet-manager.js';

const DAY = 86_400;
const FIRST = Date.parse('2026-01-01T00:00:00Z') / 1000;
const NOW = Date.parse('2026-11-22T12:00:00Z');

/** Daemon with blocks at given timestamps, and its number of header requests. */
function chainOf(timestamps: readonly number[]) {
  let requests = 0;
  const daemon = {
    getInfo: () => Promise.resolve({ height: timestamps.length }),
    getLastBlockHeader: () => Promise.resolve({ height: timestamps.length - 1 }),
    getBlockHeader: (height: number) => {
      requests += 1;
      const timestamp = timestamps[height];
      return timestamp === undefined
        ? Promise.reject(new Error(`no block ${height}`))
        : Promise.resolve({ timestamp });
    },
  } as unknown as Pick<Daemon, 'getInfo' | 'getLastBlockHeader' | 'getBlockHeader'>;
  return { daemon, requests: () => requests };
}

const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

describe('the height of a date', () => {
  it('is that of the first block at most a day before the date begins, 60 below the tip, in any chain', async () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 5 * DAY }), { minLength: 1, maxLength: 150 });
    await fc.assert(
      fc.asyncProperty(gaps, fc.integer({ min: -10, max: 300 }), async (steps, day) => {
        let time = FIRST;
        const timestamps = steps.map((step) => (time += step));
        const { daemon } = chainOf(timestamps);
        const date = FIRST + day * DAY;
        const height = await heightOfDate(dateOf(date), daemon, NOW);
        const dated = timestamps.filter((timestamp) => timestamp < date - DAY).length;
        expect(height).toBe(Math.min(dated, Math.max(0, timestamps.length - 60)));
      }),
      { numRuns: 200 },
    );
  });

  it('takes a request per halving of the chain', async () => {
    const { daemon, requests } = chainOf(Array.from({ length: 100_000 }, (_, i) => FIRST + 120 * i));
    await heightOfDate('2026-03-01', daemon, NOW);
    expect(requests()).toBeLessThanOrEqual(17);
  });

  it('is 60 blocks below the tip for a date after the last block, such as today', async () => {
    const { daemon } = chainOf(Array.from({ length: 200 }, (_, i) => FIRST + i));
    expect(await heightOfDate('2026-11-22', daemon, NOW)).toBe(140);
    // Where the day begins earlier, it is tomorrow already.
    expect(await heightOfDate('2026-11-23', daemon, NOW)).toBe(140);
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
