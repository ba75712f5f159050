import type { Hash } from '../../monero/crypto/types.js';
import { parseBlock } from '../../monero/cryptonote/block.js';
import { flag, height, listOf, none, params, text } from '../../http/methods/params.js';
import { toHex } from '../../util/bytes.js';
import type { Node } from '../chain/node.js';
import { refuse, defineMethod, type DaemonMethod } from './method.js';
import { accessed, EMPTY_HEADER, headerShape, replied, toHash, wide } from './shapes.js';
import { blockText } from './tx-json.js';

/** Largest number of headers in an answer at a restricted port. */
const MAX_RESTRICTED_HEADERS = 1000;

/** A block of the main chain or of an alternative chain, with its height and hash. */
interface Found {
  readonly blob: Uint8Array;
  readonly hash: Hash;
  readonly height: number;
  readonly orphan: boolean;
}

function findBlock({ store }: Node, name: string): Found {
  const hash = toHash(name);
  if (hash === undefined) throw refuse('wrongParam', 'the block hash is not 64 hex digits');
  const main = store.blocks.get(hash);
  if (main !== undefined) return { ...main, orphan: false };
  const alternative = store.alternatives.get(hash);
  if (alternative === undefined) throw refuse('internal', 'there is no block of this hash');
  return { ...alternative, orphan: true };
}

function blockAt({ store, chain }: Node, at: number): Found {
  const block = store.blocks.at(at);
  if (block === undefined)
    throw refuse('tooBigHeight', `height ${at} lies above the top block, ${chain.tip.height}`);
  return { ...block, orphan: false };
}

const headerOf = (node: Node, { blob, hash, height: at, orphan }: Found) =>
  headerShape(node, parseBlock(blob), hash, at, orphan);

