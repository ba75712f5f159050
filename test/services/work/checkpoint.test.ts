import { beforeAll, describe, expect, it, test } from '@jest/globals';
import type { DaemonBlock } from '../../../src/daemon/daemon.js';
import { block as blockCodec, blockHash } from '../../../src/monero/cryptonote/block.js';
import {
  DIFFICULTY_BLOCKS,
  nextDifficulty,
  type WorkPoint,
} from '../../../src/monero/cryptonote/difficulty.js';
import { HeaderChain } from '../../../src/monero/cryptonote/header-chain.js';
import type { Block } from '../../../src/monero/cryptonote/types.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { GENESIS } from '../../../src/regtest/rules/block-rules.js';
import {
  CheckpointError,
  differencesOf,
  formatCheckpoint,
  parseCheckpoint,
} from '../../../src/services/work/checkpoint-file.js';
import type { BlockSource } from '../../../src/services/work/fetched-blocks.js';
import { readCheckpoint, type ReadCheckpoint } from '../../../src/services/work/read-checkpoint.js';
import { toHex } from '../../../src/util/bytes.js';
import { encode } from '../../../src/util/codec.js';

const START = 1_700_000_000;
const HEIGHT = 2300;
const NOW = START + 200 * HEIGHT;

/** Block at a height of the chain of the test. */
const blockAt = (height: number, prevHash: Hash): Block => ({
  header: {
    majorVersion: 16,
    minorVersion: 16,
    timestamp: START + 100 * height + (height % 7),
    prevHash,
    nonce: 0,
  },
  minerTx: { ...GENESIS.minerTx, prefix: { ...GENESIS.minerTx.prefix, inputs: [{ type: 'gen', height }] } },
  txHashes: [],
});

/** A chain that follows the rules of difficulty, as a daemon sends it. */
function chainOf(length: number, fixed?: bigint): DaemonBlock[] {
  const blocks: DaemonBlock[] = [];
  const points: WorkPoint[] = [];
  for (let height = 0; height < length; height++) {
    const block = height === 0 ? GENESIS : blockAt(height, blocks[height - 1]?.hash as Hash);
    const { timestamp } = block.header;
    const difficulty =
      height === 0 ? 1n : (fixed ?? nextDifficulty(points.slice(1).slice(-DIFFICULTY_BLOCKS), 120));
    const cumulativeDifficulty = (points.at(-1)?.cumulativeDifficulty ?? 0n) + difficulty;
    points.push({ timestamp, cumulativeDifficulty });
    blocks.push({ blob: encode(blockCodec, block), hash: blockHash(block), cumulativeDifficulty });
  }
  return blocks;
}

const sourceOf = (blocks: readonly DaemonBlock[], network = 'fakechain'): BlockSource => ({
  getInfo: () =>
    Promise.resolve({
      ...{ height: blocks.length, targetHeight: 0, topBlockHash: blocks[0]?.hash as Hash, network },
      ...{ synchronized: true, blockWeightLimit: 600_000 },
    }),
  getBlock: (height) => Promise.resolve(blocks[height] as DaemonBlock),
});

let blocks: DaemonBlock[];
let read: ReadCheckpoint;

beforeAll(async () => {
  blocks = chainOf(HEIGHT + 1);
  read = await readCheckpoint(sourceOf(blocks), { height: HEIGHT, now: NOW });
});

