import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { GENESIS_HASH } from '../../../src/monero/cryptonote/constants.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { Block, BlockHeader, TxPrefix } from '../../../src/monero/cryptonote/types.js';
import { amount } from '../../../src/util/amount.js';
import { NOON, testNode, type TestNode } from '../../support/processes/regtest-node.js';

let at: TestNode;

beforeEach(() => {
  at = testNode();
});

afterEach(async () => {
  await at.node.close();
});

const tipHeight = (): number => at.node.chain.tip.height;

describe('the main chain', () => {
  it('starts with the genesis block of mainnet', () => {
    const { tip } = at.node.chain;
    expect(tip.hash).toEqual(GENESIS_HASH.mainnet);
    expect(tip).toMatchObject({ height: 0, rctOutputs: 0, payments: 0, difficulty: 1n });
    expect(tip.generated).toBe(17_592_186_044_415n);
  });

  it('grows by blocks that pay the whole reward', async () => {
    expect((await at.mine(3)).place).toBe('main');
    const { tip } = at.node.chain;
    expect(tip).toMatchObject({ height: 3, rctOutputs: 3, cumulativeDifficulty: 4n, timestamp: NOON });
    // Values reported by monerod --regtest.
    const rewards = [35_184_338_534_400n, 35_184_271_425_600n, 35_184_204_316_927n];
    expect(tip.generated).toBe(17_592_186_044_415n + rewards.reduce((a, b) => a + b));
  });

  it('gives short blocks the minimum weight of the long-term median', async () => {
    await at.mine(2);
    expect(at.node.chain.tip.longTermWeight).toBe(176_470);
    expect(at.node.chain.measures).toMatchObject({ longTermMedian: 300_000, penaltyMedian: 300_000 });
  });

  it('is loaded again from its directory', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'regtest-'));
    try {
      const first = testNode({ dataDir: directory });
      await first.mine(4);
      const { tip } = first.node.chain;
      await first.node.close();
      const second = testNode({ dataDir: directory });
      expect(second.node.chain.tip).toEqual(tip);
      await second.mine(1);
      expect(second.node.chain.tip.height).toBe(5);
      await second.node.close();
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('is copied with its pool, from memory or from its directory, to change apart', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'regtest-'));
    try {
      const stored = testNode({ dataDir: directory });
      for (const original of [at, stored]) {
        await original.mine(3);
        const copy = original.node.copy();
        expect(copy.chain.tip).toEqual(original.node.chain.tip);
        copy.chain.pop();
        await original.mine(2);
        expect([copy.chain.height, original.node.chain.height]).toEqual([3, 6]);
        await copy.close();
      }
      await stored.node.close();
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('can be popped down to the genesis block', async () => {
    await at.mine(3);
    await at.node.popBlocks(2);
    expect(tipHeight()).toBe(1);
    await at.node.popBlocks(100);
    expect(at.node.chain.tip.hash).toEqual(GENESIS_HASH.mainnet);
    expect(at.node.store.outputs.count(0n)).toBe(0);
    await at.mine(1);
    expect(tipHeight()).toBe(1);
  });
});

const withHeader = (block: Block, header: Partial<BlockHeader>): Block => ({
  ...block,
  header: { ...block.header, ...header },
  // Blocks from version 17 on name the tree of outputs.
  ...((header.majorVersion ?? 0) < 17 ? {} : { tree: { layers: 1, root: new Uint8Array(32) } }),
});

const withMiner = (block: Block, prefix: (of: TxPrefix) => Partial<TxPrefix>): Block => ({
  ...block,
  minerTx: { ...block.minerTx, prefix: { ...block.minerTx.prefix, ...prefix(block.minerTx.prefix) } },
});

const paying = (block: Block, more: bigint): Block =>
  withMiner(block, ({ outputs }) => ({
    outputs: outputs.map((output) => ({ ...output, amount: amount(output.amount + more) })),
  }));

const unknown = new Uint8Array(32).fill(7) as Hash;

