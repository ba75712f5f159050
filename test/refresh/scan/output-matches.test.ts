import { describe, expect, it, jest, test } from '@jest/globals';
import { type ParsedTxs, parseBlocksAnswer } from '../../../src/monero/wallet/scan/block-page.js';
import type { ScanBatch, ScanHits, ScanKeys } from '../../../src/monero/kernel/kernel.js';
import {
  BATCHES_AHEAD,
  MatchGroup,
  SECRETS_PER_CALL,
  type BatchScanner,
  type MatchReader,
} from '../../../src/refresh/scan/match-group.js';
import {
  type MatchStream,
  BATCH_KEYS,
  BATCH_ROWS,
  kernelBatches,
} from '../../../src/monero/wallet/scan/output-matches.js';
import { SharedMatches } from '../../../src/refresh/scan/shared-matches.js';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import { yieldToEventLoop } from '../../../src/util/event-loop.js';
import { pointsFrom, strayOutputs } from '../../support/chain/coinbase.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { withFakeTimeouts } from '../../support/fakes/fake-timeouts.js';
import { extraOf, minedAnswer, minedBlocks, repeatedTx } from '../../support/chain/heavy-txs.js';
import { until } from '../../support/fakes/until.js';
import { itAtNight, someRows } from '../../support/jest/lanes.js';

const secretOf = (n: number): SecretKey => new Uint8Array(32).fill(n) as SecretKey;
const viewSecret = secretOf(5);
const noHits: ScanHits = {
  outputs: new Uint32Array(),
  derivations: new Uint8Array(),
  spendKeys: new Uint8Array(),
  internal: new Uint8Array(),
};

/** Two threads that find nothing and count the scanned rows. */
class CountingScanner implements BatchScanner {
  readonly threads = 2;
  rows = 0;
  largest = 0;
  underWay = 0;
  mostUnderWay = 0;
  /** View keys of each call, by their first byte. */
  readonly secrets: number[][] = [];

  async scanMany({ keys, outputKey }: ScanBatch, wallets: readonly ScanKeys[]): Promise<readonly ScanHits[]> {
    if (keys.length > 32 * BATCH_KEYS) throw new RangeError('a batch of too many keys');
    this.secrets.push(wallets.map(({ viewSecret: [first = 0] }) => first));
    this.rows += outputKey.length;
    this.largest = Math.max(this.largest, outputKey.length);
    this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay);
    await yieldToEventLoop();
    this.underWay -= 1;
    return wallets.map(() => noHits);
  }
}

const readerOf = (n: number, firstTx = 0): MatchReader => ({ viewSecret: secretOf(n), firstTx });

async function drain(matches: MatchStream): Promise<number> {
  let [batches, found] = [0, 0];
  for await (const portion of matches) {
    found += portion.count;
    batches += 1;
  }
  expect(found).toBe(0);
  return batches;
}

const alone = (txs: ParsedTxs, scanner: BatchScanner): MatchStream =>
  new SharedMatches(txs, scanner).read({ viewSecret, firstTx: 0 });

describe('scanning transactions that consensus allows', () => {
  test.each<[string, number, number, number]>(
    someRows([
      ['a miner transaction of 2,100 outputs and 2,001 keys', 1, 2100, 2001],
      ['8,500 transactions of 16 outputs and 31 keys', 8500, 16, 31],
      ['20,000 transactions of 2 outputs and 32 keys', 20_000, 2, 32],
      ['a miner transaction of 10,000 outputs and 500 keys', 1, 10_000, 500],
    ]),
  )('tries every pair of %s, in batches of bounded size', async (_what, times, outputs, keys) => {
    const scanner = new CountingScanner();
    await drain(alone(repeatedTx(times, outputs, keys), scanner));
    expect(scanner.rows).toBe(times * outputs * keys);
    expect(scanner.largest).toBeLessThan(2 * BATCH_ROWS);
    expect(scanner.mostUnderWay).toBe(BATCHES_AHEAD * scanner.threads);
  });

  it('begins ahead of the reader, with a bounded number of batches', async () => {
    const scanner = new CountingScanner();
    const reader = readerOf(5);
    const matches = new SharedMatches(repeatedTx(1, 2100, 2001), scanner);
    matches.begin([reader]);
    const allowed = BATCHES_AHEAD * scanner.threads;
    await until('the batches ahead', () => scanner.mostUnderWay >= allowed || undefined);
    expect(scanner.mostUnderWay).toBe(allowed);
    const { rows } = scanner;
    expect(rows).toBeLessThan(2 * BATCH_ROWS * BATCHES_AHEAD * scanner.threads);
    for await (const portion of matches.read(reader)) {
      expect(portion.count).toBe(0);
      break;
    }
    await until('the batches under way', () => scanner.underWay === 0);
    await turns(10);
    expect(scanner.rows).toBeLessThan(rows + 2 * BATCH_ROWS + 1);
  });

  it('fails with its batch, and raises no unhandled error after the reader has stopped', async () => {
    let calls = 0;
    const failing: BatchScanner = {
      threads: 2,
      scanMany: () =>
        ++calls === 1 ? Promise.resolve([noHits]) : Promise.reject(new Error('a thread died')),
    };
    const txs = repeatedTx(1, 2100, 2001);
    await expect(drain(alone(txs, failing))).rejects.toThrow('a thread died');
    new SharedMatches(txs, failing).begin([readerOf(5)]);
    await yieldToEventLoop();
  });
});

