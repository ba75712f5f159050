import type { Hash } from '../monero/crypto/types.js';
import type { TypedSection } from '../monero/epee/storage-writer.js';
import { chunks, concatBytes, fromHex } from '../util/bytes.js';
import { CodecError } from '../util/codec.js';
import type {
  BlocksRequest,
  CallOptions,
  ChainHashes,
  DaemonBlock,
  DaemonBlockHeader,
  DaemonBlocks,
  DaemonInfo,
  FeeEstimate,
  HardForkInfo,
  ScheduledFork,
} from './daemon.js';
import { LIMIT, type DaemonCalls } from './daemon-calls.js';
import { DaemonError, unreadError } from './errors.js';
import { type JsonReader, blobOf, hashOf } from './wire-values.js';
import { parseBlocksAnswer, type PageRules } from '../monero/wallet/scan/block-page.js';

/** Fetches the state of the daemon and of its chain. @throws DaemonError */
export async function getInfo(calls: DaemonCalls, options: CallOptions = {}): Promise<DaemonInfo> {
  return calls.rpc('get_info', undefined, options, (r) => ({
    height: r.number('height'),
    targetHeight: r.number('target_height'),
    topBlockHash: r.hash('top_block_hash'),
    network: r.text('nettype', 'mainnet'),
    synchronized: r.bool('synchronized', true),
    blockWeightLimit: r.number('block_weight_limit', r.number('block_size_limit', 0)),
    ...toldBy(r),
  }));
}

/**
 * Reads the facts that a restricted daemon does not tell: it has an empty version, and no connections. Source:
 * core_rpc_server.cpp `on_get_info`.
 */
function toldBy(r: JsonReader): Pick<DaemonInfo, 'software' | 'peers'> {
  const software = r.text('version', '');
  if (software === '') return {};
  const peers = {
    outgoing: r.number('outgoing_connections_count', 0),
    incoming: r.number('incoming_connections_count', 0),
  };
  return { software: software.slice(0, MAX_SOFTWARE), peers };
}

/** Longest version of a program that is kept [characters]. */
const MAX_SOFTWARE = 64;

/** Largest number of forks that are kept: the chain has had 16 so far. */
const MAX_FORKS = 64;

export async function getForks(calls: DaemonCalls, options: CallOptions = {}): Promise<ScheduledFork[]> {
  return calls.rpc('get_version', undefined, options, (r) =>
    r.has('hard_forks')
      ? r
          .objects('hard_forks')
          .slice(-MAX_FORKS)
          .map((fork) => ({ height: fork.number('height'), version: fork.number('hf_version') }))
      : [],
  );
}

export async function getVersion(calls: DaemonCalls): Promise<number> {
  return calls.rpc('get_version', undefined, {}, (r) => r.number('version'));
}

export async function hardForkInfo(calls: DaemonCalls, version = 0): Promise<HardForkInfo> {
  return calls.rpc('hard_fork_info', { version }, {}, (r) => {
    const earliest = r.uint('earliest_height');
    return {
      version: r.number('version'),
      enabled: r.bool('enabled'),
      // Source: hardfork.cpp `get_earliest_ideal_height_for_version`, the largest integer for an unknown fork.
      ...(earliest > BigInt(Number.MAX_SAFE_INTEGER) ? {} : { earliestHeight: Number(earliest) }),
    };
  });
}

export async function getFeeEstimate(calls: DaemonCalls): Promise<FeeEstimate> {
  return calls.rpc('get_fee_estimate', undefined, {}, (r) => {
    const fees = r.list('fees').map((fee) => r.asUint(fee, 'fees'));
    return {
      perByte: fees.length >= 4 ? fees : [1n, 4n, 20n, 166n].map((multiplier) => r.uint('fee') * multiplier),
      quantizationMask: r.uint('quantization_mask', 1n) || 1n,
    };
  });
}

/**
 * Fetches a page of blocks. @param rules a page that must be complete is requested with whole transactions.
 * @throws DaemonError
 */
