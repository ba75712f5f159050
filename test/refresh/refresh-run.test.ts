import { describe, expect, it } from '@jest/globals';
import type { Hash } from '../../src/monero/crypto/types.js';
import { packFindings } from '../../src/refresh/packed-findings.js';
import { RefreshRun, type RefreshResult, type RefreshTarget } from '../../src/refresh/refresh-run.js';
import { unpackSubaddresses } from '../../src/monero/wallet/scan/packed-subaddresses.js';
import type { BlockRef, PageFindings } from '../../src/monero/wallet/scan/findings.js';
import { bytes, output, page, received } from '../store/fixtures.js';

/** Hash of a block of a chain. */
const hashOn = (chain: number, height: number): Hash => bytes<Hash>(1000 * chain + height + 300);
/** Blocks of chain 1 that the wallet holds, up to height 49. */
const held = (height: number): BlockRef | undefined =>
  height < 50 ? { height, hash: hashOn(1, height) } : undefined;

/** Findings of a page of a chain that left chain 1 at a height. */
const pageOf = (start: number, end: number, fork: number, more: Partial<PageFindings> = {}): PageFindings =>
  page(start, end - start, {
    hashes: Array.from({ length: end - start }, (_, i) => hashOn(start + i < fork ? 1 : 2, start + i)),
    ...more,
  });

/** Commits pages through a run. @returns what the wallet commits, and the result of the run. */
async function run(pages: readonly PageFindings[]) {
  const commits: { readonly from: number; readonly blocks: number; readonly found: readonly number[] }[] = [];
  const subaddresses: unknown[] = [];
  const target: Partial<RefreshTarget> = {
    blockAt: held,
    commitPage: ({ startHeight: from, hashes, outputs }) =>
      void commits.push({ from, blocks: hashes.length, found: outputs.map(({ height }) => height) }),
    commitSubaddresses: (keys) => void subaddresses.push(...unpackSubaddresses(keys)),
  };
  const result = await new Promise<RefreshResult>((resolve, reject) => {
    const under = new RefreshRun({
      ...{ number: 1, wallet: 1, target: target as RefreshTarget, isPeriodic: false, resolve, reject },
    });
    const steps = {
      acknowledge: () => undefined,
      restart: () => undefined,
      end: () => undefined,
      isRunning: () => true,
    };
    for (const findings of pages)
      under.take(
        {
          type: 'page',
          wallet: 1,
          run: 1,
          findings: packFindings(findings),
          daemonHeight: 60,
          isAgain: false,
        },
        steps,
      );
    under.take({ type: 'done', wallet: 1, run: 1 }, steps);
  });
  return { commits, subaddresses, result };
}

const paid = (...heights: readonly number[]): Partial<PageFindings> => ({
  received: heights.map((height) => received(height, height)),
  outputs: heights.map((height) => output(height, height, 5n)),
});

describe('a page of a reorganised chain', () => {
  it('replaces the blocks from the fork on, also where it begins below', async () => {
    const { commits, result } = await run([pageOf(10, 60, 40, paid(12, 39, 40, 55))]);
    expect(commits).toEqual([{ from: 40, blocks: 20, found: [40, 55] }]);
    expect(result).toEqual({ blocksFetched: 20, receivedMoney: true });
  });

  it('replaces nothing with blocks that the wallet holds; their new subaddresses are kept', async () => {
    const key = { index: { major: 0, minor: 7 }, spendPublicKey: bytes<never>(9) };
    const pages = [
      pageOf(10, 30, 40, { ...paid(12), subaddresses: [key] }),
      pageOf(30, 45, 40),
      pageOf(45, 60, 40),
    ];
    const { commits, subaddresses, result } = await run(pages);
    expect(commits).toEqual([
      { from: 40, blocks: 5, found: [] },
      { from: 45, blocks: 15, found: [] },
    ]);
    expect(subaddresses).toEqual([key]);
    expect(result).toEqual({ blocksFetched: 20, receivedMoney: false });
  });

  it('is taken whole where it extends the chain, or divides no blocks', async () => {
    const pages = [page(50, 0), pageOf(50, 60, 60, paid(51))];
    expect((await run(pages)).commits).toEqual([
      { from: 50, blocks: 0, found: [] },
      { from: 50, blocks: 10, found: [51] },
    ]);
  });
});

describe('a page whose blocks must be admitted', () => {
  /** A run whose blocks are admitted one height after the other. */
  function heldRun() {
    const commits: number[][] = [];
    const steps: string[] = [];
    const waiting: { height: number; admit: () => void; refuse: (error: Error) => void }[] = [];
    let admitted = -1;
    let isRunning = true;
    const target: Partial<RefreshTarget> = {
      commitPage: ({ startHeight, hashes }) => void commits.push([startHeight, hashes.length]),
      // The newest block of the wallet is that of the last page.
      admit: ({ height } = { height: 100, hash: hashOn(1, 100) }) =>
        height <= admitted
          ? undefined
          : new Promise<void>((admit, refuse) => waiting.push({ height, admit, refuse })),
    };
    const result = new Promise<RefreshResult>((resolve, reject) => {
      const under = new RefreshRun({
        ...{ number: 1, wallet: 1, target: target as RefreshTarget, isPeriodic: false, resolve, reject },
      });
      const calls = {
        acknowledge: () => void steps.push('acknowledge'),
        restart: () => void steps.push('restart'),
        end: () => void (isRunning = false),
        isRunning: () => isRunning,
      };
      for (const [start, end] of [
        [0, 100],
        [100, 101],
      ] as const)
        under.take(
          {
            ...{ type: 'page', wallet: 1, run: 1, daemonHeight: 101, isAgain: false },
            findings: packFindings(page(start, end - start)),
          },
          calls,
        );
      under.take({ type: 'done', wallet: 1, run: 1 }, calls);
    });
    return {
      ...{ commits, steps, result },
      async admitUpTo(height: number): Promise<void> {
        admitted = height;
        for (const one of waiting) if (one.height <= height) one.admit();
        await new Promise(setImmediate);
      },
      refuse: (error: Error) => {
        for (const { refuse } of waiting) refuse(error);
      },
      cancel: () => void (isRunning = false),
    };
  }

  it('is committed in parts as they are admitted, before later pages and the end of the run', async () => {
    const under = heldRun();
    await under.admitUpTo(-1);
    expect(under.commits).toEqual([]);
    await under.admitUpTo(50);
    expect(under.commits).toEqual([[0, 48]]);
    expect(under.steps).toEqual([]);
    await under.admitUpTo(100);
    expect(under.commits).toEqual([
      [0, 48],
      [48, 48],
      [96, 4],
      [100, 1],
    ]);
    expect(under.steps).toEqual(['acknowledge', 'acknowledge']);
    expect(await under.result).toEqual({ blocksFetched: 100, receivedMoney: false });
  });

  it('ends the run if it is refused, and the scanner starts again from the store', async () => {
    const under = heldRun();
    await under.admitUpTo(50);
    under.refuse(new Error('no work'));
    await expect(under.result).rejects.toThrow('no work');
    expect(under.commits).toEqual([[0, 48]]);
    expect(under.steps).toEqual(['restart']);
  });

  it('is not committed after the run was cancelled', async () => {
    const under = heldRun();
    under.cancel();
    await under.admitUpTo(100);
    expect(under.commits).toEqual([]);
    expect(under.steps).toEqual([]);
  });
});
