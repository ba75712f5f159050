import { describe, expect, it, test, afterEach, beforeEach, jest } from '@jest/globals';
import {
  HandOverMutex,
  KeyedMutex,
  Mutex,
  Semaphore,
  SharedRun,
  unlessAborted,
  waitAtMost,
} from '../../src/util/concurrency.js';
import { turns } from '../support/fakes/event-loop-turns.js';

describe('a mutex', () => {
  it('starts a task once the one before it has ended, also if that one failed', async () => {
    const mutex = new Mutex();
    const first = Promise.withResolvers<undefined>();
    const started: string[] = [];
    const run = (name: string, task: Promise<unknown>): Promise<unknown> =>
      mutex.run(() => (started.push(name), task));
    const failing = run('first', first.promise);
    const second = run('second', Promise.resolve());
    const third = run('third', Promise.resolve());
    await turns();
    expect(started).toEqual(['first']);
    first.reject(new Error('no'));
    await expect(failing).rejects.toThrow('no');
    await Promise.all([second, third]);
    expect(started).toEqual(['first', 'second', 'third']);
  });
});

describe('a mutex whose tasks hand over', () => {
  it('starts a task that hands over once the one before has done so, or has ended, and another one at its end', async () => {
    const mutex = new HandOverMutex(3);
    const ends = Array.from({ length: 3 }, () => Promise.withResolvers<undefined>());
    const started: string[] = [];
    const handOvers: (() => void)[] = [];
    const running = ends.map(({ promise }, i) =>
      mutex.runHandingOver((handOver) => {
        started.push(`task ${i}`);
        handOvers.push(handOver);
        return promise;
      }),
    );
    const alone = mutex.run(async () => started.push('alone'));
    await turns();
    expect(started).toEqual(['task 0']);
    handOvers[0]?.();
    await turns();
    expect(started).toEqual(['task 0', 'task 1']);
    ends[1]?.reject(new Error('no'));
    await expect(running[1]).rejects.toThrow('no');
    await turns();
    expect(started).toEqual(['task 0', 'task 1', 'task 2']);
    ends[2]?.resolve(undefined);
    await running[2];
    await turns();
    expect(started).not.toContain('alone');
    ends[0]?.resolve(undefined);
    await Promise.all([running[0], alone]);
    expect(started.at(-1)).toBe('alone');
  });
});

test('no more than the given number of tasks that hand over run', async () => {
  const mutex = new HandOverMutex(2);
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<undefined>());
  const started: number[] = [];
  const running = ends.map(({ promise }, i) =>
    mutex.runHandingOver((handOver) => {
      started.push(i);
      handOver();
      return promise;
    }),
  );
  await turns();
  expect(started).toEqual([0, 1]);
  ends[1]?.resolve(undefined);
  await turns();
  expect(started).toEqual([0, 1, 2]);
  ends.forEach(({ resolve }) => resolve(undefined));
  await Promise.all(running);
  expect(started).toEqual([0, 1, 2, 3]);
});

describe('a mutex for each key', () => {
  it('runs tasks of one key one after another, and those of other keys meanwhile', async () => {
    const mutex = new KeyedMutex();
    const first = Promise.withResolvers<undefined>();
    const started: string[] = [];
    const run = (key: string, name: string, task: Promise<unknown> = Promise.resolve()): Promise<unknown> =>
      mutex.run(key, () => (started.push(name), task));
    const all = [run('a', 'first of a', first.promise), run('a', 'second of a'), run('b', 'first of b')];
    await turns();
    expect(started).toEqual(['first of a', 'first of b']);
    first.resolve(undefined);
    await Promise.all(all);
    await run('a', 'third of a');
    expect(started).toEqual(['first of a', 'first of b', 'second of a', 'third of a']);
  });
});

test('places are given in order, and to nobody that has stopped waiting', async () => {
  const places = new Semaphore(1);
  const never = new AbortController().signal;
  await places.take(never);
  const order: string[] = [];
  const ended = new AbortController();
  const late = places.take(ended.signal);
  const [first, second] = ['first', 'second'].map((name) => places.take(never).then(() => order.push(name)));
  ended.abort(new Error('late'));
  await expect(late).rejects.toThrow('late');
  places.give();
  await first;
  expect(order).toEqual(['first']);
  places.give();
  await second;
  expect(order).toEqual(['first', 'second']);
  await expect(places.take(ended.signal)).rejects.toThrow('late');
  places.give();
  await places.take(never);
});

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

/** Gives the tests of a group simulated timers. */
function withFakeTimers(): void {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());
}

describe('a wait with a limit', () => {
  withFakeTimers();

  it('ends with its promise, and leaves no timer behind', async () => {
    await waitAtMost(Promise.resolve(), 1_000_000);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('ends at its limit if the promise is pending', async () => {
    let ended = false;
    const waiting = waitAtMost(new Promise(() => undefined), 50).then(() => (ended = true));
    await jest.advanceTimersByTimeAsync(49);
    expect(ended).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await waiting;
    expect(ended).toBe(true);
  });

  it('fails with its promise, and leaves no timer behind', async () => {
    await expect(waitAtMost(Promise.reject(new Error('no')), 1_000_000)).rejects.toThrow('no');
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a wait that a signal can end', () => {
  withFakeTimers();

  it('ends with its promise, and no longer listens to the signal', async () => {
    const { signal } = new AbortController();
    const removed = jest.spyOn(signal, 'removeEventListener');
    expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7);
    await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(removed).toHaveBeenCalledTimes(2);
  });

  it('fails with the reason of the signal, whether it is aborted before or later', async () => {
    const controller = new AbortController();
    const never = new Promise<void>(() => undefined);
    const early = unlessAborted(never, controller.signal);
    controller.abort(new Error('no longer needed'));
    await expect(early).rejects.toThrow('no longer needed');
    await expect(unlessAborted(Promise.resolve(7), controller.signal)).rejects.toThrow('no longer needed');
  });

  it('is the promise itself without a signal', () => {
    const result = Promise.resolve(7);
    expect(unlessAborted(result, undefined)).toBe(result);
  });
});