export async function getBlocks(
  calls: DaemonCalls,
  { shortHistory, startHeight, maxBlocks, ...options }: BlocksRequest,
  rules: PageRules,
): Promise<DaemonBlocks> {
  const request: TypedSection = {
    block_ids: blobOf(concatBytes(...(shortHistory ?? []))),
    start_height: { type: 'u64', value: BigInt(startHeight ?? 0) },
    prune: { type: 'bool', value: !rules.complete },
    no_miner_tx: { type: 'bool', value: false },
    ...(maxBlocks === undefined ? {} : { max_block_count: { type: 'u64', value: BigInt(maxBlocks) } }),
  };
  const answer = await calls.binaryBytes(
    '/getblocks.bin',
    request,
    { ...options, limit: LIMIT.blocks },
    (bytes) => parseBlocksAnswer(bytes, rules),
    ({ startHeight: start = 0, blocks, unread }) => unread && unreadError(start + blocks.length, unread),
  );
  const { blocks, unread, txs, bytes, startHeight: start, currentHeight } = answer;
  return {
    startHeight: start ?? absent('start_height'),
    currentHeight: currentHeight ?? absent('current_height'),
    blocks,
    ...(unread === undefined ? {} : { unread }),
    txs,
    bytes,
  };
}

function absent(name: string): never {
  throw new DaemonError('malformed', `the daemon's answer to /getblocks.bin lacks ${name}`);
}

export async function getHashes(
  calls: DaemonCalls,
  shortHistory: readonly Hash[],
  { signal }: CallOptions = {},
): Promise<ChainHashes> {
  const request: TypedSection = {
    block_ids: blobOf(concatBytes(...shortHistory)),
    start_height: { type: 'u64', value: 0n },
  };
  return calls.binary('/gethashes.bin', request, { limit: LIMIT.blocks, signal }, (r) => ({
    startHeight: r.number('start_height'),
    currentHeight: r.number('current_height'),
    hashes: chunks(r.bytes('m_block_ids', new Uint8Array()), 32).map(hashOf),
  }));
}

export async function getBlockHeader(
  calls: DaemonCalls,
  height: number,
  options: CallOptions = {},
): Promise<DaemonBlockHeader> {
  return calls.rpc('get_block_header_by_height', { height }, options, (r) =>
    toHeader(r.object('block_header')),
  );
}

export async function getLastBlockHeader(
  calls: DaemonCalls,
  options: CallOptions = {},
): Promise<DaemonBlockHeader> {
  return calls.rpc('get_last_block_header', undefined, options, (r) => toHeader(r.object('block_header')));
}

export async function getBlockHeaders(
  calls: DaemonCalls,
  start: number,
  count: number,
): Promise<readonly DaemonBlockHeader[]> {
  const range = { start_height: start, end_height: start + count - 1 };
  return calls.rpc('get_block_headers_range', range, {}, (r) => {
    const headers = r.objects('headers').map(toHeader);
    if (headers.length !== count || headers.some(({ height }, i) => height !== start + i))
      throw new CodecError('other blocks than requested');
    return headers;
  });
}

export async function getBlock(
  calls: DaemonCalls,
  height: number,
  options: CallOptions = {},
): Promise<DaemonBlock> {
  return calls.rpc('get_block', { height }, options, (r) => {
    const header = r.object('block_header');
    return {
      blob: fromHex(r.text('blob')),
      hash: header.hash('hash'),
      cumulativeDifficulty: wideOf(header.text('wide_cumulative_difficulty')),
    };
  });
}

/** Parses an integer of 128 bits, as the reference writes it: `0x` and hex digits. @throws CodecError */
function wideOf(text: string): bigint {
  if (!/^0x[0-9a-f]{1,32}$/.test(text)) throw new CodecError('expected an integer of 128 bits');
  return BigInt(text);
}

const toHeader = (r: JsonReader): DaemonBlockHeader => ({
  height: r.number('height'),
  hash: r.hash('hash'),
  timestamp: r.number('timestamp'),
  reward: r.uint('reward'),
  weight: r.number('block_weight', r.number('block_size', 0)),
});
