import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { parseTxs } from '../../../src/monero/wallet/scan/block-page.js';
import type { ChainBlock } from '../../../src/refresh/scan/chain-block.js';
import type { ChainPage } from '../../../src/refresh/feeds/chain-page.js';
import { scanBatchesOf } from '../../../src/refresh/feeds/page-window.js';
import { looseTx } from '../../support/chain/loose-tx.js';

const hash = new Uint8Array(32) as Hash;

/** Makes a page of blocks from the keys of their transactions. @param blocks keys of each transaction of each. */
function pageOf(startHeight: number, blocks: readonly (readonly number[])[]): ChainPage {
  let endTx = 0;
  return {
    daemonHeight: 500,
    reachesTip: false,
    firstNew: 0,
    bytes: 1,
    proofs: { prove: () => Promise.resolve(), isForged: false },
    txs: parseTxs(blocks.flat().map((keys) => looseTx(hash, keys))),
    blocks: blocks.map((txs, i): ChainBlock => {
      const firstTx = endTx;
      endTx += txs.length;
      return { height: startHeight + i, hash, timestamp: 0, firstTx, endTx };
    }),
  };
}

const keysIn = ({ blocks, txs }: ChainPage): number =>
  txs.keysBefore(blocks.at(-1)?.endTx ?? 0) - txs.keysBefore(blocks[0]?.firstTx ?? 0);

const pages = fc
  .array(fc.array(fc.nat(4), { maxLength: 4 }), { minLength: 1, maxLength: 9 })
  .map((blocks) => pageOf(100, blocks));

describe('scan batches of a page', () => {
  it('hold every block once, in order, and no more keys than wanted unless they are one block', () => {
    fc.assert(
      fc.property(pages, fc.nat(12), (page, most) => {
        const batches = [...scanBatchesOf(page, most)];
        expect(batches.flatMap(({ blocks }) => blocks)).toEqual(page.blocks);
        for (const batch of batches) {
          expect(batch.blocks.length).toBeGreaterThan(0);
          if (batch.blocks.length > 1) expect(keysIn(batch)).toBeLessThanOrEqual(most);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are no smaller than they need be, and keep the other values of their page', () => {
    const page = pageOf(7, [[1], [2, 1], [], [1], [3], [5], [1]]);
    const batches = [...scanBatchesOf(page, 4)];
    expect(batches.map(({ blocks }) => blocks.map(({ height }) => height))).toEqual([
      [7, 8, 9],
      [10, 11],
      [12],
      [13],
    ]);
    expect(batches.every(({ txs, daemonHeight }) => txs === page.txs && daemonHeight === 500)).toBe(true);
  });

  it('are none of a page without blocks', () => {
    expect([...scanBatchesOf(pageOf(7, []), 4)]).toEqual([]);
  });
});
