import type { Node } from '../../chain/node.js';
import type { Hash } from '../../../monero/crypto/types.js';
import { parseTransaction, prunedTransaction } from '../../../monero/cryptonote/transaction.js';
import type { SectionReader } from '../../../monero/epee/portable-storage.js';
import type { TypedSection, WrittenSections } from '../../../monero/epee/storage-writer.js';
import { chunks, concatBytes, equalBytes } from '../../../util/bytes.js';
import { CodecError, encode } from '../../../util/codec.js';
import type { RegtestDaemon } from '../daemon.js';
import type { PoolTx } from '../../store/pool.js';
import type { ServedBlock } from '../../store/served-blocks.js';
import {
  accessedSection,
  bool,
  bytes,
  list,
  object,
  u64,
  u8,
  type BinaryEndpoint,
  type Context,
} from '../method.js';
import { visiblePool } from '../pool.js';
import type { EncodedPage, EncodingOptions } from './encoded-blocks.js';
import { encodeBlocks, encodeIndices, joinedSections, type EncodedSections } from './block-page.js';

/**
 * Largest number of blocks in a page. Source: cryptonote_config.h `COMMAND_RPC_GET_BLOCKS_FAST_…`, blockchain.cpp
 * `FIND_BLOCKCHAIN_SUPPLEMENT_MAX_SIZE`.
 */
const MAX_BLOCKS = 1000;
const MAX_TXS = 20_000;
const MAX_BYTES = 100 * 1024 * 1024;
const MIN_BLOCKS = 3;
/** Largest number of blocks in an answer by height. The reference has only the restricted limit. */
const MAX_BLOCKS_BY_HEIGHT = { restricted: 1000, open: 100_000 } as const;
/** Largest number of hashes in an answer. Source: cryptonote_config.h `BLOCKS_IDS_SYNCHRONIZING_DEFAULT_COUNT`. */
const MAX_HASHES = 10_000;
const MAX_POOL_BODIES = 10_000;
const MAX_POOL_BODIES_RESTRICTED = 100;

const NO_HASH = new Uint8Array(32);

/** Values of the request's field `requested_info`. */
const REQUESTED_INFO = { blocks: 0, blocksAndPool: 1, pool: 2 } as const;
/** Values of the answer's field `pool_info_extent`. */
const EXTENT = { none: 0, incremental: 1, full: 2 } as const;

const readHashes = (request: SectionReader): Hash[] => {
  const run = request.bytes('block_ids', new Uint8Array());
  if (run.length % 32 !== 0) throw new CodecError('block_ids: not a list of 32-byte hashes');
  return chunks(run, 32) as unknown as Hash[];
};

/**
 * Returns the height of the newest block that is in both the client's list and the main chain.
 * @param hashes short history of the client, newest first.
 * @returns undefined if the last hash is not the genesis block. Source: blockchain.cpp `find_blockchain_supplement`.
 */
function splitHeight({ store }: Node, hashes: readonly Hash[]): number | undefined {
  const last = hashes.at(-1);
  if (last === undefined || store.blocks.get(last)?.height !== 0) return undefined;
  for (const hash of hashes) {
    const block = store.blocks.get(hash);
    if (block !== undefined) return block.height;
  }
  return undefined;
}

function blocksPart(daemon: RegtestDaemon, request: SectionReader): TypedSection | undefined {
  const { node, encodedBlocks, faults } = daemon;
  const { tip } = node.chain;
  const prune = request.bool('prune');
  const noMinerTx = request.bool('no_miner_tx');
  const from = request.number('start_height', 0);
  const hashes = readHashes(request);
  const ends = { current_height: u64(tip.height + 1), top_block_hash: bytes(tip.hash) };
  const [newest] = hashes;
  if (from > tip.height || (newest !== undefined && equalBytes(newest, tip.hash)))
    return { ...ends, start_height: u64(0) };
  const split = from > 0 ? from : splitHeight(node, hashes);
  if (split === undefined) return undefined;
  const start = from === 0 && request.bool('block_ids_exclusive') ? split + 1 : split;
  const maxCount = request.number('max_block_count', 0);
  const most = maxCount === 0 ? MAX_BLOCKS : Math.min(maxCount, MAX_BLOCKS);
  const limits = { blocks: most, fewest: MIN_BLOCKS, transactions: MAX_TXS, bytes: MAX_BYTES };
  const page = faults.changesBlocks
    ? changedPage(daemon, start, most, { prune, noMinerTx })
    : encodedBlocks.page(start, limits, { prune, noMinerTx });
  return { ...ends, start_height: u64(start), blocks: page.blocks, output_indices: page.outputIndices };
}

/** Returns blocks as the injected faults have them. */
const toldBlocks = (
  { node, faults }: RegtestDaemon,
  start: number,
  most: number,
  prune: boolean,
): ServedBlock[] =>
  node.store.served
    .range(start, most, prune)
    .map((block, i) => faults.block(block, { height: start + i, prune }, node));

