import { toHex, fromHex, isHex } from '../../util/bytes.js';
import type { Json } from '../../util/json.js';
import type { Node } from '../chain/node.js';
import { treeUpon } from '../rules/output-tree.js';
import { nextSeedHeight, seedHeight } from '../../monero/cryptonote/proof-of-work.js';
import {
  block as blockCodec,
  blockHash,
  blockHashingBlob,
  parseBlock,
} from '../../monero/cryptonote/block.js';
import { otherNetwork, parseAddress, formatAddress, standardOf } from '../../monero/cryptonote/address.js';
import { parseExtra, txPublicKeys } from '../../monero/cryptonote/extra.js';
import type { Address, Block } from '../../monero/cryptonote/types.js';
import type { Hash } from '../../monero/crypto/types.js';
import { height, listOf, none, params, text, u32, flag } from '../../http/methods/params.js';
import { CodecError, encode, sizeOf, varintNumber } from '../../util/codec.js';
import { Violation } from '../rules/tx-rules.js';
import type { Template } from '../chain/template.js';
import { refuse, defineMethod, type DaemonMethod, CODE } from './method.js';
import { replied, toHash, wide } from './shapes.js';
import { treeJson } from './tx-json.js';
import { availableParallelism } from 'node:os';
import { DIFFICULTY_TARGET_SECONDS } from '../../monero/cryptonote/constants.js';
import { RpcError } from '../../http/calls/errors.js';

/** Data for miners that build their own blocks. Source: blockchain.cpp `get_miner_data`. */
export async function minerData(node: Node): Promise<Readonly<Record<string, Json>>> {
  const { tip, measures, backlog } = await node.nextBlockContext();
  const height = tip.height + 1;
  const version = node.chain.forks.versionAt(height);
  const tree = treeUpon(tip.hash, version);
  return {
    major_version: version,
    height,
    prev_id: toHex(tip.hash),
    ...treeJson(tree),
    seed_hash: toHex(node.store.blocks.at(seedHeight(height))?.hash ?? new Uint8Array(32)),
    difficulty: `0x${node.chain.difficulty.toString(16)}`,
    median_weight: measures.penaltyMedian,
    already_generated_coins: measures.generated,
    tx_backlog: backlog.map(({ hash, weight, fee }) => ({ id: toHex(hash), weight, fee })),
  };
}

const MAX_RESERVE = 255;
/**
 * Number of bytes by which a block may exceed the weight limit. Source: cryptonote_core.cpp `BLOCK_SIZE_SANITY_LEEWAY`.
 */
const SIZE_LEEWAY = 100;
/** Largest number of blocks that one call generates. */
const MAX_GENERATED = 100_000;

/** Parses the address to which a block reward is paid. @throws RpcError */
export function minerAddress(given: string): Address {
  let address: Address;
  try {
    address = parseAddress(given, 'mainnet');
  } catch (error) {
    if (error instanceof CodecError)
      throw refuse('wrongAddress', otherNetwork(given, 'mainnet') ?? 'the wallet address cannot be read');
    throw error;
  }
  if (address.kind === 'subaddress') throw refuse('subaddress', 'a subaddress cannot be mined to');
  return address;
}

function prevBlock(name: string): Hash | undefined {
  if (name === '') return undefined;
  const hash = toHash(name);
  if (hash === undefined) throw refuse('internal', 'prev_block is not 64 hex digits');
  return hash;
}

async function makeTemplate(
  node: Node,
  address: Address,
  extraNonce: Uint8Array,
  prevHash: Hash | undefined,
): Promise<Template> {
  try {
    return await node.template({ address, extraNonce }, prevHash);
  } catch (error) {
    if (error instanceof Violation) throw refuse('internal', `no block template: ${error.message}`);
    throw error;
  }
}

/** Adds a block to the chain. @throws RpcError if the block is invalid. */
async function submit(node: Node, block: Block): Promise<void> {
  try {
    const { place } = await node.submitBlock(block);
    if (place !== 'refused') return;
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
  }
  throw refuse('notAccepted', 'Block not accepted');
}

/**
 * Returns the offset in the block blob of the bytes that a miner has reserved [bytes]. They follow the transaction
 * public key, the nonce tag and the length in the extra field.
 */
