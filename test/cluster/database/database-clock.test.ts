import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { DatabaseClock } from '../../../src/cluster/database/database-clock.js';
import { monotonicMs } from '../../../src/util/clock.js';

let lines: string[];
let clock: DatabaseClock;
let aheadMs: number;

beforeEach(() => {
  lines = [];
  aheadMs = 0;
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
  const note = (_: object, message: string): void => void lines.push(message);
  clock = new DatabaseClock({ info: note, warn: note });
});

afterEach(() => void jest.restoreAllMocks());

/** Notes that the database has the time of this machine, and some more. */
const note = (moreMs: number): void => clock.note(Date.now() - aheadMs + moreMs, monotonicMs());

describe('the clock of the database', () => {
  test('is followed, whatever the clock of the machine says', () => {
    note(100_000);
    const first = clock.now();
    expect(Math.round(clock.aheadMs / 1000)).toBe(-100);
    aheadMs = -3_600_000;
    expect(clock.now()).toBeGreaterThanOrEqual(first);
    expect(Math.abs(clock.now() - first)).toBeLessThan(500);
    expect(Math.round(clock.aheadMs / 1000)).toBe(-3700);
    expect(Number.isInteger(clock.now())).toBe(true);
  });

  test('is not read from an answer that took too long', () => {
    clock.note(Date.now() + 100_000, monotonicMs() - 6000);
    expect(Math.abs(clock.aheadMs)).toBeLessThan(500);
  });

  test('is reported once when the two clocks differ by more than 30 s, and once when they agree again', () => {
    note(29_000);
    expect(lines).toEqual([]);
    note(31_000);
    note(32_000);
    aheadMs = 100_000;
    note(0);
    expect(lines).toEqual(['the clocks of this machine and of the database differ: set the wrong one']);
    aheadMs = 0;
    note(0);
    note(0);
    expect(lines.slice(1)).toEqual(['the clocks of this machine and of the database agree again']);
  });
});
