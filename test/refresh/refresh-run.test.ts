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