function reservedOffset(blob: Uint8Array, { minerTx }: Block, reserved: number): number {
  const [key] = txPublicKeys(parseExtra(minerTx.prefix.extra).fields);
  if (reserved === 0 || key === undefined) return 0;
  return Buffer.from(blob).indexOf(key) + key.length + 1 + sizeOf(varintNumber, reserved);
}

export const miningMethods: readonly DaemonMethod[] = [
  defineMethod({
    name: 'get_block_template',
    aliases: ['getblocktemplate'],
    summary: 'Block template.',
    meta: {},
    params: params({
      wallet_address: text.default(''),
      reserve_size: height.default(0),
      extra_nonce: text.default(''),
      prev_block: text.default(''),
    }),
    source: 'COMMAND_RPC_GETBLOCKTEMPLATE, on_getblocktemplate',
    async handle({ daemon: { node } }, { wallet_address, reserve_size, extra_nonce, prev_block }) {
      if (reserve_size > MAX_RESERVE) throw refuse('tooBigReserve', `reserve_size is at most ${MAX_RESERVE}`);
      if (reserve_size > 0 && extra_nonce !== '')
        throw refuse('wrongParam', 'give reserve_size or extra_nonce, not both');
      if (extra_nonce.length > 2 * MAX_RESERVE)
        throw refuse('tooBigReserve', `extra_nonce has at most ${2 * MAX_RESERVE} hex digits`);
      const address = minerAddress(wallet_address);
      if (!isHex(extra_nonce)) throw refuse('wrongParam', 'extra_nonce is not hex');
      const nonce = extra_nonce === '' ? new Uint8Array(reserve_size) : fromHex(extra_nonce);
      const template = await makeTemplate(node, address, nonce, prevBlock(prev_block));
      const { block, height: at } = template;
      const blob = encode(blockCodec, block);
      const seedAt = (of: number): string => toHex(node.store.blocks.at(of)?.hash ?? new Uint8Array(32));
      const [seed, next] = [seedAt(seedHeight(at)), seedAt(nextSeedHeight(at))];
      return replied({
        ...wide('difficulty', template.difficulty),
        height: at,
        reserved_offset: reservedOffset(blob, block, nonce.length),
        expected_reward: template.expectedReward,
        cumulative_weight: template.weight,
        prev_hash: toHex(block.header.prevHash),
        seed_height: seedHeight(at),
        seed_hash: seed,
        next_seed_hash: next === seed ? '' : next,
        blocktemplate_blob: toHex(blob),
        blockhashing_blob: toHex(blockHashingBlob(block)),
      });
    },
  }),

  defineMethod({
    name: 'submit_block',
    aliases: ['submitblock'],
    summary: 'Submits a mined block.',
    meta: { positional: true },
    params: params({ list: listOf(text) }),
    source: 'COMMAND_RPC_SUBMITBLOCK, on_submitblock',
    async handle({ daemon: { node } }, { list }) {
      const [hex] = list;
      if (hex === undefined || list.length !== 1) throw refuse('wrongParam', 'one block is expected');
      const blob = isHex(hex) ? fromHex(hex) : new Uint8Array();
      const block = readBlock(blob);
      assertBlockSize(node, blob);
      await submit(node, block);
      return replied({ block_id: toHex(blockHash(block)) });
    },
  }),

  defineMethod({
    name: 'generateblocks',
    summary: 'Mines blocks immediately.',
    meta: { unrestricted: true },
    params: params({
      amount_of_blocks: height.default(0),
      wallet_address: text.default(''),
      prev_block: text.default(''),
      starting_nonce: u32.default(0),
    }),
    source: 'COMMAND_RPC_GENERATEBLOCKS, on_generateblocks',
    async handle({ daemon: { node } }, { amount_of_blocks, wallet_address, prev_block, starting_nonce }) {
      if (amount_of_blocks > MAX_GENERATED)
        throw refuse('wrongParam', `at most ${MAX_GENERATED} blocks are made at once`);
      const blocks: string[] = [];
      let at = node.chain.height;
      let prevHash = prevBlock(prev_block);
      // If no blocks are requested, the address is not checked.
      if (amount_of_blocks === 0) return replied({ height: at, blocks });
      const address = minerAddress(wallet_address);
      while (blocks.length < amount_of_blocks) {
        const template = await makeTemplate(node, address, new Uint8Array(1), prevHash);
        const header = { ...template.block.header, nonce: starting_nonce };
        const block = { ...template.block, header };
        await submit(node, block);
        prevHash = blockHash(block);
        at = template.height;
        blocks.push(toHex(prevHash));
      }
      return replied({ height: at, blocks });
    },
  }),

  defineMethod({
    name: 'get_miner_data',
    summary: 'Data for miners that build their own blocks.',
    meta: {},
    params: none,
    source: 'COMMAND_RPC_GETMINERDATA, on_getminerdata',
    handle: async ({ daemon: { node } }) => replied(await minerData(node)),
  }),
];

