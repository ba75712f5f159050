import { describe, expect, it } from '@jest/globals';
import { SharedRun } from '../../src/util/shared-run.js';

describe('a shared run', () => {
  it('serves all callers that ask before it starts, and none that asks later', async () => {
    const ends: (() => void)[] = [];
    let started = 0;
    const shared = new SharedRun(async () => {
      const run = ++started;
      await new Promise<void>((resolve) => ends.push(resolve));
      return run;
    });
    const first = [shared.run(), shared.run()];
    await Promise.resolve();
    const second = [shared.run(), shared.run()];
    expect(started).toBe(1);
    ends[0]?.();
    expect(await Promise.all(first)).toEqual([1, 1]);
    await Promise.resolve();
    ends[1]?.();
    expect(await Promise.all(second)).toEqual([2, 2]);
  });

  it('fails for all callers that share it, and the next one runs', async () => {
    let run = 0;
    const shared = new SharedRun(() =>
      ++run === 1 ? Promise.reject(new Error('broken')) : Promise.resolve(run),
    );
    for (const one of [shared.run(), shared.run()]) await expect(one).rejects.toThrow('broken');
    expect(await shared.run()).toBe(2);
  });
});
