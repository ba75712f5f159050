import { describe, expect, it } from '@jest/globals';
import { KeyedMutex, Mutex } from '../../src/util/mutex.js';
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
