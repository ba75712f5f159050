import { expect, test } from '@jest/globals';
import { afterOwnTime, ownMs } from './own-time.js';

test('a process that waits counts as one that has a processor', async () => {
  const start = ownMs();
  await new Promise<void>((resolve) => afterOwnTime(resolve, 30));
  expect(ownMs() - start).toBeGreaterThanOrEqual(30);
});

test('a limit of a process that has ended is reached', async () => {
  // No process has the number 0.
  await new Promise<void>((resolve) => afterOwnTime(resolve, 1, 0));
});

test('a limit that is taken back is not reached', async () => {
  const reached: string[] = [];
  clearTimeout(afterOwnTime(() => reached.push('taken back'), 1));
  await new Promise<void>((resolve) => afterOwnTime(resolve, 30));
  expect(reached).toEqual([]);
});
