import type { Hash, PublicKey } from '../../../src/monero/crypto/types.js';
import { block, blockHash } from '../../../src/monero/cryptonote/block.js';
import { TREE_FORK } from '../../../src/monero/fork-rules.js';
import type { Block } from '../../../src/monero/cryptonote/types.js';
import type { BlocksRequest } from '../../../src/daemon/daemon.js';
import { parseBlocksAnswer } from '../../../src/monero/wallet/scan/block-page.js';
import type { BlockSource } from '../../../src/refresh/feeds/chain-page.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import { encode } from '../../../src/util/codec.js';
import type { BlockRef } from '../../../src/monero/wallet/scan/findings.js';
import { extraOf } from './heavy-txs.js';
import { blocksAnswer, type SentBlocks } from './blocks-answer.js';

/** Blocks a page of the daemon below holds. */
export const PAGE = 25;

const zeros = new Uint8Array(32) as Hash;

/** One block after the other, each of a miner transaction alone. @param options.keys of each transaction. */
export function chain(
  length: number,
  options: { after?: readonly Block[]; nonce?: number; version?: number; keys?: number } = {},
) {
  const blocks = [...(options.after ?? [])];
  const extra = extraOf(Array.from({ length: options.keys ?? 0 }, () => zeros as Uint8Array as PublicKey));
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
          extra,
        },
        rct: { base: { type: 0, fee: amount(0n), pseudoOuts: [], ecdhInfo: [], outPk: [] } },
      },
      txHashes: [],
      ...((options.version ?? 16) < TREE_FORK ? {} : { tree: { layers: 1, root: zeros } }),
    });
  }
  return blocks;
}

export const refs = (blocks: readonly Block[], heights: readonly number[]): BlockRef[] =>
  heights.map((height) => ({ height, hash: blockHash(blocks[height] as Block) }));

/** The newest ten and the genesis block, newest first. */
export const shortHistory = (blocks: readonly Block[]): BlockRef[] => {
  const top = blocks.length - 1;
  const newest = Array.from({ length: Math.min(10, top) }, (_, i) => top - i);
  return refs(blocks, [...newest, 0]);
};

/** The page of a daemon that holds `blocks`. */
export function pageOf(blocks: readonly Block[], request: Omit<BlocksRequest, 'prune'>): SentBlocks {
  const names = new Map(blocks.map((value, height) => [toHex(blockHash(value)), height]));
  const known = (request.shortHistory ?? []).map((hash) => names.get(toHex(hash)));
  const startHeight = request.startHeight ?? known.find((height) => height !== undefined) ?? 0;
  return {
    startHeight,
    currentHeight: blocks.length,
    blocks: blocks.slice(startHeight, startHeight + (request.maxBlocks ?? PAGE)).map((value, i) => ({
      block: encode(block, value),
      txs: [],
      outputIndices: [[startHeight + i]],
    })),
  };
}

/** Answers as a daemon that holds `blocks` does, unless `spoil` changes the answer. */
export function daemonOf(
  blocks: readonly Block[],
  spoil: (page: SentBlocks, request: BlocksRequest) => SentBlocks = (page) => page,
): BlockSource {
  return {
    isTrusted: true,
    proveTransactions: () => Promise.resolve(),
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
      const sent = spoil(pageOf(blocks, request), request);
      return Promise.resolve({ ...sent, ...parseBlocksAnswer(blocksAnswer(sent)) });
    },
  };
}
