import { afterEach, describe, expect, it, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { availableParallelism } from 'node:os';
import {
  BUILDS,
  instantiate,
  slowHash,
  slowHashes,
  slowHashesBy,
} from '../../../src/monero/crypto/slow-hash.js';
import type { SlowHashTask } from '../../../src/monero/crypto/slow-hash-thread.js';
import { startSlowHash, slowHashAsync } from '../../../src/monero/crypto/slow-hash-worker.js';
import { toHex, utf8 } from '../../../src/util/bytes.js';
import type { JobCall } from '../../../src/util/thread-jobs.js';
import { WorkerPool } from '../../../src/util/thread-client.js';
import { digests, readJson } from './vectors.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';
import { isNight, itAtNight } from '../../support/jest/lanes.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

const { digests: byLength } = readJson<{ digests: { length: number; digest: string }[] }>(
  'slow-hash-lengths.json',
);
/** Vectors whose final digests differ. */
const short = digests('slow');
const long = byLength.map(({ length, digest }) => ({
  title: `${length} bytes by their index`,
  digest,
  data: Uint8Array.from({ length }, (_, i) => 7 * i + length),
}));
const nextTo = (all: typeof short, i: number): (typeof short)[number] =>
  all[(i + 1) % all.length] as (typeof short)[number];
describe.each(BUILDS)('the %s build', (build) => {
  const wasm = instantiate(build);
  /** Finishers that were used, by the position of their hash. */
  const finishers = [new Set<number>(), new Set<number>()] as const;
  const hashes = slowHashesBy({
    ...wasm,
    forget: (count) => {
      finishers.slice(0, count).forEach((used, hash) => {
        used.add((new Uint8Array(wasm.memory.buffer)[wasm.stateAt(hash)] as number) & 3);
      });
      wasm.forget(count);
    },
  });

  /** All lengths are digested at night alone, since a hash takes long, most of all in the build for processors without SIMD. */
  const step = build === 'plain' ? 32 : 8;
  const lengths = isNight ? long : long.filter((_, i) => i % step === 0);
  const pairs = [
    ...short.map((first, i) => ({ first, second: nextTo(short, i) })),
    ...lengths.map((first, i) => ({ first, second: nextTo(lengths, i) })).filter((_, i) => i % 4 === 0),
  ];

  test.each([...short, ...lengths])('digests $title', ({ digest, data }) => {
    expect(hashes([data]).map(toHex)).toEqual([digest]);
  });

  test.each(pairs)('digests $first.title together with $second.title', ({ first, second }) => {
    expect(hashes([first.data, second.data]).map(toHex)).toEqual([first.digest, second.digest]);
  });

  it('reaches all four final digests with these, in both positions', () => {
    expect(finishers.map((used) => [...used].sort())).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ]);
  });

  it('does not change its input', () => {
    const data = utf8('de omnibus dubitandum');
    hashes([data, data]);
    expect(data).toEqual(utf8('de omnibus dubitandum'));
  });

  it.each([1, 2])('wipes the memory of %i', (count) => {
    const own = instantiate(build);
    const before = Buffer.from(new Uint8Array(own.memory.buffer).slice());
    let dirty = before;
    slowHashesBy({
      ...own,
      forget: (hashes) => {
        dirty = Buffer.from(new Uint8Array(own.memory.buffer).slice());
        own.forget(hashes);
      },
    })([new Uint8Array(300).fill(7), new Uint8Array(20).fill(9)].slice(0, count));
    expect(before.equals(dirty)).toBe(false);
    expect(before.equals(new Uint8Array(own.memory.buffer))).toBe(true);
  });

  it.each([0, 3])('refuses %i messages', (count) => {
    expect(() => hashes(new Array<Uint8Array>(count).fill(utf8('message')))).toThrow(RangeError);
  });
});

describe('slowHashes', () => {
  const plain = slowHashesBy(instantiate('plain'));

  it('digests any two messages as the plain build digests each', () => {
    const message = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(message, message, (first, second) => {
        expect(slowHashes([first, second])).toEqual([...plain([first]), ...plain([second])]);
      }),
      { numRuns: randomRuns(5) },
    );
  });
});

describe('slowHashAsync', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });
  test.each(digests('slow'))('digests $title on a thread', async ({ digest, data }) => {
    const kept = Uint8Array.from(data);
    expect(toHex(await slowHashAsync(data))).toBe(digest);
    expect(data).toEqual(kept);
  });
  itAtNight('hashes the digest again for each further round', async () => {
    const data = utf8('rounds');
    expect(toHex(await slowHashAsync(data, 3))).toBe(toHex(slowHash(slowHash(slowHash(data)))));
  });
  itAtNight('may be started before the first hash, repeatedly', async () => {
    startSlowHash();
    startSlowHash();
    expect(toHex(await slowHashAsync(utf8('early')))).toBe(toHex(slowHash(utf8('early'))));
  });
  it('does not block its caller, and computes several hashes at once', async () => {
    const turns = new EventLoopTurns();
    const inputs = Array.from({ length: 6 }, (_, i) => Uint8Array.of(i));
    const answers = await Promise.all(inputs.map((input) => slowHashAsync(input)));
    expect(turns.stop()).toBeGreaterThan(3);
    expect(new Set(answers.map(toHex)).size).toBe(inputs.length);
  });
  itAtNight('begins hashes in order, and two of equal rounds on one thread once none is free', async () => {
    const inputs = Array.from({ length: 13 }, (_, i) => Uint8Array.of(i, 1));
    const roundsOf = (i: number): number => (i === 9 || i === 10 ? 2 : 1);
    const tasks: number[][] = [];
    const { run } = WorkerPool.prototype;
    jest.spyOn(WorkerPool.prototype, 'run').mockImplementation(function (this: unknown, task, transfer) {
      const { messages } = (task as JobCall).input as SlowHashTask;
      tasks.push(messages.map(([i]) => i as number));
      return run.call(this as WorkerPool<unknown, unknown>, task, transfer);
    });
    const answers = await Promise.all(inputs.map((input, i) => slowHashAsync(input, roundsOf(i))));
    // The first and the last one, and those of two rounds; at night all of them.
    for (const i of isNight ? inputs.keys() : [0, 9, 10, 12]) {
      const once = slowHash(inputs[i] ?? new Uint8Array());
      expect(toHex(answers[i] ?? once)).toBe(toHex(roundsOf(i) === 2 ? slowHash(once) : once));
    }
    expect(new Set(answers.map(toHex)).size).toBe(inputs.length);

    const threads = Math.min(4, availableParallelism());
    expect(tasks.flat()).toEqual(inputs.map((_, i) => i));
    expect(tasks.slice(0, threads + 1).map(({ length }) => length)).toEqual([
      ...new Array<number>(threads).fill(1),
      2,
    ]);
    for (const task of tasks) expect(new Set(task.map(roundsOf)).size).toBe(1);
  });
  it.each([0, -1, 1.5, Number.NaN, 2 ** 53])('refuses %p rounds', async (rounds) => {
    await expect(slowHashAsync(new Uint8Array(), rounds)).rejects.toThrow(RangeError);
  });
});
