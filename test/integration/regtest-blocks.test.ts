import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { block as blockCodec } from '../../src/monero/cryptonote/block.js';
import type { Hash } from '../../src/monero/crypto/types.js';
import type { Block } from '../../src/monero/cryptonote/types.js';
import { toHex } from '../../src/util/bytes.js';
import { encode } from '../../src/util/codec.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { testNode, type TestNode } from '../support/processes/regtest-node.js';

/* Blocks that our node accepts are accepted by the real daemon, with the same results. */

const BLOCKS = 64;

let at: TestNode;
let daemon: Monerod;

const give = (block: Block): Promise<Loose> =>
  daemon.call('submit_block', [toHex(encode(blockCodec, block))]);

/** Mines one block on our node and submits it to the real daemon. */
async function both(prevHash?: Hash): Promise<Hash> {
  const block = await at.template(prevHash);
  const { hash } = await at.node.submitBlock(block);
  await give(block);
  return hash;
}

beforeAll(async () => {
  at = testNode();
  daemon = await startMonerod();
  at.now = Math.floor(Date.now() / 1000);
});

afterAll(async () => {
  await at?.node.close();
  await daemon?.stop();
});

describe('blocks of our node', () => {
  it('are accepted by monerod one by one', async () => {
    for (let i = 0; i < BLOCKS; i++) {
      const block = await at.template();
      await at.node.submitBlock(block);
      expect(await give(block)).toMatchObject({ result: { status: 'OK' } });
      at.now += 1;
    }
  });

  it('form the same chain in both', async () => {
    const { headers } = await daemon.rpc('get_block_headers_range', { start_height: 0, end_height: BLOCKS });
    const theirs = (headers as Loose[]).map((header) => ({
      hash: header.hash,
      timestamp: header.timestamp,
      weight: header.block_weight,
      longTermWeight: header.long_term_weight,
      difficulty: BigInt(header.difficulty),
      cumulativeDifficulty: BigInt(header.cumulative_difficulty),
    }));
    const ours = at.node.store.blocks.range(0, BLOCKS + 1).map((block) => ({
      hash: toHex(block.hash),
      timestamp: block.timestamp,
      weight: block.weight,
      longTermWeight: block.longTermWeight,
      difficulty: block.difficulty,
      cumulativeDifficulty: block.cumulativeDifficulty,
    }));
    expect(ours).toEqual(theirs);
  });

  it('have the same emission and fee estimates', async () => {
    const miner = await daemon.rpc('get_miner_data');
    expect(at.node.chain.tip.generated).toBe(BigInt(miner.already_generated_coins));
    expect(at.node.chain.measures.penaltyMedian).toBe(miner.median_weight);
    for (const grace_blocks of [0, 10, 99]) {
      const { fees } = await daemon.rpc('get_fee_estimate', { grace_blocks });
      expect(at.node.chain.feeEstimates(grace_blocks)).toEqual((fees as number[]).map(BigInt));
    }
  });

  it('have the same output indices', async () => {
    const { distributions } = await daemon.rpc('get_output_distribution', {
      amounts: [0],
      cumulative: true,
      binary: false,
    });
    expect(at.node.store.blocks.rctOutputs(0, BLOCKS + 1)).toEqual(distributions[0].distribution);
    const outputs = Array.from({ length: BLOCKS }, (_, index) => ({ amount: 0, index }));
    const { outs } = await daemon.plain('/get_outs', { outputs });
    const ours = outputs.map(({ index }) => {
      const output = at.node.store.outputs.at(0n, BigInt(index));
      return (
        output && { key: toHex(output.publicKey), mask: toHex(output.commitment), height: output.height }
      );
    });
    expect(ours).toEqual((outs as Loose[]).map(({ key, mask, height }) => ({ key, mask, height })));
  });

  it('replace others when they have more work, in both', async () => {
    const parent = at.node.store.blocks.at(BLOCKS - 3)?.hash;
    let last = await both(parent);
    for (let i = 0; i < 3; i++) last = await both(last);
    expect(at.node.chain.tip).toMatchObject({ hash: last, height: BLOCKS + 1 });
    const { block_header } = await daemon.rpc('get_last_block_header');
    expect(block_header).toMatchObject({ hash: toHex(last), height: BLOCKS + 1 });
    const { chains } = await daemon.rpc('get_alternate_chains');
    expect(chains).toHaveLength(1);
    expect(chains[0]).toMatchObject({ length: 3, height: BLOCKS });
    expect(at.node.store.alternatives.all().map(({ hash }) => toHex(hash))).toEqual(
      [...(chains[0].block_hashes as string[])].reverse(),
    );
  });
});
