import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { toHex } from '../../src/util/bytes.js';
import type { ChainWallet } from '../support/wallets/chain-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { makePayment, makeSweep } from '../support/wallets/payments.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { FIRST_BLOCKS, startMiner, startTwins, type TwinChain } from '../support/chain/twin-chain.js';

/*
 * A chain made by our daemon is submitted block by block to the real daemon, which accepts it and answers the same.
 * FULL_CHAIN=1 makes the full chain, which takes some minutes; the default is a short one with the same kinds of
 * payments.
 */

const FULL = process.env['FULL_CHAIN'] !== undefined;
const BLOCKS = FULL ? 300 : FIRST_BLOCKS + 14;
const PAYMENTS = FULL ? 200 : 16;
/** Number of blocks with payments: all after the first ones. */
const BUSY_BLOCKS = BLOCKS - FIRST_BLOCKS;

const rng = seededRng('chain');
let twins: TwinChain;
let miner: ChainWallet;
/** Transaction hashes in order of creation. */
const made: string[] = [];

/** A payment to 1 to 15 receivers and back to the payer; every fourth is a sweep of 1 to 4 outputs to up to 16. */
async function pay(number: number): Promise<string> {
  const sweep = (number - 3) / 4;
  if (Number.isInteger(sweep)) {
    const wish = { to: miner.address(), outputs: 1 + ((5 * sweep) % 16), inputs: 1 + (sweep % 4) };
    const { blob, hash } = await makeSweep(twins.ours, miner, wish, rng);
    made.push(toHex(hash));
    return toHex(blob);
  }
  const to = Array.from(
    { length: 1 + (number % 15) },
    (_, i) => [miner.address({ major: i % 3, minor: i % 5 }), 1_000_000n * BigInt(1 + i)] as const,
  );
  const { blob, hash } = await makePayment(twins.ours, miner, { to, priority: 1 + (number % 4) }, rng);
  made.push(toHex(hash));
  return toHex(blob);
}

/** Creates the payments of a block: usually one, sometimes none or several. */
async function fill(block: number): Promise<void> {
  const due = Math.floor((PAYMENTS * (block + 1)) / BUSY_BLOCKS);
  while (made.length < due)
    expect(
      await twins.ours.plain('/send_raw_transaction', { tx_as_hex: await pay(made.length) }),
    ).toMatchObject({
      status: 'OK',
    });
}

beforeAll(async () => {
  twins = await startTwins();
  miner = await startMiner(twins, rng);
  for (let block = 0; block < BUSY_BLOCKS; block++) {
    await fill(block);
    await twins.mine(miner.addressText(), 1);
    await miner.scan(twins.ours);
  }
}, 3_600_000);

afterAll(async () => {
  await twins?.stop();
});

const both = (ask: (daemon: TwinChain['ours']) => Promise<Loose>): Promise<Loose[]> =>
  Promise.all([twins.ours, twins.theirs].map(ask));

describe(`a chain of ${BLOCKS} blocks and ${PAYMENTS} payments of our daemon`, () => {
  it('is complete, and has the same tip in monerod', async () => {
    const [ours, theirs] = await both((daemon) => daemon.rpc('get_info'));
    expect(ours).toMatchObject({ height: BLOCKS + 1, tx_count: PAYMENTS, tx_pool_size: 0 });
    for (const field of [
      'height',
      'tx_count',
      'top_block_hash',
      'cumulative_difficulty',
      'block_weight_median',
    ])
      expect(ours[field]).toEqual(theirs[field]);
  });

  it('has the same headers', async () => {
    const [ours, theirs] = await both((daemon) =>
      daemon.rpc('get_block_headers_range', { start_height: 0, end_height: BLOCKS }),
    );
    expect(ours.headers).toHaveLength(BLOCKS + 1);
    expect(ours.headers).toEqual(theirs.headers);
  });

  it('has the same emission and fees', async () => {
    const [ours, theirs] = await both((daemon) =>
      daemon.rpc('get_coinbase_tx_sum', { height: 0, count: BLOCKS + 1 }),
    );
    expect(ours.fee_amount).toBeGreaterThan(0);
    for (const field of ['emission_amount', 'fee_amount', 'wide_emission_amount', 'wide_fee_amount'])
      expect(ours[field]).toEqual(theirs[field]);
    const data = await both((daemon) => daemon.rpc('get_miner_data'));
    expect(data[0]).toEqual(data[1]);
  });

  test.each([0, 1, 10, 99])('has the same fee estimates %i blocks ahead', async (grace_blocks) => {
    const [ours, theirs] = await both((daemon) => daemon.rpc('get_fee_estimate', { grace_blocks }));
    expect(ours.fees).toEqual(theirs.fees);
  });

  it('has the same transactions and output indices', async () => {
    expect(new Set(made).size).toBe(PAYMENTS);
    for (let start = 0; start < PAYMENTS; start += 50) {
      const [ours, theirs] = await both((daemon) =>
        daemon.plain('/get_transactions', { txs_hashes: made.slice(start, start + 50) }),
      );
      expect(ours.txs).toHaveLength(Math.min(50, PAYMENTS - start));
      expect(ours.txs).toEqual(theirs.txs);
    }
  });

  it('has the same outputs', async () => {
    const [ours, theirs] = await both((daemon) =>
      daemon.rpc('get_output_distribution', { amounts: [0], binary: false, cumulative: true }),
    );
    expect(ours.distributions).toEqual(theirs.distributions);
    const count = (ours.distributions[0].distribution as number[]).at(-1) ?? 0;
    expect(count).toBeGreaterThan(BLOCKS + 2 * PAYMENTS);
    for (let start = 0; start < count; start += 1000) {
      const outputs = Array.from({ length: Math.min(1000, count - start) }, (_, i) => ({
        amount: 0,
        index: start + i,
      }));
      const [here, there] = await both((daemon) => daemon.plain('/get_outs', { outputs, get_txid: true }));
      expect(here.outs).toEqual(there.outs);
    }
  });

  it('contains transactions of 2 to 16 outputs', async () => {
    const { txs } = await twins.ours.plain('/get_transactions', { txs_hashes: made.slice(0, 100) });
    const counts = (txs as Loose[]).map(({ output_indices }) => (output_indices as number[]).length);
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([2, 16]);
    expect(new Set(counts).size).toBeGreaterThan(10);
  });
});
