import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasBenchChain, unpackBenchChain, type BenchChain } from '../support/bench-chain.js';
import { giveBlock, giveTransactions, readBlock } from '../support/chain-copy.js';
import { startMonerod, type Monerod } from '../support/monerod.js';
import { startRegtestDaemon } from '../support/regtest-daemon.js';

/*
 * The bench chain, which the real daemon made, is taken by ours, every rule checked: all blocks up to the first ones
 * with payments. `npm run bench:daemon` gives the whole of it.
 */

// Where tests decide what lands, the chain must be there.
const describeChain = hasBenchChain || process.env['CI'] !== undefined ? describe : describe.skip;

/** One past the last block that is given; payments begin at 4,201. */
const END = 4203;
const PAYMENTS = 39;
const READ_AT_ONCE = 6;

describeChain('the bench chain on our daemon', () => {
  let chain: BenchChain;
  let source: Monerod;
  let ours: Monerod;

  beforeAll(async () => {
    chain = unpackBenchChain();
    [source, ours] = await Promise.all([startMonerod({ dataDir: chain.dataDir }), startRegtestDaemon()]);
    for (let start = 1; start < END; start += READ_AT_ONCE) {
      const heights = Array.from({ length: Math.min(READ_AT_ONCE, END - start) }, (_, i) => start + i);
      for (const block of await Promise.all(heights.map((height) => readBlock(source, height)))) {
        await giveTransactions(ours, block.txs);
        await giveBlock(ours, block);
      }
    }
  });

  afterAll(async () => {
    await Promise.all([source?.stop(), ours?.stop()]);
    chain?.remove();
  });

  it('is taken whole', async () => {
    expect(await ours.rpc('get_info')).toMatchObject({ height: END, tx_count: PAYMENTS, tx_pool_size: 0 });
  });

  it('has the same headers here and there', async () => {
    const range = { start_height: END - 900, end_height: END - 1 };
    const [mine, theirs] = await Promise.all(
      [ours, source].map((daemon) => daemon.rpc('get_block_headers_range', range)),
    );
    // Depth counts from the tip, which is further there.
    const depthless = (headers: readonly Record<string, unknown>[]) =>
      headers.map((header) => ({ ...header, depth: 0 }));
    expect(depthless(mine.headers)).toEqual(depthless(theirs.headers));
  });
});
