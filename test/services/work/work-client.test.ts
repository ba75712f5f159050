import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, it, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import {
  WorkClient,
  WorkUnavailable,
  type WorkClientOptions,
} from '../../../src/services/work/work-client.js';
import type { HashedWork } from '../../../src/services/work/work-process.js';
import { fromHex, toHex, utf8 } from '../../../src/util/bytes.js';
import type { PoolWorker } from '../../../src/util/thread-client.js';
import { until } from '../../support/fakes/until.js';
import { itAtNight } from '../../support/jest/lanes.js';

const KEY = utf8('test key 000');
const INPUT = utf8('This is a test');
const HASH = '639183aae1bf4c9a35884cb46b09cad9175f04efd7684e7262a0ac1c2f0b4e3f';

const { template } = JSON.parse(
  readFileSync(new URL('../../../../test/vectors/cryptonote/mainnet-blocks.json', import.meta.url), 'utf8'),
) as { readonly template: Readonly<Record<'blob' | 'seedHash' | 'workOfBlob', string>> };

const rejection = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('the process that checks work', () => {
  // Other tests use the processors.
  const client = new WorkClient({ priority: 0 });
  afterAll(() => client.close());

  it('computes hashes, and compares them with difficulties', async () => {
    const [met, unmet] = await Promise.all(
      // The hash, as an integer, is about 2^256 / 4.04.
      [4n, 5n].map((difficulty) => client.check({ seed: KEY, input: INPUT, difficulty })),
    );
    expect([met?.isMet, unmet?.isMet]).toEqual([true, false]);
    expect(toHex(met?.hash ?? KEY)).toBe(HASH);
  });

  it('hashes with the seed of a block of the main network as the reference does', async () => {
    const { blob, seedHash, workOfBlob } = template;
    const given = { seed: fromHex(seedHash), input: fromHex(blob), difficulty: 1n };
    expect(toHex((await client.check(given)).hash)).toBe(workOfBlob);
  });

  itAtNight('keeps two seeds', async () => {
    const check = async (seed: Uint8Array): Promise<HashedWork> =>
      client.check({ seed, input: INPUT, difficulty: 1n });
    const seeds = [KEY, fromHex(template.seedHash), utf8('another key')];
    const isNew = async (at: number): Promise<boolean> => (await check(seeds[at] ?? KEY)).seedMs > 0;
    expect([await isNew(0), await isNew(1), await isNew(2)]).toEqual([false, false, true]);
    expect([await isNew(1), await isNew(2), await isNew(0)]).toEqual([false, false, true]);
    expect(toHex((await check(KEY)).hash)).toBe(HASH);
  });

  it('reports its state', () => {
    const { state, isCompiled, memory = 0, hashMs = 0, ...counts } = client.state;
    expect({ state, isCompiled: typeof isCompiled }).toEqual({ state: 'ready', isCompiled: 'boolean' });
    expect(memory).toBeGreaterThan(512 << 20);
    expect(memory).toBeLessThan(700 << 20);
    expect(hashMs).toBeGreaterThan(0);
    expect(counts).toMatchObject({ unmet: 1, pending: 0, ended: 0, problem: undefined });
  });
});

test('a library that is missing is an error that names its package, and starts no loop', async () => {
  const client = new WorkClient({
    library: '/nowhere/librandomx.so',
    retryMs: { first: 60_000, last: 60_000 },
  });
  const error = await rejection(client.start());
  expect(error).toBeInstanceOf(WorkUnavailable);
  expect((error as WorkUnavailable).message).toContain('install the package librandomx0');
  expect((error as WorkUnavailable).retryMs).toBeGreaterThan(50_000);
  const again = await rejection(client.check({ seed: KEY, input: INPUT, difficulty: 1n }));
  expect((again as Error).message).toContain('install the package librandomx0');
  expect(client.state).toMatchObject({ state: 'failed', checked: 0 });
  await client.close();
});

/** Process of a test, which answers when the test lets it. */
class FakeProcess implements PoolWorker {
  readonly #onEnd: (how: string) => void;
  readonly #listeners: Record<string, ((value: unknown) => void)[]> = {};
  readonly messages: unknown[] = [];
  hasEnded = false;

  constructor(onEnd: (how: string) => void) {
    this.#onEnd = onEnd;
  }

