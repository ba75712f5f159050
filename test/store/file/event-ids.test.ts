import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EventIds } from '../../../src/store/file/event-ids.js';

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ids-'));
  path = join(directory, 'ids');
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('event ids', () => {
  it('start at the clock in microseconds', () => {
    const ids = new EventIds({ clock: { now: () => 1_700_000_000_000 } });
    expect(ids.take(1)).toBe(1_700_000_000_000_000);
  });

  it('are consecutive within one call, and continue after it while the clock stands still', () => {
    const ids = new EventIds({ clock: { now: () => 1 } });
    expect(ids.take(3)).toBe(1000);
    expect(ids.take(1)).toBe(1003);
  });

  it('follow a greater id of an opened store', () => {
    const ids = new EventIds({ clock: { now: () => 1 } });
    ids.raise(5000);
    ids.raise(4000);
    expect(ids.take(1)).toBe(5001);
  });

  it('may exist up to the greatest one that was allocated, by any process with the same file', () => {
    const clock = { now: () => 1_000_000 };
    const ids = new EventIds({ path, clock });
    expect(ids.mayExist(5)).toBe(true);
    const id = ids.take(3) + 2;
    const reserved = Number(readFileSync(path, 'utf8'));
    expect([id, reserved, reserved + 1].map((given) => ids.mayExist(given))).toEqual([true, true, false]);
    const other = new EventIds({ path, clock });
    const later = other.take(1);
    expect(later).toBeGreaterThan(reserved);
    expect([ids.mayExist(later), ids.mayExist(Number.MAX_SAFE_INTEGER)]).toEqual([true, false]);
    const alone = new EventIds({ clock: { now: () => 1 } });
    alone.raise(7);
    expect([alone.mayExist(7), alone.mayExist(8)]).toEqual([true, false]);
  });

  it('stay safe integers until the year 2200', () => {
    const ids = new EventIds({ clock: { now: () => Date.UTC(2200, 0) } });
    expect(Number.isSafeInteger(ids.take(1_000_000) + 1_000_000)).toBe(true);
  });

  it('are reserved on disk for 60 seconds of the clock at once, in a file of their own', () => {
    let now = 1_000_000;
    const ids = new EventIds({ path, clock: { now: () => now } });
    const first = ids.take(1);
    const written = readFileSync(path, 'utf8');
    expect(Number(written)).toBeGreaterThan(first + 59_000_000);
    now += 59_000;
    ids.take(1);
    expect(readFileSync(path, 'utf8')).toBe(written);
    now += 2_000;
    ids.take(1);
    expect(Number(readFileSync(path, 'utf8'))).toBeGreaterThan(Number(written));
    expect(readdirSync(directory)).toEqual(['ids']);
  });

  it('do not collide with those of another process that shares the file', () => {
    const now = (): number => 1_000_000;
    const mine = new EventIds({ path, clock: { now } });
    const other = new EventIds({ path, clock: { now } });
    const first = mine.take(1);
    expect(other.take(1)).toBeGreaterThan(first + 59_000_000);
  });

  it('follow the clock after the file was damaged', () => {
    writeFileSync(path, 'x');
    expect(new EventIds({ path, clock: { now: () => 7 } }).take(1)).toBe(7000);
  });

  it('increase across restarts and any steps of the clock', () => {
    const step = fc.record({
      clock: fc.integer({ min: 0, max: 10_000_000 }),
      count: fc.integer({ min: 1, max: 100 }),
      restarts: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        rmSync(path, { force: true });
        let now = 5_000_000;
        let ids = new EventIds({ path, clock: { now: () => now } });
        let last = 0;
        for (const { clock, count, restarts } of steps) {
          now = clock;
          if (restarts) ids = new EventIds({ path, clock: { now: () => now } });
          const first = ids.take(count);
          expect(first).toBeGreaterThan(last);
          last = first + count - 1;
        }
      }),
      { numRuns: 50 },
    );
  });
});
