import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Hash, PublicKey } from '../../src/crypto/types.js';
import { writeExtra } from '../../src/cryptonote/extra.js';
import { txPrefix } from '../../src/cryptonote/transaction.js';
import { parseTxs } from '../../src/daemon/block-parser.js';
import type { ChainBlock } from '../../src/refresh/chain-block.js';
import type { Page } from '../../src/refresh/page-source.js';
import { piecesOf } from '../../src/refresh/pieces.js';
import { amount } from '../../src/util/amount.js';
import { encode } from '../../src/util/codec.js';

const key = new Uint8Array(32) as PublicKey;
const hash = new Uint8Array(32) as Hash;

/** A transaction with one output, to be tried with as many keys. */
const txOf = (keys: number) => ({
  hash,
  blob: encode(txPrefix, {
    version: 2,
    unlockTime: 0n,
    inputs: [],
    outputs: [{ amount: amount(0n), publicKey: key }],
    extra: Buffer.concat(Array.from({ length: keys }, () => writeExtra([{ type: 'publicKey', key }]))),
  }),
});

/** @param blocks keys of each transaction of each. */
function pageOf(startHeight: number, blocks: readonly (readonly number[])[]): Page {
  let endTx = 0;
  return {
    daemonHeight: 500,
    txs: parseTxs(blocks.flat().map(txOf)),
    blocks: blocks.map((txs, i): ChainBlock => {
      const firstTx = endTx;
      endTx += txs.length;
      return { height: startHeight + i, hash, timestamp: 0, firstTx, endTx };
    }),
  };
}

const keysIn = ({ blocks, txs }: Page): number =>
  txs.keysBefore(blocks.at(-1)?.endTx ?? 0) - txs.keysBefore(blocks[0]?.firstTx ?? 0);

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const pages = fc
  .array(fc.array(fc.array(fc.nat(4), { maxLength: 4 }), { minLength: 1, maxLength: 9 }), { maxLength: 3 })
  .map((of) => of.map((blocks, i) => pageOf(100 * i, blocks)));

async function* from<T>(items: readonly T[]): AsyncGenerator<T, void, void> {
  yield* items;
}

describe('the pieces of pages', () => {
  it('hold every block once, in order, and no more keys than wanted unless they are one block', async () => {
    await fc.assert(
      fc.asyncProperty(pages, fc.nat(12), async (whole, most) => {
        const pieces = await collect(piecesOf(from(whole), most));
        expect(pieces.flatMap(({ blocks }) => blocks)).toEqual(whole.flatMap(({ blocks }) => blocks));
        for (const piece of pieces) {
          expect(piece.blocks.length).toBeGreaterThan(0);
          if (piece.blocks.length > 1) expect(keysIn(piece)).toBeLessThanOrEqual(most);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are no smaller than they need be, and stay with what came with their page', async () => {
    const page = pageOf(7, [[1], [2, 1], [], [1], [3], [5], [1]]);
    const pieces = await collect(piecesOf(from([page]), 4));
    expect(pieces.map(({ blocks }) => blocks.map(({ height }) => height))).toEqual([
      [7, 8, 9],
      [10, 11],
      [12],
      [13],
    ]);
    expect(pieces.every(({ txs, daemonHeight }) => txs === page.txs && daemonHeight === 500)).toBe(true);
  });
});
