import { describe, expect, it, test } from '@jest/globals';
import type { Hash, PublicKey } from '../../src/crypto/types.js';
import { block, blockHash } from '../../src/cryptonote/block.js';
import type { Block } from '../../src/cryptonote/types.js';
import type { BlocksRequest, Daemon } from '../../src/daemon/daemon.js';
import { outlineAnswer } from '../../src/daemon/outliner.js';
import type { RefreshFrom } from '../../src/refresh/messages.js';
import { pagesFrom } from '../../src/refresh/page-source.js';
import { amount } from '../../src/util/amount.js';
import { toHex } from '../../src/util/bytes.js';
import { encode } from '../../src/util/codec.js';
import type { BlockRef } from '../../src/wallet/records.js';
import { blocksAnswer, type SentBlocks } from '../support/blocks-answer.js';

/** Blocks a page of the daemon below holds. */
const PAGE = 25;

const zeros = new Uint8Array(32) as Hash;

/** One block after the other, each of a miner transaction alone. */
function chain(length: number, options: { after?: readonly Block[]; nonce?: number; version?: number } = {}) {
  const blocks = [...(options.after ?? [])];
  while (blocks.length < length) {
    const height = blocks.length;
    const previous = blocks.at(-1);
    blocks.push({
      header: {
        majorVersion: options.version ?? 16,
        minorVersion: 16,
        timestamp: 1_700_000_000 + height,
        prevHash: previous === undefined ? zeros : blockHash(previous),
        nonce: options.nonce ?? 0,
      },
      minerTx: {
        prefix: {
          version: 2,
          unlockTime: BigInt(height + 60),
          inputs: [{ type: 'gen', height }],
          outputs: [{ amount: amount(1n), publicKey: zeros as Uint8Array as PublicKey, viewTag: 0 }],
          extra: new Uint8Array(),
        },
        rct: { base: { type: 0, fee: amount(0n), pseudoOuts: [], ecdhInfo: [], outPk: [] } },
      },
      txHashes: [],
    });
  }
  return blocks;
}

const refs = (blocks: readonly Block[], heights: readonly number[]): BlockRef[] =>
  heights.map((height) => ({ height, hash: blockHash(blocks[height] as Block) }));

/** The newest ten and the genesis block, newest first. */
const shortHistory = (blocks: readonly Block[]): BlockRef[] => {
  const top = blocks.length - 1;
  const newest = Array.from({ length: Math.min(10, top) }, (_, i) => top - i);
  return refs(blocks, [...newest, 0]);
};

/** Answers as a daemon that holds `blocks` does, unless `spoil` changes the answer. */
function daemonOf(
  blocks: readonly Block[],
  spoil: (page: SentBlocks, request: BlocksRequest) => SentBlocks = (page) => page,
): Daemon {
  const names = new Map(blocks.map((value, height) => [toHex(blockHash(value)), height]));
  const daemon: Pick<Daemon, 'getInfo' | 'getBlocks'> = {
    getInfo: () =>
      Promise.resolve({
        height: blocks.length,
        targetHeight: 0,
        topBlockHash: zeros,
        network: 'fakechain',
        synchronized: true,
        blockWeightLimit: 600_000,
      }),
    getBlocks: (request) => {
      const known = (request.shortHistory ?? []).map((hash) => names.get(toHex(hash)));
      const startHeight = request.startHeight ?? known.find((height) => height !== undefined) ?? 0;
      const page = {
        startHeight,
        currentHeight: blocks.length,
        blocks: blocks.slice(startHeight, startHeight + PAGE).map((value, i) => ({
          block: encode(block, value),
          txs: [],
          outputIndices: [[startHeight + i]],
        })),
      };
      const sent = spoil(page, request);
      return Promise.resolve({ ...sent, ...outlineAnswer(blocksAnswer(sent)) });
    },
  };
  return daemon as Daemon;
}

async function collect(
  daemon: Daemon,
  from: RefreshFrom,
  genesis: Hash,
  newestVersion?: number,
): Promise<number[]> {
  const heights: number[] = [];
  const expected = { genesis, ...(newestVersion === undefined ? {} : { newestVersion }) };
  for await (const page of pagesFrom(daemon, from, expected, new AbortController().signal))
    heights.push(...page.blocks.map(({ height }) => height));
  return heights;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

const ours = chain(80);
const genesis = blockHash(ours[0] as Block);
const nothing: RefreshFrom = { history: [], startHeight: 0 };

describe('pages of a chain', () => {
  it('are all of it, each block once, for a wallet that holds nothing', async () => {
    expect(await collect(daemonOf(ours), nothing, genesis)).toEqual(range(0, 80));
  });

  it('begin at the restore height', async () => {
    expect(await collect(daemonOf(ours), { history: [], startHeight: 33 }, genesis)).toEqual(range(33, 80));
  });

  it('are the last block alone where the restore height lies above the tip, then none', async () => {
    for (const startHeight of [80, 500]) {
      expect(await collect(daemonOf(ours), { history: [], startHeight }, genesis)).toEqual([79]);
    }
    const history = shortHistory(ours.slice(0, 80));
    expect(await collect(daemonOf(ours), { history, startHeight: 500 }, genesis)).toEqual([]);
  });

  it('go on where the wallet stands', async () => {
    const history = shortHistory(ours.slice(0, 42));
    expect(await collect(daemonOf(ours), { history, startHeight: 0 }, genesis)).toEqual(range(42, 80));
  });

  it('are none for a wallet at the tip', async () => {
    expect(await collect(daemonOf(ours), { history: shortHistory(ours), startHeight: 0 }, genesis)).toEqual(
      [],
    );
  });

  test.each([1, 9, 40, 79])('start where the chain turned off %i blocks below the tip', async (depth) => {
    const other = chain(85, { after: ours.slice(0, 80 - depth), nonce: 7 });
    const history = refs(ours, [...range(0, 80)].reverse());
    expect(await collect(daemonOf(other), { history, startHeight: 0 }, genesis)).toEqual(
      range(80 - depth, 85),
    );
  });
});

describe('a daemon that lies about its chain', () => {
  it('is refused when its chain begins with another block', async () => {
    await expect(collect(daemonOf(chain(20, { nonce: 3 })), nothing, genesis)).rejects.toThrow(
      'another network',
    );
  });

  it('is refused when it starts the page at a block that the wallet never named', async () => {
    const other = chain(85, { after: ours.slice(0, 30), nonce: 9 });
    const history = shortHistory(ours);
    const lying = daemonOf(other, (page) => ({
      ...page,
      startHeight: 75,
      blocks: other.slice(75, 80).map((value) => ({
        block: encode(block, value),
        txs: [],
        outputIndices: [[0]],
      })),
    }));
    await expect(collect(lying, { history, startHeight: 0 }, genesis)).rejects.toThrow(
      'does not start at a block of ours',
    );
  });
});

describe('a fork nobody here knows', () => {
  const newer = chain(80, { after: ours.slice(0, 60), version: 17 });

  it('stops the refresh at its first block, and says what to do', async () => {
    await expect(collect(daemonOf(newer), nothing, genesis, 16)).rejects.toThrow(
      /block 60 has version 17.*--allow-mismatched-daemon-version/,
    );
  });

  it('is read where that was allowed', async () => {
    expect(await collect(daemonOf(newer), nothing, genesis)).toEqual(range(0, 80));
  });
});