/** Encodes a page whose blocks the injected faults change. */
function changedPage(
  daemon: RegtestDaemon,
  start: number,
  most: number,
  { prune, noMinerTx }: EncodingOptions,
): EncodedPage {
  const sent = toldBlocks(daemon, start, most, prune);
  const sections = ({ bytes: of }: EncodedSections): WrittenSections => joinedSections(sent.length, [of]);
  return {
    blocks: sections(encodeBlocks(sent, prune)),
    outputIndices: sections(encodeIndices(sent, noMinerTx)),
  };
}

const poolEntry = (tx: PoolTx, prune: boolean) =>
  object({
    tx_hash: bytes(tx.hash),
    tx_blob: bytes(prune ? encode(prunedTransaction, parseTransaction(tx.blob)) : tx.blob),
    double_spend_seen: bool(tx.doubleSpendSeen),
  });

function poolPart(context: Context, request: SectionReader): TypedSection {
  const { restricted, daemon } = context;
  const { node } = daemon;
  const since = request.number('pool_info_since', 0);
  const removed = node.poolLog.removedSince(since);
  const visible = visiblePool(context);
  const added = removed === undefined ? visible : visible.filter(({ receiveTime }) => receiveTime >= since);
  const most = restricted ? MAX_POOL_BODIES_RESTRICTED : MAX_POOL_BODIES;
  const rest = added.slice(most).map(({ hash }) => hash);
  const run = (hashes: readonly Uint8Array[]) =>
    hashes.length === 0 ? undefined : bytes(concatBytes(...hashes));
  return {
    pool_info_extent: u8(removed === undefined ? EXTENT.full : EXTENT.incremental),
    added_pool_txs: list(added.slice(0, most).map((tx) => poolEntry(tx, request.bool('prune')))),
    remaining_added_pool_txids: run(rest),
    removed_pool_txids: removed === undefined ? undefined : run(removed),
  };
}

const EMPTY: TypedSection = {
  current_height: u64(0),
  start_height: u64(0),
  top_block_hash: bytes(NO_HASH),
};

export const blockEndpoints: readonly BinaryEndpoint[] = [
  {
    paths: ['/get_blocks.bin', '/getblocks.bin'],
    source: 'COMMAND_RPC_GET_BLOCKS_FAST, on_get_blocks',
    handle(context, request) {
      const { node } = context.daemon;
      const wanted = request.number('requested_info', REQUESTED_INFO.blocks);
      const time = { daemon_time: u64(node.chain.now()) };
      if (wanted > REQUESTED_INFO.pool)
        return accessedSection({ ...EMPTY, ...time }, 'Failed, wrong requested info');
      const blocks = wanted === REQUESTED_INFO.pool ? EMPTY : blocksPart(context.daemon, request);
      if (blocks === undefined) return accessedSection({ ...EMPTY, ...time }, 'Failed');
      const pool = wanted === REQUESTED_INFO.blocks ? {} : poolPart(context, request);
      return accessedSection({ ...blocks, ...time, ...pool });
    },
  },
  {
    paths: ['/get_blocks_by_height.bin', '/getblocks_by_height.bin'],
    source: 'COMMAND_RPC_GET_BLOCKS_BY_HEIGHT, on_get_blocks_by_height',
    handle({ daemon, restricted }, request) {
      const { node } = daemon;
      const heights = request.list('heights').map((height) => {
        if (typeof height !== 'bigint') throw new CodecError('heights: expected integers');
        return height;
      });
      if (heights.length > MAX_BLOCKS_BY_HEIGHT[restricted ? 'restricted' : 'open'])
        return accessedSection(
          {},
          restricted ? 'Too many blocks requested in restricted mode' : 'Too many blocks requested',
        );
      const { tip } = node.chain;
      const missing = heights.findIndex((height) => height < 0n || height > BigInt(tip.height));
      const read = missing === -1 ? heights : heights.slice(0, missing);
      const served = read.flatMap((height) => toldBlocks(daemon, Number(height), 1, false));
      const blocks = joinedSections(served.length, [encodeBlocks(served, false).bytes]);
      return missing === -1
        ? accessedSection({ blocks })
        : accessedSection({ blocks }, `Error retrieving block at height ${heights[missing] ?? 0n}`);
    },
  },
  {
    paths: ['/get_hashes.bin', '/gethashes.bin'],
    source: 'COMMAND_RPC_GET_HASHES_FAST, on_get_hashes',
    handle({ daemon: { node } }, request) {
      const start = splitHeight(node, readHashes(request));
      if (start === undefined)
        return accessedSection({ start_height: u64(0), current_height: u64(0) }, 'Failed');
      return accessedSection({
        m_block_ids: bytes(concatBytes(...node.store.blocks.hashes(start, MAX_HASHES))),
        start_height: u64(start),
        current_height: u64(node.chain.height),
      });
    },
  },
];