/** Checks the size of a block blob. @throws RpcError Source: cryptonote_core.cpp `check_incoming_block_size`. */
export function assertBlockSize({ chain }: Node, blob: Uint8Array): void {
  if (blob.length > 2 * chain.measures.penaltyMedian + SIZE_LEEWAY)
    throw refuse('wrongBlobSize', 'the block is longer than its weight may be');
}

/** Parses a block. @throws RpcError if the block is malformed. */
export function readBlock(blob: Uint8Array): Block {
  try {
    return parseBlock(blob);
  } catch (error) {
    if (error instanceof CodecError || error instanceof RangeError)
      throw refuse('wrongBlob', 'the block cannot be read');
    throw error;
  }
}

const THREADS_PER_CORE = 4;
const IDLE = {
  speed: 0,
  threads_count: 0,
  address: '',
  block_reward: 0n,
};

function readAddress(given: string): Address | string {
  try {
    return minerAddress(given);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return error.code === CODE.subaddress
      ? "Mining to subaddress isn't supported yet"
      : 'Failed, wrong address';
  }
}

export const miningPaths: readonly DaemonMethod[] = [
  defineMethod({
    name: '/start_mining',
    summary: 'Starts mining to an address, one block per interval.',
    meta: { unrestricted: true },
    params: params({
      miner_address: text.default(''),
      threads_count: height.default(0),
      do_background_mining: flag.default(false),
      ignore_battery: flag.default(false),
    }),
    source: 'COMMAND_RPC_START_MINING, on_start_mining',
    handle({ daemon: { miner } }, { miner_address, threads_count }) {
      const address = readAddress(miner_address);
      if (typeof address === 'string') return replied({}, address);
      if (threads_count > THREADS_PER_CORE * availableParallelism())
        return replied({}, 'Failed, too many threads relative to CPU cores.');
      const started = miner.start({ address, threads: Math.max(1, threads_count) });
      return replied({}, started ? 'OK' : 'Already mining');
    },
  }),

  defineMethod({
    name: '/stop_mining',
    summary: 'Stops mining.',
    meta: { unrestricted: true },
    params: none,
    source: 'COMMAND_RPC_STOP_MINING, on_stop_mining',
    handle: ({ daemon: { miner } }) => replied({}, miner.stop() ? 'OK' : 'Mining never started'),
  }),

  defineMethod({
    name: '/mining_status',
    summary: 'Status of the miner.',
    meta: { unrestricted: true },
    params: none,
    source: 'COMMAND_RPC_MINING_STATUS, on_mining_status',
    handle({ daemon: { miner, node } }) {
      const { job } = miner;
      const busy = job && {
        speed: miner.speed,
        threads_count: job.threads,
        address: formatAddress(standardOf(job.address)),
        block_reward: node.chain.measures.baseReward,
      };
      return replied({
        active: job !== undefined,
        ...(busy ?? IDLE),
        pow_algorithm: 'RandomX',
        is_background_mining_enabled: false,
        bg_idle_threshold: 0,
        bg_min_idle_seconds: 0,
        bg_ignore_battery: false,
        bg_target: 0,
        block_target: DIFFICULTY_TARGET_SECONDS,
        ...wide('difficulty', node.chain.difficulty),
      });
    },
  }),

  defineMethod({
    name: '/set_log_hash_rate',
    summary: 'Logs the hash rate or not; without effect here.',
    meta: { unrestricted: true },
    params: params({ visible: flag.default(false) }),
    source: 'COMMAND_RPC_SET_LOG_HASH_RATE, on_set_log_hash_rate',
    handle: ({ daemon: { miner } }) => replied({}, miner.job === undefined ? 'NOT MINING' : 'OK'),
  }),
];