describe('a thread whose reader waits for hits', () => {
  const txs = repeatedTx(1, 2100, 2001);

  it('scans waiting batches until the hits come', async () => {
    const scans: (() => void)[] = [];
    let assisted = 0;
    const scanner: BatchScanner = {
      threads: 1,
      scanMany: (_, secrets) =>
        new Promise((resolve) => scans.push(() => resolve(secrets.map(() => noHits)))),
      assist: async () => {
        await yieldToEventLoop();
        assisted += 1;
        if (assisted === 3) scans.shift()?.();
        return true;
      },
    };
    const reading = alone(txs, scanner)[Symbol.asyncIterator]();
    expect((await reading.next()).done).toBe(false);
    await turns(10);
    expect(assisted).toBeLessThanOrEqual(4);
    await reading.return?.(undefined);
  });

  it('scans waiting batches ahead of a reader that will come, until the first ones are scanned', async () => {
    const scans: (() => void)[] = [];
    let assisted = 0;
    const scanner: BatchScanner = {
      threads: 1,
      scanMany: (_, secrets) =>
        new Promise((resolve) => scans.push(() => resolve(secrets.map(() => noHits)))),
      assist: async () => {
        await yieldToEventLoop();
        assisted += 1;
        if (assisted === 3) for (const end of scans) end();
        return true;
      },
    };
    await new SharedMatches(txs, scanner).begin([readerOf(5)]).scanAhead();
    const before = assisted;
    expect(before).toBeGreaterThan(0);
    expect(scans).toHaveLength(BATCHES_AHEAD);
    await turns(10);
    expect(assisted).toBeLessThanOrEqual(before + 1);
  });

  it('scans none if none waits, or the hits are there', async () => {
    let assisted = 0;
    const scannerOf = (scanMany: BatchScanner['scanMany']): BatchScanner => ({
      threads: 1,
      scanMany,
      assist: () => {
        assisted += 1;
        return Promise.resolve(false);
      },
    });
    const atOnce = scannerOf((_, secrets) => Promise.resolve(secrets.map(() => noHits)));
    await drain(alone(txs, atOnce));
    expect(assisted).toBe(0);
    const stuck = scannerOf(() => new Promise(() => undefined));
    const matches = new SharedMatches(txs, stuck);
    const reader = readerOf(5);
    const reading = drain(matches.read(reader));
    await until('a look for a waiting batch', () => assisted > 0 || undefined);
    await yieldToEventLoop();
    expect(assisted).toBe(1);
    reading.catch(() => undefined);
  });
});

