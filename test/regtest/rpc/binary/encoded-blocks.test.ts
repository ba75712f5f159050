import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeStorage } from '../../../../src/monero/epee/storage-writer.js';
import {
  encodeBlocks,
  encodeIndices,
  joinedSections,
} from '../../../../src/regtest/rpc/binary/block-page.js';
import {
  EncodedBlocks,
  type EncodingOptions,
  type PageLimits,
} from '../../../../src/regtest/rpc/binary/encoded-blocks.js';
import { StoredChain } from '../../../support/chain/stored-chain.js';

const NO_LIMITS: PageLimits = { blocks: 1000, fewest: 3, transactions: 1e6, bytes: 1e9 };
const WHOLE: EncodingOptions = { prune: false, noMinerTx: false };
const VARIANTS: readonly EncodingOptions[] = [
  WHOLE,
  { prune: true, noMinerTx: false },
  { prune: true, noMinerTx: true },
];

let chain: StoredChain;
/** Ranges that were read from the store. */
let read: number[];
let encoded: EncodedBlocks;

beforeEach(() => {
  chain = new StoredChain();
  for (let height = 0; height < 250; height++)
    chain.addBlock(...(height % 10 === 3 ? [2, 3] : height % 40 === 7 ? [2] : []));
  encoded = cacheOf();
});

afterEach(() => chain.close());

/** A cache over the chain whose reads are recorded. */
function cacheOf(mostBytes?: number): EncodedBlocks {
  read = [];
  const { served, blocks } = chain.store;
  const range: typeof served.range = (start, count, prune) => {
    read.push(start);
    return served.range(start, count, prune);
  };
  return new EncodedBlocks({ blocks, served: { range } as typeof served }, mostBytes);
}

const page = (start: number, limits: PageLimits, options: EncodingOptions): Uint8Array => {
  const { blocks, outputIndices } = encoded.page(start, limits, options);
  return writeStorage({ blocks, output_indices: outputIndices });
};

/** The page of `count` blocks, encoded from the store at once. */
function twin(start: number, count: number, { prune, noMinerTx }: EncodingOptions): Uint8Array {
  const blocks = chain.store.served.range(start, count, prune);
  return writeStorage({
    blocks: joinedSections(blocks.length, [encodeBlocks(blocks, prune).bytes]),
    output_indices: joinedSections(blocks.length, [encodeIndices(blocks, noMinerTx).bytes]),
  });
}

describe('a page of encoded blocks', () => {
  it.each(VARIANTS)('is the same from kept runs and from the store (%j)', (options) => {
    for (const start of [0, 1, 99, 100, 150, 199, 200, 249, 250, 1000])
      for (const blocks of [0, 1, 49, 100, 101, 1000])
        for (const time of ['first', 'second'])
          expect([start, blocks, time, page(start, { ...NO_LIMITS, blocks }, options)]).toEqual([
            ...[start, blocks, time],
            twin(start, blocks, options),
          ]);
  });

  it('is read from the store once, except its blocks behind the last hundred', () => {
    page(0, NO_LIMITS, WHOLE);
    expect(read).toEqual([0, 100, 200, 250]);
    read.length = 0;
    page(120, NO_LIMITS, WHOLE);
    expect(read).toEqual([200, 250]);
  });

  it('ends after the block that reaches a limit, but not below the least number of blocks', () => {
    // Blocks with payments: 3, 7, 13, 23, 33, 43, 47, ...
    const limited = (start: number, limits: Partial<PageLimits>): Uint8Array =>
      page(start, { ...NO_LIMITS, ...limits }, WHOLE);
    expect(limited(0, { transactions: 6 })).toEqual(twin(0, 4, WHOLE));
    expect(limited(0, { transactions: 7 })).toEqual(twin(0, 5, WHOLE));
    expect(limited(95, { transactions: 12 })).toEqual(twin(95, 10, WHOLE));
    expect(limited(3, { transactions: 1 })).toEqual(twin(3, 3, WHOLE));
    expect(limited(0, { bytes: 3 * 90 + 1 })).toEqual(twin(0, 4, WHOLE));
    expect(limited(0, { bytes: 4 * 90 + 2 * 160 })).toEqual(twin(0, 4, WHOLE));
    expect(limited(0, { bytes: 4 * 90 + 2 * 160 + 1 })).toEqual(twin(0, 5, WHOLE));
  });

  it('has the blocks of a reorganisation', () => {
    for (const options of VARIANTS) page(0, NO_LIMITS, options);
    for (let i = 0; i < 70; i++) chain.pop();
    for (let i = 0; i < 60; i++) chain.addBlock(4);
    for (const options of VARIANTS) expect(page(0, NO_LIMITS, options)).toEqual(twin(0, 1000, options));
    for (let i = 0; i < 200; i++) chain.pop();
    for (const options of VARIANTS) expect(page(0, NO_LIMITS, options)).toEqual(twin(0, 1000, options));
    for (let i = 0; i < 90; i++) chain.addBlock();
    for (const options of VARIANTS) expect(page(0, NO_LIMITS, options)).toEqual(twin(0, 1000, options));
  });

  it('is complete although the kept runs are limited, of which the least recently used are dropped', () => {
    page(0, { ...NO_LIMITS, blocks: 100 }, WHOLE);
    const run = encoded.keptBytes;
    encoded = cacheOf(Math.floor(1.5 * run));
    for (const options of VARIANTS) expect(page(0, NO_LIMITS, options)).toEqual(twin(0, 1000, options));
    expect(encoded.keptBytes).toBeLessThanOrEqual(1.5 * run);
    encoded = cacheOf(3 * run);
    for (const start of [0, 100, 0]) page(start, { ...NO_LIMITS, blocks: 1 }, WHOLE);
    page(0, { ...NO_LIMITS, blocks: 1 }, { prune: false, noMinerTx: true });
    expect(read).toEqual([0, 100, 0]);
    page(0, { ...NO_LIMITS, blocks: 1 }, WHOLE);
    expect(read).toEqual([0, 100, 0]);
  });
});