  on(event: string, listener: (value: unknown) => void): void {
    (this.#listeners[event] ??= []).push(listener);
  }

  postMessage(message: unknown): void {
    this.messages.push(message);
    if ((message as { job: string }).job === 'load') this.answer({ result: { isCompiled: true, memory: 1 } });
  }

  answer(message: unknown): void {
    for (const listener of this.#listeners['message'] ?? []) listener(message);
  }

  crash(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#onEnd('signal SIGSEGV');
    for (const listener of this.#listeners['exit'] ?? []) listener(undefined);
  }

  ref(): void {
    // A fake keeps nothing alive.
  }

  unref(): void {
    // A fake keeps nothing alive.
  }

  terminate(): Promise<void> {
    this.crash();
    return Promise.resolve();
  }
}

describe('a process that fails', () => {
  let processes: FakeProcess[] = [];
  let now = 0;
  const clients: WorkClient[] = [];
  const create = (options: WorkClientOptions = {}): WorkClient => {
    processes = [];
    now = 0;
    const spawn = (onEnd: (how: string) => void): PoolWorker => {
      const process = new FakeProcess(onEnd);
      processes.push(process);
      return process;
    };
    const client = new WorkClient({
      spawn,
      now: () => now,
      retryMs: { first: 1000, last: 4000 },
      ...options,
    });
    clients.push(client);
    return client;
  };
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));
  const work = { seed: KEY, input: INPUT, difficulty: 1n };
  const latest = (): FakeProcess => processes.at(-1) as FakeProcess;
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('fails what runs and what waits, and starts again with a call after a pause, which doubles', async () => {
    const client = create();
    for (const pause of [1000, 2000, 4000, 4000]) {
      const calls = [1, 2, 3].map(() => rejection(client.check(work)));
      await settle();
      latest().crash();
      for (const error of await Promise.all(calls)) {
        expect(error).toBeInstanceOf(WorkUnavailable);
        expect(error).toMatchObject({ retryMs: pause });
        expect((error as Error).message).toBe(
          'the process that checks proof of work has ended: signal SIGSEGV',
        );
      }
      const started = processes.length;
      now += pause - 1;
      expect(await rejection(client.check(work))).toMatchObject({ retryMs: 1 });
      expect(processes).toHaveLength(started);
      now += 1;
    }
    expect(client.state).toMatchObject({ state: 'failed', ended: 4, pending: 0 });
  });

  it('is forgotten once a check succeeds', async () => {
    const client = create();
    const lost = rejection(client.check(work));
    await settle();
    latest().crash();
    await lost;
    now += 1000;
    const checked = client.check(work);
    await settle();
    latest().answer({ result: { hash: KEY, isMet: true, ms: 50, seedMs: 0, memory: 2 } });
    await checked;
    expect(client.state).toMatchObject({
      state: 'ready',
      problem: undefined,
      hashMs: 50,
      memory: 2,
      checked: 1,
    });
    const lostAgain = rejection(client.check(work));
    await settle();
    latest().crash();
    expect(await lostAgain).toMatchObject({ retryMs: 1000 });
  });

  it('is ended if it does not answer', async () => {
    const client = create({ limitMs: 20 });
    const error = await rejection(client.check(work));
    expect((error as Error).message).toBe(
      'the process that checks proof of work has not answered for 0.02 s',
    );
    expect(latest().hasEnded).toBe(true);
  });

  it('gets a limited number of checks', async () => {
    const client = create({ most: 2 });
    const calls = [1, 2].map(() => rejection(client.check(work)));
    await settle();
    expect(client.state.pending).toBe(2);
    expect(((await rejection(client.check(work))) as Error).message).toBe('2 checks of work wait already');
    await client.close();
    for (const error of await Promise.all(calls)) expect((error as Error).message).toBe('the server stops');
    expect(((await rejection(client.check(work))) as Error).message).toBe('the server stops');
  });
});

itAtNight('a process that is killed starts again, keeps no program alive, and ends with it', async () => {
  const file = new URL('../../../src/services/work/work-client.js', import.meta.url).href;
  const program = `
    const { readFileSync } = await import('node:fs');
    const { WorkClient } = await import('${file}');
    const child = () => Number(readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8'));
    const client = new WorkClient({ priority: 0, retryMs: { first: 0, last: 0 } });
    await client.start();
    process.kill(child(), 'SIGKILL');
    const seed = new Uint8Array(32);
    const error = await client.check({ seed, input: seed, difficulty: 1n }).catch((error) => error);
    await client.start();
    console.log(JSON.stringify({ child: child(), message: error.message, ended: client.state.ended }));
  `;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
    timeout: 120_000,
  });
  const { child, ...others } = JSON.parse(stdout) as { readonly child: number };
  expect(others).toEqual({
    message: 'the process that checks proof of work has ended: signal SIGKILL',
    ended: 1,
  });
  expect(child).toBeGreaterThan(1);
  await until('the process to end', () => !existsSync(`/proc/${child}`) || undefined);
});