describe('a scan for several wallets', () => {
  const txs = repeatedTx(1, 2100, 2001);

  it('makes one call per batch with all view keys, equal ones too', async () => {
    const scanner = new CountingScanner();
    const matches = new SharedMatches(txs, scanner);
    const readers = [readerOf(1), readerOf(2), readerOf(2)];
    matches.begin(readers);
    const batches = await Promise.all(readers.map((reader) => drain(matches.read(reader))));
    expect(new Set(batches).size).toBe(1);
    expect(scanner.rows).toBe(2100 * 2001);
    expect(scanner.secrets).toHaveLength(batches[0] ?? 0);
    expect(scanner.secrets.every((secrets) => String(secrets) === '1,2,2')).toBe(true);
    expect(scanner.mostUnderWay).toBe(BATCHES_AHEAD * scanner.threads);
  });

  it('divides many view keys among calls', async () => {
    const scanner = new CountingScanner();
    const small = repeatedTx(10, 2, 1);
    const matches = new SharedMatches(small, scanner);
    const readers = Array.from({ length: 2 * SECRETS_PER_CALL + 7 }, (_, i) => readerOf(i % 251));
    matches.begin(readers);
    await Promise.all(readers.map((reader) => drain(matches.read(reader))));
    expect(scanner.secrets.map(({ length }) => length)).toEqual([SECRETS_PER_CALL, SECRETS_PER_CALL, 7]);
  });

  it('leaves out batches before the first transaction of a wallet', async () => {
    const scanner = new CountingScanner();
    const many = repeatedTx(2000, 2, 1);
    const matches = new SharedMatches(many, scanner);
    const [whole, late] = [readerOf(1), readerOf(2, 1500)];
    matches.begin([whole, late]);
    const [all, some] = await Promise.all([drain(matches.read(whole)), drain(matches.read(late))]);
    expect(some).toBe(Math.ceil(2000 / BATCH_KEYS) - Math.floor(1500 / BATCH_KEYS));
    expect(all).toBe(Math.ceil(2000 / BATCH_KEYS));
    expect(scanner.secrets.filter(({ length }) => length === 2)).toHaveLength(some);
  });

  it('takes later wallets together while the group before them is scanned', async () => {
    const scanner = new CountingScanner();
    const matches = new SharedMatches(repeatedTx(10, 2, 1), scanner);
    const first = readerOf(1);
    matches.begin([first]);
    await drain(matches.read(first));
    const late = await Promise.all([2, 3, 4, 5].map((n) => drain(matches.read(readerOf(n)))));
    expect(late).toEqual([1, 1, 1, 1]);
    expect(scanner.secrets).toEqual([[1], [2], [3, 4, 5]]);
  });

  it('does not wait for a wallet that never starts, which scans on its own once it does', async () => {
    const scanner = new CountingScanner();
    const matches = new SharedMatches(txs, scanner);
    const [ready, absent] = [readerOf(1), readerOf(2)];
    matches.begin([ready, absent]);
    const batches = await drain(matches.read(ready));
    expect(batches).toBeGreaterThan(100);
    expect(scanner.secrets.slice(-100).every((secrets) => String(secrets) === '1')).toBe(true);
    expect(await drain(matches.read(absent))).toBe(batches);
  });

  itAtNight('waits for a wallet that has started', () =>
    withFakeTimeouts(async () => {
      const scanner = new CountingScanner();
      const group = new MatchGroup(kernelBatches(txs.candidates, 0, 1), [readerOf(1)], scanner, 5);
      await group.ready;
      const readers = [readerOf(2), readerOf(3)] as const;
      const shared = new MatchGroup(kernelBatches(txs.candidates, 0, 1), readers, scanner, 5);
      expect(readers.map((reader) => shared.start(reader))).toEqual([true, true]);
      const slow = shared.read(readers[1]);
      await slow.next();
      let taken = 0;
      const fast = (async () => {
        for await (const portion of shared.read(readers[0])) taken += 1 + portion.count;
      })();
      await turns(100);
      jest.advanceTimersByTime(50);
      await turns(100);
      expect(taken).toBeGreaterThan(1);
      expect(taken).toBeLessThanOrEqual(1 + BATCHES_AHEAD * scanner.threads);
      await slow.return();
      await fast;
      expect(taken).toBeGreaterThan(100);
    }),
  );

  it('ends for a wallet that has read the last batch, while another has read none', async () => {
    const scanner = new CountingScanner();
    const count = BATCHES_AHEAD * scanner.threads;
    const matches = new SharedMatches(repeatedTx(count * BATCH_KEYS, 2, 1), scanner);
    const [fast, slow] = [readerOf(1), readerOf(2)];
    matches.begin([fast, slow]);
    expect(await drain(matches.read(fast))).toBe(count);
    expect(await drain(matches.read(slow))).toBe(count);
    // None was scanned again for the slow one.
    expect(scanner.secrets).toEqual(Array.from({ length: count }, () => [1, 2]));
  });

  it('fails the wallet alone whose view key fails', async () => {
    const scanner = new CountingScanner();
    const failing: BatchScanner = {
      threads: 2,
      scanMany: (batch, wallets) =>
        wallets.some(({ viewSecret: [first] }) => first === 9)
          ? Promise.reject(new RangeError('no scalar'))
          : scanner.scanMany(batch, wallets),
    };
    const matches = new SharedMatches(repeatedTx(10, 2, 1), failing);
    const readers = [readerOf(1), readerOf(9), readerOf(3)];
    matches.begin(readers);
    const ends = await Promise.allSettled(readers.map((reader) => drain(matches.read(reader))));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('ends with an error, not early, for a wallet that is dropped while it reads', async () => {
    const stuck: BatchScanner = { threads: 1, scanMany: () => new Promise(() => undefined) };
    for (const begin of [true, false]) {
      const matches = new SharedMatches(txs, stuck);
      if (begin) matches.begin([readerOf(1)]);
      const [first, late] = [readerOf(2), readerOf(3)];
      const reading = [drain(matches.read(first)), drain(matches.read(late))];
      await yieldToEventLoop();
      matches.drop(late);
      await expect(reading[1]).rejects.toThrow('dropped');
    }
  });
});

describe('a page of 100 MB', () => {
  itAtNight(
    'of blocks that are filled with outputs and keys is outlined, and divided into batches one at a time',
    () => {
      const blocks = minedBlocks(720, strayOutputs(7n, 300), extraOf(pointsFrom(3n, 3915)));
      const answer = minedAnswer(blocks, 300);
      expect(answer.length).toBeGreaterThan(100e6);
      const { blocks: outlined, txs } = parseBlocksAnswer(answer);
      expect(outlined).toHaveLength(blocks.length);
      expect(txs.keysBefore(txs.count)).toBe(720 * 3915);
      let batches = 0;
      for (const { scan, txs: of } of kernelBatches(txs.candidates, 700, 720)) {
        expect(of[0]).toBeGreaterThanOrEqual(700);
        expect(scan.outputKey.length).toBeLessThan(2 * BATCH_ROWS);
        if (++batches === 50) break;
      }
    },
  );
});
