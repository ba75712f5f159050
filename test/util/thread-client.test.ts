import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WorkerPool, ThreadClient } from '../../src/util/thread-client.js';
import { withFakeTimeouts } from '../support/fakes/fake-timeouts.js';
import type { TestJobs } from '../support/fakes/jobs-thread.js';

/** A thread that answers a task with its number: at once, once the gate is open for `HELD`, and never for `DIES`. */
const SCRIPT = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId, workerData as gate } from 'node:worker_threads';
    parentPort.on('message', (task) => {
      if (task < 0) process.exit(1);
      if (task > 0) Atomics.wait(gate, 0, 0);
      parentPort.postMessage(threadId);
    });`)}`,
);
const [DIES, AT_ONCE, HELD] = [-1, 0, 1];

/** Holds the threads at work on a task `HELD`, while it is 0. */
let gate: Int32Array;
const openGate = (): void => {
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
};

let pool: WorkerPool<number, number>;
beforeEach(() => {
  gate = new Int32Array(new SharedArrayBuffer(4));
});
afterEach(() => pool.close());

const started = (size: number, idleSeconds?: number): void => {
  pool = new WorkerPool(SCRIPT, size, idleSeconds, gate);
};

describe('a pool of threads', () => {
  it('gives one thread one task after the other', async () => {
    started(1);
    const tasks = [pool.run(HELD), pool.run(AT_ONCE), pool.run(AT_ONCE)];
    openGate();
    const threads = await Promise.all(tasks);
    expect(new Set(threads).size).toBe(1);
  });

  it('starts another thread while the first is busy, and no more than its size', async () => {
    started(2);
    const tasks = [pool.run(HELD), pool.run(HELD), pool.run(AT_ONCE), pool.run(AT_ONCE)];
    openGate();
    const threads = await Promise.all(tasks);
    expect(new Set(threads).size).toBe(2);
  });

  it('counts the threads that run no task, started or not', async () => {
    started(2);
    expect(pool.free).toBe(2);
    const first = pool.run(HELD);
    expect(pool.free).toBe(1);
    const others = [pool.run(AT_ONCE), pool.run(AT_ONCE)];
    expect(pool.free).toBe(0);
    openGate();
    await Promise.all([first, ...others]);
    expect(pool.free).toBe(2);
  });

  it('sends a busy thread tasks ahead, up to a number, and leaves the others to another runner', async () => {
    started(1);
    const results = [pool.run(HELD), pool.run(AT_ONCE), pool.run(AT_ONCE), pool.run(DIES)];
    pool.sendAhead(3);
    pool.sendAhead(2);
    const waiting = pool.takeWaiting();
    expect([waiting?.input, pool.takeWaiting(), pool.free]).toEqual([DIES, undefined, 0]);
    openGate();
    waiting?.resolve(7);
    const [first, second, third, taken] = await Promise.all(results);
    expect([second, third, taken]).toEqual([first, first, 7]);
    expect(pool.free).toBe(1);
  });

  it('leaves the wanted number of tasks to another runner', async () => {
    started(1);
    const results = [pool.run(HELD), pool.run(AT_ONCE), pool.run(AT_ONCE), pool.run(DIES)];
    pool.sendAhead(9, 3);
    pool.sendAhead(9, 1);
    const waiting = pool.takeWaiting();
    expect([waiting?.input, pool.takeWaiting()]).toEqual([DIES, undefined]);
    openGate();
    waiting?.resolve(7);
    expect((await Promise.all(results)).at(-1)).toBe(7);
  });

  it('sends nothing ahead to a thread that has not begun', () => {
    started(1);
    pool.sendAhead(3);
    expect(pool.free).toBe(1);
  });

  it('fails all tasks of a thread that dies, and starts another for the next', async () => {
    started(1);
    const dying = [pool.run(DIES), pool.run(AT_ONCE)];
    pool.sendAhead(2);
    const later = pool.run(AT_ONCE);
    const outcomes = await Promise.allSettled(dying);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(later).resolves.toEqual(expect.any(Number));
  });

  it('gives a task that waits for a thread to another runner, the one that has waited longest', async () => {
    started(1);
    const running = pool.run(HELD);
    const waiting = [pool.run(-1), pool.run(-2)];
    const [first, second] = [pool.takeWaiting(), pool.takeWaiting()];
    expect([first?.input, second?.input]).toEqual([-1, -2]);
    expect(pool.takeWaiting()).toBeUndefined();
    first?.resolve(7);
    second?.reject(new Error('not run'));
    expect(await waiting[0]).toBe(7);
    await expect(waiting[1]).rejects.toThrow('not run');
    openGate();
    expect(await running).toBeGreaterThan(0);
    expect(pool.free).toBe(1);
  });

  it('ends a thread that had nothing to do for a while', () =>
    withFakeTimeouts(async () => {
      started(1, 20);
      const first = await pool.run(AT_ONCE);
      jest.advanceTimersByTime(19_999);
      expect(await pool.run(AT_ONCE)).toBe(first);
      jest.advanceTimersByTime(20_000);
      expect(await pool.run(AT_ONCE)).not.toBe(first);
    }));

  it('ends threads that were started ahead of any task, too', () =>
    withFakeTimeouts(async () => {
      started(1, 20);
      const first = await pool.run(AT_ONCE);
      jest.advanceTimersByTime(20_000);
      // Threads have consecutive numbers.
      pool.start();
      jest.advanceTimersByTime(20_000);
      expect(await pool.run(AT_ONCE)).toBe(first + 2);
      pool.start();
      expect(await pool.run(AT_ONCE)).toBe(first + 2);
    }));

  it('does not end a thread at work', () =>
    withFakeTimeouts(async () => {
      started(1, 20);
      const first = await pool.run(AT_ONCE);
      const work = pool.run(HELD);
      jest.advanceTimersByTime(300_000);
      openGate();
      expect(await work).toBe(first);
    }));

  it('replaces a thread that died, and fails its task alone', async () => {
    started(1);
    const first = await pool.run(AT_ONCE);
    const [dead, next] = await Promise.allSettled([pool.run(DIES), pool.run(AT_ONCE)]);
    expect(dead.status).toBe('rejected');
    expect(next).toMatchObject({ status: 'fulfilled' });
    expect(next).not.toMatchObject({ value: first });
  });

  it('takes no task once it is closed, and fails queued tasks', async () => {
    started(1);
    const waiting = Promise.allSettled([pool.run(HELD), pool.run(AT_ONCE)]);
    await pool.close();
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(pool.run(AT_ONCE)).rejects.toThrow('closed');
  });
});

