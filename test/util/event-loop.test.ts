import { expect, it } from '@jest/globals';
import { TurnLimit, yieldToEventLoop } from '../../src/util/event-loop.js';
import { turns } from '../support/fakes/event-loop-turns.js';

it('a limited number of callers continue in each turn, in the order of their calls', async () => {
  const limit = new TurnLimit(2);
  const done: number[] = [];
  for (let i = 0; i < 5; i++) void limit.next().then(() => done.push(i));
  const seen: number[][] = [];
  for (let i = 0; i < 4; i++) {
    seen.push([...done]);
    await turns();
  }
  expect(seen).toEqual([[], [0, 1], [0, 1, 2, 3], [0, 1, 2, 3, 4]]);
  void limit.next().then(() => done.push(5));
  await turns();
  expect(done.at(-1)).toBe(5);
});

it('a task that yields goes on after the callbacks that are due', async () => {
  const done: string[] = [];
  setImmediate(() => done.push('due'));
  await yieldToEventLoop();
  expect(done).toEqual(['due']);
});
