import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BLOCK_TOLERANCE, TimeBounds } from '../../../src/services/context/time-bounds.js';

const START = 1_700_000_000;
const HOUR = 3600;
const YEAR = 365 * 24 * HOUR;

/** Time that has really passed since the start [s]. */
let passed: number;
/** Difference of the clock to the time [s]. */
let error: number;
let block: number | undefined;

beforeEach(() => {
  [passed, error, block] = [0, 0, START - 100];
});

const open = (): TimeBounds =>
  new TimeBounds({
    store: { lastBlockTime: () => block },
    clock: { now: () => 1000 * (START + passed + error) },
    monotonic: () => 1000 * passed + 77_777,
  });

describe('the bounds of the time', () => {
  it('begin at the newest block, and meet the clock with the next one', () => {
    const bounds = open();
    expect([bounds.earliest(), bounds.latest()]).toEqual([START - 100, START]);
    passed = 50;
    expect([bounds.earliest(), bounds.latest()]).toEqual([START - 50, START + 50]);
    block = START + 50;
    expect([bounds.earliest(), bounds.latest()]).toEqual([START + 50, START + 50]);
  });

  it.each([HOUR, -HOUR, YEAR, -YEAR])(
    'move by %d s only at one end when the clock is stepped by it',
    (step) => {
      const bounds = open();
      error = step;
      passed = 10;
      const expected = step > 0 ? [START - 90, START + 10 + step] : [START - 90, START - 90];
      expect([bounds.earliest(), bounds.latest()]).toEqual(expected);
      error = 0;
      expect([bounds.earliest(), bounds.latest()]).toEqual([START - 90, START + 10]);
    },
  );

  it.each([HOUR, YEAR])('are right if the wallet is opened with a clock that is %d s ahead', (step) => {
    error = step;
    const bounds = open();
    expect([bounds.earliest(), bounds.latest()]).toEqual([START - 100, START + step]);
    error = 0;
    expect([bounds.earliest(), bounds.latest()]).toEqual([START - 100, START]);
  });

  it('are too early at one end alone if the wallet is opened with a clock that is behind', () => {
    error = -YEAR;
    const bounds = open();
    expect([bounds.earliest(), bounds.latest()]).toEqual([START - YEAR + BLOCK_TOLERANCE, START - 100]);
    error = 0;
    expect([bounds.earliest(), bounds.latest()]).toEqual([START - 100, START]);
  });

  it('let a daemon that lies about the time move the earliest time by two hours only', () => {
    const bounds = open();
    block = START + YEAR;
    expect([bounds.earliest(), bounds.latest()]).toEqual([START + BLOCK_TOLERANCE, START + YEAR]);
    block = START;
    expect([bounds.earliest(), bounds.latest()]).toEqual([START, START]);
  });

  it('advance while no block comes, and jump to the blocks of a wallet that was far behind', () => {
    block = START - YEAR;
    const bounds = open();
    passed = 24 * HOUR;
    expect(bounds.earliest()).toBe(START - YEAR + 24 * HOUR);
    block = START + passed - 60;
    expect(bounds.earliest()).toBe(block);
  });

  it('follow the clock of the start in a wallet without blocks', () => {
    block = undefined;
    const bounds = open();
    passed = HOUR;
    error = YEAR;
    expect([bounds.earliest(), bounds.latest()]).toEqual([START + HOUR, START + HOUR + YEAR]);
    error = -YEAR;
    expect([bounds.earliest(), bounds.latest()]).toEqual([START + HOUR, START + HOUR]);
  });

  it('recognise what was dated ahead, once the clock is right', () => {
    const bounds = open();
    error = YEAR;
    const date = bounds.latest();
    expect(bounds.isAhead(date)).toBe(false);
    error = 0;
    expect([bounds.isAhead(date), bounds.isAhead(START + BLOCK_TOLERANCE)]).toEqual([true, false]);
  });

  it('contain the time, but for the age of a block, whatever the clock does', () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 10_000 }),
      age: fc.integer({ min: 0, max: 600 }),
      error: fc.integer({ min: -YEAR, max: YEAR }),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        [passed, error, block] = [0, 0, START];
        const bounds = open();
        for (const { wait, age, error: next } of steps) {
          passed += wait;
          error = next;
          block = Math.max(block ?? 0, START + passed - age);
          expect(bounds.earliest()).toBeLessThanOrEqual(START + passed);
          expect(bounds.latest()).toBeGreaterThanOrEqual(START + passed - age);
          expect(bounds.latest()).toBeGreaterThanOrEqual(bounds.earliest());
        }
      }),
    );
  });
});