export const blockMethods: readonly DaemonMethod[] = [
  defineMethod({
    name: 'get_block_count',
    aliases: ['getblockcount'],
    summary: 'Number of blocks.',
    meta: {},
    params: none,
    source: 'COMMAND_RPC_GETBLOCKCOUNT, on_getblockcount',
    handle: ({ daemon }) => replied({ count: daemon.node.chain.height }),
  }),

  defineMethod({
    name: 'on_get_block_hash',
    aliases: ['on_getblockhash'],
    summary: 'Hash of the block at a height.',
    meta: { positional: true, bare: 'hash' },
    params: params({ list: listOf(height) }),
    source: 'COMMAND_RPC_GETBLOCKHASH, on_getblockhash',
    handle({ daemon }, { list }) {
      const [at] = list;
      if (at === undefined || list.length !== 1) throw refuse('wrongParam', 'one height is expected');
      return { hash: toHex(blockAt(daemon.node, at).hash) };
    },
  }),

  defineMethod({
    name: 'get_last_block_header',
    aliases: ['getlastblockheader'],
    summary: 'Header of the top block.',
    meta: {},
    params: none,
    source: 'COMMAND_RPC_GET_LAST_BLOCK_HEADER, on_get_last_block_header',
    handle: ({ daemon: { node } }) =>
      accessed({ block_header: headerOf(node, { ...node.chain.tip, orphan: false }) }),
  }),

  defineMethod({
    name: 'get_block_header_by_hash',
    aliases: ['getblockheaderbyhash'],
    summary: 'Headers of blocks by hash, alternative ones too.',
    meta: {},
    params: params({ hash: text.default(''), hashes: listOf(text) }),
    source: 'COMMAND_RPC_GET_BLOCK_HEADER_BY_HASH, on_get_block_header_by_hash',
    handle({ daemon: { node }, restricted }, { hash, hashes }) {
      if (restricted && hashes.length > MAX_RESTRICTED_HEADERS)
        throw refuse('restricted', 'too many block headers for a restricted server');
      return accessed({
        block_header: hash === '' ? EMPTY_HEADER : headerOf(node, findBlock(node, hash)),
        block_headers: hashes.map((name) => headerOf(node, findBlock(node, name))),
      });
    },
  }),

  defineMethod({
    name: 'get_block_header_by_height',
    aliases: ['getblockheaderbyheight'],
    summary: 'Header of the block at a height.',
    meta: {},
    params: params({ height: height.default(0) }),
    source: 'COMMAND_RPC_GET_BLOCK_HEADER_BY_HEIGHT, on_get_block_header_by_height',
    handle: ({ daemon: { node } }, { height: at }) =>
      accessed({ block_header: headerOf(node, blockAt(node, at)) }),
  }),

  defineMethod({
    name: 'get_block_headers_range',
    aliases: ['getblockheadersrange'],
    summary: 'Headers of the blocks from one height to another, both included.',
    meta: {},
    params: params({ start_height: height.default(0), end_height: height.default(0) }),
    source: 'COMMAND_RPC_GET_BLOCK_HEADERS_RANGE, on_get_block_headers_range',
    handle({ daemon: { node }, restricted }, { start_height, end_height }) {
      if (start_height > end_height || end_height > node.chain.tip.height)
        throw refuse('tooBigHeight', 'the heights are reversed or beyond the top block');
      if (restricted && end_height - start_height > MAX_RESTRICTED_HEADERS)
        throw refuse('restricted', 'too many block headers for a restricted server');
      const blocks = node.store.blocks.range(start_height, end_height - start_height + 1);
      return accessed({ headers: blocks.map((block) => headerOf(node, { ...block, orphan: false })) });
    },
  }),

  defineMethod({
    name: 'get_block',
    aliases: ['getblock'],
    summary: 'A block by hash or, without one, by height.',
    meta: {},
    params: params({ hash: text.default(''), height: height.default(0), fill_pow_hash: flag.default(false) }),
    source: 'COMMAND_RPC_GET_BLOCK, on_get_block',
    handle({ daemon: { node } }, { hash, height: at }) {
      const found = hash === '' ? blockAt(node, at) : findBlock(node, hash);
      const block = parseBlock(found.blob);
      const header = headerOf(node, found);
      return accessed({
        block_header: header,
        miner_tx_hash: header.miner_tx_hash,
        tx_hashes: block.txHashes.map(toHex),
        blob: toHex(found.blob),
        json: blockText(block),
      });
    },
  }),

  defineMethod({
    name: 'get_alternate_chains',
    summary: 'Alternative chains.',
    meta: { unrestricted: true },
    params: none,
    source: 'COMMAND_RPC_GET_ALTERNATE_CHAINS, on_get_alternate_chains',
    handle({ daemon: { node } }) {
      const all = node.store.alternatives.all();
      const parents = new Set(all.map(({ prevHash }) => toHex(prevHash)));
      const chains = all
        .filter(({ hash }) => !parents.has(toHex(hash)))
        .map(({ hash, height: at, cumulativeDifficulty }) => {
          const branch = node.tree.branchTo(hash);
          const names = (branch?.blocks ?? []).map((block) => toHex(block.hash)).reverse();
          const parent = branch && node.store.blocks.at(branch.parentHeight);
          return {
            block_hash: toHex(hash),
            height: at,
            length: names.length,
            ...wide('difficulty', cumulativeDifficulty),
            block_hashes: names,
            main_chain_parent_block: parent === undefined ? '' : toHex(parent.hash),
          };
        });
      return replied({ chains });
    },
  }),

  defineMethod({
    name: 'get_coinbase_tx_sum',
    summary: 'Emission and fees of a range of blocks.',
    meta: { unrestricted: true },
    params: params({ height: height.default(0), count: height.default(0) }),
    source: 'COMMAND_RPC_GET_COINBASE_TX_SUM, on_get_coinbase_tx_sum',
    handle({ daemon: { node } }, { height: start, count }) {
      const fits = start < node.chain.height && count <= node.chain.height - start;
      const before = start === 0 ? 0n : (node.store.blocks.at(start - 1)?.generated ?? 0n);
      const after = count === 0 ? before : (node.store.blocks.at(start + count - 1)?.generated ?? 0n);
      const fees = fits ? node.store.transactions.feesBetween(start, start + count - 1) : 0n;
      return accessed(
        { ...wide('emission_amount', fits ? after - before : 0n), ...wide('fee_amount', fees) },
        fits ? 'OK' : 'requested range exceeds blockchain height',
      );
    },
  }),
];