class Problem extends Error {
  override readonly name = 'Problem';
}

let client: ThreadClient<TestJobs, string>;

beforeEach(() => {
  client = new ThreadClient(new URL('../support/fakes/jobs-thread.js', import.meta.url), {
    threads: 1,
    toError: (text) => new Problem(text),
  });
});

afterEach(() => client.close());

describe('a job of a thread', () => {
  it('gives its result, however many run at once', async () => {
    const results = await Promise.all([1, 2, 3, 4, 5].map((n) => client.run('double', n)));
    expect(results).toEqual([2, 4, 6, 8, 10]);
  });

  it('may answer after turns of the event loop', async () => {
    expect(await Promise.all([client.run('doubleLater', 4), client.run('double', 1)])).toEqual([8, 2]);
  });

  it('keeps its bytes on this thread, unless they are moved', async () => {
    const plain = Uint8Array.of(3);
    const moved = Uint8Array.of(4);
    expect(await client.run('take', plain)).toBe(3);
    expect(await client.run('take', moved, [moved])).toBe(4);
    expect([plain.length, moved.length]).toEqual([1, 0]);
  });

  it('wipes its secrets on the thread, also when it is refused', async () => {
    await client.run('take', Uint8Array.of(5, 6));
    expect(await client.run('latest', undefined)).toEqual([[0, 0]]);
    await expect(client.run('refuseWith', Uint8Array.of(7))).rejects.toThrow();
    expect(await client.run('latest', undefined)).toEqual([[0]]);
  });

  it('returns bytes that it shares with its secrets before they are wiped', async () => {
    expect(await client.run('mirror', Uint8Array.of(8, 9))).toEqual(Uint8Array.of(8, 9));
  });

  it('returns bytes that the thread gives away', async () => {
    expect(await client.run('move', 2)).toEqual(Uint8Array.of(7, 7));
  });

  it('fails with the error of its client for input that the thread refuses', async () => {
    const failed = client.run('refuseWith', Uint8Array.of(1));
    await expect(failed).rejects.toBeInstanceOf(Problem);
    await expect(failed).rejects.toThrow('refuseWith has no inputs');
  });

  it('that breaks its thread fails, and the next one runs on another thread', async () => {
    await expect(client.run('crash', undefined)).rejects.toThrow('a bug');
    expect(await client.run('double', 21)).toBe(42);
  });

  it('that waits for the thread can be run by another one', async () => {
    const [running, waiting] = [client.run('double', 1), client.run('double', 2)];
    const taken = client.takeWaiting();
    expect([taken?.input, client.takeWaiting(), client.free]).toEqual([2, undefined, 0]);
    taken?.resolve(400);
    expect(await Promise.all([running, waiting])).toEqual([2, 400]);
  });
});

describe('closed threads', () => {
  it('reject the job under way and every later one', async () => {
    const running = client.run('double', 1);
    const rejected = expect(running).rejects.toThrow('worker pool is closed');
    await client.close();
    await rejected;
    await expect(client.run('double', 1)).rejects.toThrow('worker pool is closed');
  });
});
