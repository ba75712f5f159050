import { afterEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkerPool } from '../../src/util/worker-pool.js';

/** A thread that answers with its number after `wait` ms, or dies if `wait` is negative. */
const SCRIPT = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads';
    parentPort.on('message', (wait) => {
      if (wait < 0) process.exit(1);
      setTimeout(() => parentPort.postMessage(threadId), wait);
    });`)}`,
);

let pool: WorkerPool<number, number>;
afterEach(() => pool.close());

const started = (size: number, idleSeconds?: number): void => {
  pool = new WorkerPool(SCRIPT, size, idleSeconds);
};

/** Waits until the thread of a pool of one was replaced. */
async function untilReplaced(thread: number): Promise<number> {
  for (;;) {
    await sleep(100);
    const next = await pool.run(0);
    if (next !== thread) return next;
  }
}

describe('a pool of threads', () => {
  it('gives one thread one task after the other', async () => {
    started(1);
    const threads = await Promise.all([pool.run(5), pool.run(0), pool.run(0)]);
    expect(new Set(threads).size).toBe(1);
  });

  it('starts another thread while the first is busy, and no more than its size', async () => {
    started(2);
    const threads = await Promise.all([pool.run(50), pool.run(50), pool.run(0), pool.run(0)]);
    expect(new Set(threads).size).toBe(2);
  });

  it('counts the threads that run no task, started or not', async () => {
    started(2);
    expect(pool.free).toBe(2);
    const first = pool.run(20);
    expect(pool.free).toBe(1);
    const others = [pool.run(0), pool.run(0)];
    expect(pool.free).toBe(0);
    await Promise.all([first, ...others]);
    expect(pool.free).toBe(2);
  });

  it('sends a busy thread tasks ahead, up to a number, and leaves the others to another runner', async () => {
    started(1);
    const results = [pool.run(5), pool.run(0), pool.run(0), pool.run(-1)];
    pool.sendAhead(3);
    pool.sendAhead(2);
    const waiting = pool.takeWaiting();
    expect([waiting?.input, pool.takeWaiting(), pool.free]).toEqual([-1, undefined, 0]);
    waiting?.resolve(7);
    const [first, second, third, taken] = await Promise.all(results);
    expect([second, third, taken]).toEqual([first, first, 7]);
    expect(pool.free).toBe(1);
  });

  it('sends nothing ahead to a thread that has not begun', () => {
    started(1);
    pool.sendAhead(3);
    expect(pool.free).toBe(1);
  });

  it('fails all tasks of a thread that dies, and starts another for the next', async () => {
    started(1);
    const dying = [pool.run(-1), pool.run(0)];
    pool.sendAhead(2);
    const later = pool.run(0);
    const outcomes = await Promise.allSettled(dying);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(later).resolves.toEqual(expect.any(Number));
  });

  it('gives a task that waits for a thread to another runner, the one that has waited longest', async () => {
    started(1);
    const running = pool.run(20);
    const waiting = [pool.run(-1), pool.run(-2)];
    const [first, second] = [pool.takeWaiting(), pool.takeWaiting()];
    expect([first?.input, second?.input]).toEqual([-1, -2]);
    expect(pool.takeWaiting()).toBeUndefined();
    first?.resolve(7);
    second?.reject(new Error('not run'));
    expect(await waiting[0]).toBe(7);
    await expect(waiting[1]).rejects.toThrow('not run');
    expect(await running).toBeGreaterThan(0);
    expect(pool.free).toBe(1);
  });

  it('ends a thread that had nothing to do for a while', async () => {
    started(1, 0.02);
    expect(await untilReplaced(await pool.run(0))).toBeGreaterThan(0);
  });

  it('ends threads that were started ahead of any task, too', async () => {
    started(1, 0.5);
    pool.start();
    const first = await pool.run(0);
    expect(await pool.run(0)).toBe(first);
  });

  it('does not end a thread at work', async () => {
    started(1, 0.02);
    const first = await pool.run(0);
    expect(await pool.run(300)).toBe(first);
  });

  it('replaces a thread that died, and fails its task alone', async () => {
    started(1);
    const first = await pool.run(0);
    const [dead, next] = await Promise.allSettled([pool.run(-1), pool.run(0)]);
    expect(dead.status).toBe('rejected');
    expect(next).toMatchObject({ status: 'fulfilled' });
    expect(next).not.toMatchObject({ value: first });
  });

  it('takes no task once it is closed, and fails queued tasks', async () => {
    started(1);
    const waiting = Promise.allSettled([pool.run(10_000), pool.run(0)]);
    await pool.close();
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(pool.run(0)).rejects.toThrow('closed');
  });
});
