import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ThreadClient } from '../../src/util/thread-client.js';
import type { TestJobs } from '../support/fakes/jobs-thread.js';

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