describe('a checkpoint that is read from a daemon', () => {
  it('has the last blocks and the seed blocks of its height', () => {
    expect(read).toMatchObject({
      network: 'regtest',
      blocks: 2 * DIFFICULTY_BLOCKS,
      difficulties: 735,
      knownPoints: 0,
    });
    const { window, seeds, hash } = read.checkpoint;
    expect(window).toHaveLength(DIFFICULTY_BLOCKS);
    expect(window.at(-1)?.cumulativeDifficulty).toBe(blocks[HEIGHT]?.cumulativeDifficulty);
    expect(seeds.map(toHex)).toEqual([toHex(blocks[2048]?.hash as Hash)]);
    expect(hash).toEqual(blocks[HEIGHT]?.hash);
    expect(new HeaderChain(read.checkpoint).tip.height).toBe(HEIGHT);
  });

  it('begins with the first block on a short chain', async () => {
    const early = await readCheckpoint(sourceOf(blocks), { height: 20, now: NOW });
    expect(early).toMatchObject({ blocks: 21, difficulties: 20 });
    expect(early.checkpoint.window).toHaveLength(21);
    expect(early.checkpoint.seeds.map(toHex)).toEqual([toHex(blocks[0]?.hash as Hash)]);
  });

  const lies = (height: number, changed: Partial<DaemonBlock>): BlockSource =>
    sourceOf(blocks.map((block, i) => (i === height ? { ...block, ...changed } : block)));

  test.each<[string, () => BlockSource, RegExp]>([
    [
      'another hash',
      () => lies(2200, { hash: blocks[1]?.hash as Hash }),
      /block 2200 has the hash [0-9a-f]{64}, and the/,
    ],
    [
      'another block',
      () => lies(2200, blocks[2199] as DaemonBlock),
      /sends for height 2200 is of another height/,
    ],
    ['no block', () => lies(2200, { blob: Uint8Array.of(1) }), /block 2200 of the daemon cannot be read/],
    ['a block of a later fork', () => lies(2200, { blob: Uint8Array.of(19) }), /block 2200 has version 19/],
    [
      'another parent',
      () => lies(2200, chained(2200, blockAt(2200, blocks[7]?.hash as Hash))),
      /block 2200 does not follow the block before it/,
    ],
    [
      'another difficulty',
      () => lies(1900, { cumulativeDifficulty: (blocks[1900]?.cumulativeDifficulty ?? 0n) + 1n }),
      /block 1900 has the difficulty \d+, and the daemon says \d+/,
    ],
    ['an unknown network', () => sourceOf(blocks, 'othernet'), /a network that is not known: "othernet"/],
    ['no such height', () => sourceOf(blocks.slice(0, 100)), /no block at height 2300: it has 100 blocks/],
  ])('is refused with %s', async (_, source, reason) => {
    const reading = readCheckpoint(source(), { height: HEIGHT, now: NOW });
    await expect(reading).rejects.toThrow(CheckpointError);
    await expect(reading).rejects.toThrow(reason);
  });

  const chained = (height: number, block: Block): DaemonBlock => ({
    ...{ blob: encode(blockCodec, block), hash: blockHash(block) },
    cumulativeDifficulty: blocks[height]?.cumulativeDifficulty ?? 0n,
  });

  it('is refused if the chain has another first block, or not the fixed difficulty', async () => {
    const other = (network: string, fixedDifficulty?: bigint): Promise<unknown> =>
      readCheckpoint(sourceOf(blocks, network), {
        ...{ height: 20, now: NOW },
        ...(fixedDifficulty === undefined ? {} : { fixedDifficulty }),
      });
    await expect(other('testnet')).rejects.toThrow('does not begin with the first block of testnet');
    await expect(other('mainnet', 5n)).rejects.toThrow('mainnet has no fixed difficulty');
    await expect(other('fakechain', 5n)).rejects.toThrow(
      'block 1 has the difficulty 5, and the daemon says 1',
    );
    const fixed = await readCheckpoint(sourceOf(chainOf(21, 5n)), {
      height: 20,
      fixedDifficulty: 5n,
      now: NOW,
    });
    expect(parseCheckpoint(formatCheckpoint(fixed)).checkpoint).toEqual(fixed.checkpoint);
  });
});

describe('the file of a checkpoint', () => {
  const changed = (change: (file: Record<string, unknown>) => void): string => {
    const file = JSON.parse(formatCheckpoint(read)) as Record<string, unknown>;
    change(file);
    return JSON.stringify(file);
  };

  it('is read as it was written', () => {
    const { network, checkpoint } = read;
    expect(parseCheckpoint(formatCheckpoint(read))).toEqual({ network, checkpoint });
  });

  test.each<[string, (file: Record<string, unknown>) => void]>([
    ['network', (file) => (file['network'] = 'fakechain')],
    ['extra', (file) => (file['extra'] = 1)],
    ['height', (file) => (file['height'] = -1)],
    ['hash', (file) => (file['hash'] = 'AB'.repeat(32))],
    ['major_version', (file) => (file['major_version'] = 0)],
    ['cumulative_difficulty', (file) => (file['cumulative_difficulty'] = '0x1')],
    ['cumulative_difficulty', (file) => (file['cumulative_difficulty'] = 7)],
    ['fixed_difficulty', (file) => (file['fixed_difficulty'] = '0x2')],
    ['seeds are those of the heights 2048', (file) => (file['seeds'] = [])],
    ['window has 734 blocks in place of 735', (file) => (file['window'] as unknown[]).shift()],
    [
      'window.0.timestamp',
      (file) => (((file['window'] as Record<string, unknown>[])[0] ?? {})['timestamp'] = 1.5),
    ],
    [
      'do not increase',
      ({ window }) => {
        const points = window as Record<string, unknown>[];
        (points[5] ?? {})['cumulative_difficulty'] = (points[4] ?? {})['cumulative_difficulty'];
      },
    ],
  ])('is refused, and the reason names the fault: %s', (fault, change) => {
    const parse = (): unknown => parseCheckpoint(changed(change));
    expect(parse).toThrow(CheckpointError);
    expect(parse).toThrow(fault);
  });

  it('is refused unless it is JSON', () => {
    expect(() => parseCheckpoint('{')).toThrow('the checkpoint is not JSON');
  });

  it('is compared fact by fact', () => {
    const { checkpoint } = read;
    expect(differencesOf(checkpoint, checkpoint)).toEqual([]);
    const [first, ...others] = checkpoint.window;
    const given = {
      ...{ ...checkpoint, majorVersion: 15, hash: blocks[1]?.hash as Hash, seeds: [blocks[2]?.hash as Hash] },
      window: [{ timestamp: 5, cumulativeDifficulty: (first?.cumulativeDifficulty ?? 0n) - 1n }, ...others],
    };
    const oldest = HEIGHT + 1 - DIFFICULTY_BLOCKS;
    expect(differencesOf(given, checkpoint)).toEqual([
      expect.stringMatching(/^hash: [0-9a-f]{64} in the checkpoint, [0-9a-f]{64} at the daemon$/),
      'version: 15 in the checkpoint, 16 at the daemon',
      expect.stringMatching(/^hash of the seed block 2048: /),
      `timestamp of block ${oldest}: 5 in the checkpoint, ${first?.timestamp} at the daemon`,
      expect.stringMatching(new RegExp(`^cumulative difficulty of block ${oldest}: 0x`)),
    ]);
  });
});
