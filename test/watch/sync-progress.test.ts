import { beforeEach, describe, expect, it } from '@jest/globals';
import { SyncProgress } from '../../src/watch/sync-progress.js';

let now: number;
let sync: SyncProgress;

beforeEach(() => {
  now = 0;
  sync = new SyncProgress(() => now);
});

/** Takes steps of a refresh, one a time [ms]. */
function scan(steps: number, blocks: number, ms: number, start = 0): void {
  for (let i = 1; i <= steps; i++) {
    now += ms;
    sync.note('w', start + i * blocks, 1_000_000, blocks);
  }
}

describe('the progress of a refresh', () => {
  it('has a rate and the time left once it lasts a second', () => {
    scan(1, 1_000, 100);
    expect(sync.of('w')).toMatchObject({ height: 1_000, rate: undefined, secondsLeft: undefined });
    scan(20, 1_000, 100, 1_000);
    expect(sync.of('w')).toMatchObject({ height: 21_000, rate: 10_000, secondsLeft: 97.9 });
  });

  it('has the rate of the last seconds', () => {
    scan(100, 1_000, 100);
    scan(200, 100, 100, 100_000);
    expect(sync.of('w')?.rate).toBeCloseTo(1_000, -2);
  });

  it('ends at the tip and when the wallet is closed', () => {
    sync.note('w', 5, 10, 1);
    sync.note('w', 10, 10, 5);
    expect(sync.of('w')).toBeUndefined();
    sync.note('w', 10, 11, 0);
    sync.forget('w');
    expect(sync.behind()).toEqual([]);
  });

  it('lists the wallet that lacks most blocks first, and none that rests', () => {
    sync.note('old', 1, 100, 1);
    now += 59_000;
    sync.note('near', 90, 100, 1);
    sync.note('far', 10, 100, 1);
    expect(sync.behind().map(({ name }) => name)).toEqual(['old', 'far', 'near']);
    now += 2_000;
    expect(sync.behind().map(({ name }) => name)).toEqual(['far', 'near']);
  });
});
