import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { hashToScalar, scalarBytes } from '../../../src/monero/crypto/scalar.js';
import { NO_VIEW_TAG, type ScanBatch } from '../../../src/monero/kernel/kernel.js';
import { copyOf, scanTask, scanTaskInTurns } from '../../../src/monero/kernel/scan-task.js';
import { WasmKernel } from '../../../src/monero/kernel/wasm-kernel.js';
import { concatBytes } from '../../../src/util/bytes.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';
import { hitTexts, viewing } from '../../support/chain/scan-batches.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

const rng = seededRng('scan task');
const someSecret = (): Uint8Array => scalarBytes(hashToScalar(rng(32)));
const POINTS = Array.from({ length: 40 }, () => publicKeyOf(scalarBytes(hashToScalar(rng(32)))));
const kernel = new WasmKernel('simd');

/** A batch in the order of its keys. @param outputs number of outputs of each key. */
function batchOf(outputs: readonly number[], tag = NO_VIEW_TAG): ScanBatch {
  const outputKey = outputs.flatMap((count, key) => Array<number>(count).fill(key));
  return {
    keys: concatBytes(...outputs.map((_, i) => POINTS[i % POINTS.length] as Uint8Array)),
    outputKey: Uint32Array.from(outputKey),
    outputIndex: Uint32Array.from(outputKey, (_, j) => j % 7),
    viewTags: Uint32Array.from(outputKey, (_, j) => (j % 3 === 0 ? tag : j % 256)),
    outputs: concatBytes(...outputKey.map((_, j) => POINTS[(j * 11) % POINTS.length] as Uint8Array)),
  };
}

/** Scans while requests are frequent. @returns the hits, and how many times the thread gave way. */
function scanBusily(batch: ScanBatch, secrets: readonly Uint8Array[]) {
  let pauses = 0;
  const activity = { areFrequent: true, giveWay: () => void (pauses += 1) };
  const keys = viewing(secrets).map(copyOf);
  const hits = scanTask(kernel, { batch, keys }, activity);
  return { hits: hits.map(hitTexts), pauses, keys };
}

const whole = (batch: ScanBatch, secrets: readonly Uint8Array[]): string[][] =>
  kernel.scanMany(batch, viewing(secrets)).map(hitTexts);

describe('a scan while requests are frequent', () => {
  it('gives way after each 64 keys of one view secret, fewer of several, and at least 8', () => {
    const batch = batchOf(Array<number>(200).fill(1));
    const pauses = (secrets: number): number =>
      scanBusily(batch, Array.from({ length: secrets }, someSecret)).pauses;
    expect([1, 4, 16, 128].map(pauses)).toEqual([4, 5, 13, 25]);
  });

  test.each([
    ['no keys', []],
    ['keys without outputs', [0, 0, 3, ...Array<number>(70).fill(0), 2, 0]],
    ['a key with more outputs than a part has keys', [1, 90, 1, ...Array<number>(64).fill(1), 80]],
  ])('finds the same hits as without requests among %s', (_, outputs) => {
    const batch = batchOf(outputs);
    const secrets = [someSecret(), someSecret()];
    expect(scanBusily(batch, secrets).hits).toEqual(whole(batch, secrets));
  });

  it('finds the same hits as without requests in any batch', () => {
    const batches = fc.record({
      outputs: fc.array(fc.nat(4), { maxLength: 150 }),
      tag: fc.constantFrom(NO_VIEW_TAG, 7),
      secrets: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(batches, ({ outputs, tag, secrets: count }) => {
        const secrets = Array.from({ length: count }, someSecret);
        const batch = batchOf(outputs, tag);
        const { hits, keys } = scanBusily(batch, secrets);
        expect(hits).toEqual(whole(batch, secrets));
        expect(keys).toEqual(viewing(secrets.map(() => new Uint8Array(32))));
      }),
      { numRuns: 30 },
    );
  });
});

describe('a scan on a thread that has other work', () => {
  const idle = { giveWay: () => undefined };
  const taskOf = (batch: ScanBatch, secrets: readonly Uint8Array[]) => ({
    batch,
    keys: viewing(secrets).map(copyOf),
  });

  it('finds the same hits, and wipes the view secrets', async () => {
    const batch = batchOf([1, 90, 0, ...Array<number>(200).fill(2)]);
    const secrets = [someSecret(), someSecret()];
    const task = taskOf(batch, secrets);
    expect((await scanTaskInTurns(kernel, task, idle)).map(hitTexts)).toEqual(whole(batch, secrets));
    expect(task.keys).toEqual(viewing(secrets.map(() => new Uint8Array(32))));
  });

  it('has a turn of the event loop for other work after each 64 keys', async () => {
    const turns = new EventLoopTurns();
    await scanTaskInTurns(kernel, taskOf(batchOf(Array<number>(256).fill(1)), [someSecret()]), idle);
    expect(turns.stop()).toBeGreaterThanOrEqual(4);
  });

  it('wipes the view secrets of a scan that fails', async () => {
    const task = taskOf(batchOf([1]), [new Uint8Array(32).fill(255)]);
    await expect(scanTaskInTurns(kernel, task, idle)).rejects.toThrow(RangeError);
    expect(task.keys).toEqual(viewing([new Uint8Array(32)]));
  });
});
