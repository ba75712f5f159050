import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasBenchChain, unpackBenchChain, type BenchChain } from '../support/chain/bench-chain.js';
import { submitBlock, submitTransactions, readBlock } from '../support/chain/chain-copy.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';

/*
 * Our daemon validates the bench chain, which the real daemon made, up to the first blocks with payments.
 * `npm run bench:daemon` covers the whole chain.
 */

// With `CI` set the chain is required.
const describeChain = hasBenchChain || process.env['CI'] !== undefined ? describe : describe.skip;

/** Height after the last submitted block; payments begin at 4,201. */
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
        await submitTransactions(ours, block.txs);
        await submitBlock(ours, block);
      }
    }
  });

  afterAll(async () => {
    await Promise.all([source?.stop(), ours?.stop()]);
    chain?.remove();
  });

  it('is accepted completely', async () => {
    expect(await ours.rpc('get_info')).toMatchObject({ height: END, tx_count: PAYMENTS, tx_pool_size: 0 });
  });

  it('has the same headers in both daemons', async () => {
    const range = { start_height: END - 900, end_height: END - 1 };
    const [mine, theirs] = await Promise.all(
      [ours, source].map((daemon) => daemon.rpc('get_block_headers_range', range)),
    );
    // Depth counts from the tip, which is higher in the real daemon.
    const depthless = (headers: readonly Record<string, unknown>[]) =>
      headers.map((header) => ({ ...header, depth: 0 }));
    expect(depthless(mine.headers)).toEqual(depthless(theirs.headers));
  });
});
