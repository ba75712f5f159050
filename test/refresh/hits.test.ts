import { describe, expect, it, test } from '@jest/globals';
import { parseBlocksAnswer } from '../../src/daemon/block-parser.js';
import type { ScanBatch, ScanHits } from '../../src/kernel/kernel.js';
import { BATCHES_AHEAD, findHits, type BatchScanner, type HitPortion } from '../../src/refresh/hits.js';
import { BATCH_KEYS, BATCH_ROWS, kernelBatches } from '../../src/refresh/kernel-batches.js';
import type { SecretKey } from '../../src/crypto/types.js';
import { pointsFrom, strayOutputs } from '../support/coinbase.js';
import { extraOf, minedAnswer, minedBlocks, repeatedTx } from '../support/heavy-txs.js';

const viewSecret = new Uint8Array(32).fill(5) as SecretKey;
const noHits: ScanHits = {
  outputs: new Uint32Array(),
  derivations: new Uint8Array(),
  spendKeys: new Uint8Array(),
};

/** Two threads that find nothing, and remember what they were given. */
class CountingScanner implements BatchScanner {
  readonly threads = 2;
  rows = 0;
  largest = 0;
  underWay = 0;
  mostUnderWay = 0;

  async scan({ keys, outputKey }: ScanBatch): Promise<ScanHits> {
    expect(keys.length).toBeLessThanOrEqual(32 * BATCH_KEYS);
    this.rows += outputKey.length;
    this.largest = Math.max(this.largest, outputKey.length);
    this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay);
    await new Promise((resolve) => setImmediate(resolve));
    this.underWay -= 1;
    return noHits;
  }
}

async function drain(hits: AsyncIterable<HitPortion>): Promise<void> {
  for await (const portion of hits) expect(portion.count).toBe(0);
}

describe('scanning transactions that consensus allows', () => {
  test.each<[string, number, number, number]>([
    ['a miner transaction of 2,100 outputs and 2,001 keys', 1, 2100, 2001],
    ['8,500 transactions of 16 outputs and 31 keys', 8500, 16, 31],
    ['20,000 transactions of 2 outputs and 32 keys', 20_000, 2, 32],
    ['a miner transaction of 10,000 outputs and 500 keys', 1, 10_000, 500],
  ])('tries every pair of %s, in portions of bounded size', async (_what, times, outputs, keys) => {
    const scanner = new CountingScanner();
    await drain(findHits(repeatedTx(times, outputs, keys), viewSecret, scanner));
    expect(scanner.rows).toBe(times * outputs * keys);
    expect(scanner.largest).toBeLessThan(2 * BATCH_ROWS);
    expect(scanner.mostUnderWay).toBe(BATCHES_AHEAD * scanner.threads);
  });

  it('begins before the first portion is taken, and goes no further than that', async () => {
    const scanner = new CountingScanner();
    const hits = findHits(repeatedTx(1, 2100, 2001), viewSecret, scanner);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(scanner.mostUnderWay).toBe(BATCHES_AHEAD * scanner.threads);
    const { rows } = scanner;
    expect(rows).toBeLessThan(2 * BATCH_ROWS * BATCHES_AHEAD * scanner.threads);
    for await (const portion of hits) {
      expect(portion.count).toBe(0);
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(scanner.rows).toBeLessThan(rows + 2 * BATCH_ROWS + 1);
  });

  it('fails with its batch, and one that fails after the caller stopped troubles nobody', async () => {
    let calls = 0;
    const failing: BatchScanner = {
      threads: 2,
      scan: () => (++calls === 1 ? Promise.resolve(noHits) : Promise.reject(new Error('a thread died'))),
    };
    const txs = repeatedTx(1, 2100, 2001);
    await expect(drain(findHits(txs, viewSecret, failing))).rejects.toThrow('a thread died');
    findHits(txs, viewSecret, failing);
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('a page of 100 MB', () => {
  it('of blocks that are filled with outputs and keys is outlined, and divided into batches one at a time', () => {
    const blocks = minedBlocks(720, strayOutputs(7n, 300), extraOf(pointsFrom(3n, 3915)));
    const answer = minedAnswer(blocks, 300);
    expect(answer.length).toBeGreaterThan(100e6);
    const { blocks: outlined, txs } = parseBlocksAnswer(answer);
    expect(outlined).toHaveLength(blocks.length);
    expect(txs.keysBefore(txs.count)).toBe(720 * 3915);
    let batches = 0;
    for (const { scan, txs: of } of kernelBatches(txs, 700, 720)) {
      expect(of[0]).toBeGreaterThanOrEqual(700);
      expect(scan.outputKey.length).toBeLessThan(2 * BATCH_ROWS);
      if (++batches === 50) break;
    }
  });
});
