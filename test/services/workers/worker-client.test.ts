import { afterAll, describe, expect, it } from '@jest/globals';
import { WorkerClient } from '../../../src/services/workers/worker-client.js';

interface Work {
  readonly double: { readonly task: number; readonly result: number };
  readonly take: { readonly task: Uint8Array; readonly result: number };
  readonly fault: { readonly task: undefined; readonly result: never };
  readonly problem: { readonly task: undefined; readonly result: never };
  readonly crash: { readonly task: undefined; readonly result: never };
}

class Problem extends Error {
  override readonly name = 'Problem';
}

const script = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', ({ kind, task }) => {
    if (kind === 'double') parentPort.postMessage({ result: 2 * task });
    if (kind === 'take') parentPort.postMessage({ result: task.length });
    if (kind === 'fault') parentPort.postMessage({ fault: { kind: 'view_only' } });
    if (kind === 'problem') parentPort.postMessage({ problem: 'has no inputs' });
    if (kind === 'crash') throw new Error('a bug');
  });`;

const module = `import { createRequire } from 'node:module'; const require = createRequire('file:///');${script}`;
const client = new WorkerClient<Work>(
  new URL(`data:text/javascript,${encodeURIComponent(module)}`),
  (text) => new Problem(text),
);

afterAll(() => client.close());

describe('a task of a thread', () => {
  it('gives the result of its kind, however many run at once', async () => {
    const results = await Promise.all([1, 2, 3, 4, 5].map((n) => client.run('double', n)));
    expect(results).toEqual([2, 4, 6, 8, 10]);
  });

  it('keeps its buffers on this thread, unless they are secrets: these move', async () => {
    const plain = new Uint8Array(3);
    const secret = new Uint8Array(4);
    expect(await client.run('take', plain)).toBe(3);
    expect(await client.run('take', secret, [secret])).toBe(4);
    expect([plain.length, secret.length]).toEqual([3, 0]);
  });

  it('fails with a WalletError for a fault of the caller', async () => {
    await expect(client.run('fault', undefined)).rejects.toMatchObject({
      name: 'WalletError',
      fault: { kind: 'view_only' },
    });
  });

  it("fails with the pool's own error for input that cannot be used", async () => {
    const failed = client.run('problem', undefined);
    await expect(failed).rejects.toBeInstanceOf(Problem);
    await expect(failed).rejects.toThrow('has no inputs');
  });

  it('that breaks its thread fails, and the next one runs on another thread', async () => {
    await expect(client.run('crash', undefined)).rejects.toThrow('a bug');
    expect(await client.run('double', 21)).toBe(42);
  });
});

describe('closed threads', () => {
  it('reject the task under way and every later one', async () => {
    const closing = new WorkerClient<Work>(
      new URL(`data:text/javascript,${encodeURIComponent(module)}`),
      (text) => new Problem(text),
    );
    const running = closing.run('double', 1);
    const rejected = expect(running).rejects.toThrow('worker pool is closed');
    await closing.close();
    await rejected;
    await expect(closing.run('double', 1)).rejects.toThrow('worker pool is closed');
  });
});