const spoiled: readonly (readonly [string, (block: Block) => Block, RegExp])[] = [
  ['of an older version', (b) => withHeader(b, { majorVersion: 15 }), /wrong version/],
  [
    'of a newer version',
    (b) => ({
      ...withHeader(b, { majorVersion: 17, minorVersion: 17 }),
      tree: { layers: 7, root: new Uint8Array(32) },
    }),
    /wrong version/,
  ],
  ['that votes for an older version', (b) => withHeader(b, { minorVersion: 15 }), /wrong version/],
  ['more than two hours in the future', (b) => withHeader(b, { timestamp: NOON + 7_201 }), /future/],
  ['that claims an atomic unit too much', (b) => paying(b, 1n), /exactly reward and fees/],
  ['that claims an atomic unit too little', (b) => paying(b, -1n), /exactly reward and fees/],
  [
    'of another height',
    (b) => withMiner(b, () => ({ inputs: [{ type: 'gen', height: 2 }] })),
    /another height/,
  ],
  [
    'with two miner inputs',
    (b) => withMiner(b, ({ inputs }) => ({ inputs: [...inputs, ...inputs] })),
    /spends/,
  ],
  ['whose reward unlocks early', (b) => withMiner(b, () => ({ unlockTime: 60n })), /unlock time/],
  [
    'whose reward has no view tag',
    (b) =>
      withMiner(b, ({ outputs }) => ({
        outputs: outputs.map(({ amount: value, publicKey }) => ({ amount: value, publicKey })),
      })),
    /view tag/,
  ],
  [
    'whose reward overflows',
    (b) =>
      withMiner(b, ({ outputs }) => ({
        outputs: outputs.flatMap((output) => [output, { ...output, amount: amount((1n << 64n) - 1n) }]),
      })),
    /overflows/,
  ],
  ['with an unknown payment', (b) => ({ ...b, txHashes: [unknown] }), /not known/],
  [
    'whose padding makes it heavier than twice the median',
    (b) => withMiner(b, () => ({ extra: new Uint8Array(600_001) })),
    /too heavy/,
  ],
];

describe('a block', () => {
  test.each(spoiled)('%s is refused, and nothing changes', async (_, spoil, reason) => {
    await expect(at.node.submitBlock(spoil(await at.template()))).rejects.toThrow(reason);
    expect(tipHeight()).toBe(0);
    expect(at.node.store.alternatives.count()).toBe(0);
    await at.mine(1);
    expect(tipHeight()).toBe(1);
  });

  it('that is known, or has an unknown parent, changes nothing', async () => {
    const block = await at.template();
    await at.node.submitBlock(block);
    expect((await at.node.submitBlock(block)).place).toBe('known before');
    expect((await at.node.submitBlock(withHeader(block, { prevHash: unknown }))).place).toBe('orphan');
    expect(tipHeight()).toBe(1);
    expect(at.node.store.alternatives.count()).toBe(0);
  });

  it('must not be older than the median of the last 60 blocks', async () => {
    await at.mine(60);
    const block = await at.template();
    await expect(at.node.submitBlock(withHeader(block, { timestamp: NOON - 1 }))).rejects.toThrow('median');
    at.now -= 3_600;
    expect((await at.template()).header.timestamp).toBe(NOON);
  });
});

describe('alternative blocks', () => {
  it('become the main chain once they have more work', async () => {
    await at.mine(5);
    const { hash } = at.node.store.blocks.at(2) ?? { hash: unknown };
    at.now += 1;
    const beside = await at.mine(3, hash);
    expect(beside.place).toBe('alternative');
    expect(at.node.store.alternatives.count()).toBe(3);
    const winning = await at.mine(1, beside.hash);
    expect(winning).toMatchObject({ place: 'main', reorganised: { splitHeight: 3, discarded: 3 } });
    expect(at.node.chain.tip).toMatchObject({ height: 6, hash: winning.hash, rctOutputs: 6 });
    // The former main chain is now alternative, and can become the main chain again.
    expect(at.node.store.alternatives.count()).toBe(3);
    const [last] = at.node.store.alternatives.all().slice(-1);
    at.now += 1;
    const back = await at.mine(2, last?.hash);
    expect(back).toMatchObject({ place: 'main', reorganised: { splitHeight: 3, discarded: 4 } });
    expect(tipHeight()).toBe(7);
  });

  it('never become the main chain when one of them is invalid', async () => {
    await at.mine(3);
    const { hash } = at.node.store.blocks.at(1) ?? { hash: unknown };
    const before = at.node.chain.tip;
    at.now += 1;
    const greedy = paying(await at.template(hash), 1n);
    const first = await at.node.submitBlock(greedy);
    expect(first.place).toBe('alternative');
    const second = await at.mine(1, first.hash);
    expect(second.place).toBe('alternative');
    const third = await at.mine(1, second.hash);
    expect(third).toMatchObject({
      place: 'refused',
      reason: expect.stringMatching(/exactly reward and fees/),
    });
    expect(at.node.chain.tip).toEqual(before);
    expect(at.node.store.alternatives.count()).toBe(0);
  });

  it('must have the version, time and height of their position', async () => {
    await at.mine(3);
    const { hash } = at.node.store.blocks.at(1) ?? { hash: unknown };
    at.now += 1;
    const block = await at.template(hash);
    for (const [spoil, reason] of [
      [withHeader(block, { majorVersion: 15 }), /wrong version/],
      [withHeader(block, { timestamp: NOON - 1 }), /median/],
      [withMiner(block, () => ({ inputs: [{ type: 'gen', height: 4 }] })), /another height/],
    ] as const)
      await expect(at.node.submitBlock(spoil)).rejects.toThrow(reason);
    expect(at.node.store.alternatives.count()).toBe(0);
  });
});
