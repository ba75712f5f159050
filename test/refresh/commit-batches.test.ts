import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../src/monero/crypto/types.js';
import { commitBatchesOf, weightOf } from '../../src/refresh/wallet-refresh.js';
import type { PageFindings } from '../../src/monero/wallet/scan/findings.js';

/** A page whose lists hold nothing but heights. */
function page(
  startHeight: number,
  blocks: number,
  heights: Record<string, readonly number[]>,
  addresses = 1,
): PageFindings {
  const list = (name: string): never[] =>
    [...(heights[name] ?? [])].sort((a, b) => a - b).map((height, i) => ({ height, i }) as never);
  return {
    startHeight,
    hashes: Array.from({ length: blocks }, (_, i) => new Uint8Array(32).fill(i) as Hash),
    received: list('received'),
    outputs: list('outputs'),
    spends: list('spends'),
    outgoing: list('outgoing'),
    ambiguousSpends: list('ambiguousSpends'),
    subaddresses: Array.from({ length: addresses }, (_, minor) => ({ index: { major: 0, minor } }) as never),
    lastBlockReward: 5n as never,
  };
}

const LISTS = ['received', 'outputs', 'spends', 'outgoing', 'ambiguousSpends'] as const;

const pages = fc
  .record({ startHeight: fc.nat(1000), blocks: fc.integer({ min: 1, max: 40 }) })
  .chain(({ startHeight, blocks }) =>
    fc
      .record(
        Object.fromEntries(
          LISTS.map((name) => [
            name,
            fc.array(fc.integer({ min: startHeight, max: startHeight + blocks - 1 }), { maxLength: 300 }),
          ]),
        ),
      )
      .map((heights) => page(startHeight, blocks, heights)),
  );

describe('commit batches of a page', () => {
  test('hold together all findings of the page, in their order and without gaps', () => {
    fc.assert(
      fc.property(pages, (findings) => {
        const batches = [...commitBatchesOf(findings, true)];
        expect(batches.flatMap(({ hashes }) => hashes)).toEqual(findings.hashes);
        let next = findings.startHeight;
        for (const { startHeight, hashes } of batches) {
          expect(startHeight).toBe(next);
          expect(hashes.length).toBeGreaterThan(0);
          next += hashes.length;
        }
        for (const list of LISTS) {
          expect(batches.flatMap((batch): readonly unknown[] => batch[list] ?? [])).toEqual(findings[list]);
          for (const { startHeight, hashes, [list]: part = [] } of batches)
            for (const { height } of part) {
              expect(height).toBeGreaterThanOrEqual(startHeight);
              expect(height).toBeLessThan(startHeight + hashes.length);
            }
        }
      }),
    );
  });

  test('hold new addresses in the first one only', () => {
    const batches = [
      ...commitBatchesOf(
        page(10, 30, { outputs: Array.from({ length: 600 }, (_, i) => 10 + (i % 30)) }),
        true,
      ),
    ];
    expect(batches.length).toBeGreaterThan(5);
    expect(batches.map(({ subaddresses }) => subaddresses.length)).toEqual([
      1,
      ...batches.slice(1).map(() => 0),
    ]);
  });

  test('hold many addresses in parts, all of them before any block', () => {
    const findings = page(10, 30, { outputs: [12, 20] }, 1234);
    const batches = [...commitBatchesOf(findings, true)];
    expect(batches.map(({ subaddresses }) => subaddresses.length)).toEqual([500, 500, 234]);
    expect(batches.flatMap(({ subaddresses }) => subaddresses)).toEqual(findings.subaddresses);
    expect(batches.map(({ startHeight, hashes }) => [startHeight, hashes.length])).toEqual([
      [10, 0],
      [10, 0],
      [10, 30],
    ]);
    expect(batches.map(weightOf)).toEqual([25, 25, 2 + 234 / 20 + 30 / 100]);
  });

  test('are larger while no client sends requests', () => {
    const findings = page(10, 30, {
      outputs: Array.from({ length: 600 }, (_, i) => 10 + Math.floor(i / 20)),
    });
    const sizes = (isBusy: boolean): number[] =>
      [...commitBatchesOf(findings, isBusy)].map(({ outputs }) => outputs.length);
    expect(Math.max(...sizes(true))).toBe(40);
    expect(Math.max(...sizes(false))).toBe(100);
  });

  test('are as large as a block where a block is too large', () => {
    const batches = [
      ...commitBatchesOf(page(10, 2, { outputs: Array.from({ length: 600 }, () => 10) }), true),
    ];
    expect(batches.map(({ outputs }) => outputs.length)).toEqual([600]);
  });
});
