import type { Hash } from '../../monero/crypto/types.js';
import { transactionHash } from '../../monero/cryptonote/transaction.js';
import type { Block } from '../../monero/cryptonote/types.js';
import { U64_MAX } from '../../util/amount.js';
import { fromHex, isHex, toHex, toLatin1 } from '../../util/bytes.js';
import type { Json } from '../../util/json.js';
import type { Node } from '../chain/node.js';

type Fields = Readonly<Record<string, Json | undefined>>;

/** Returns a reply with its status. */
export const replied = <F extends Fields>(fields: F, status = 'OK') => ({
  ...fields,
  status,
  untrusted: false,
});

/** Returns a reply with its status and the fields of the former RPC payment scheme. */
export const accessed = <F extends Fields>(fields: F, status = 'OK') => ({
  ...replied(fields, status),
  credits: 0,
  top_hash: '',
});

/** Returns a 128-bit number as the three fields that the reference sends. Source: core_rpc_server.cpp `store_128`. */
export const wide = <N extends string>(name: N, value: bigint): Readonly<Record<string, Json>> => ({
  [name]: value & U64_MAX,
  [`wide_${name}`]: `0x${value.toString(16)}`,
  [`${name}_top64`]: value >> 64n,
});

/** Parses a hash of 64 hex digits in lower or upper case; undefined for any other text. */
export const toHash = (text: string): Hash | undefined =>
  text.length === 64 && isHex(text) ? (fromHex(text) as Hash) : undefined;

/** Returns bytes as a JSON string with one character per byte, as the reference sends them. */
export const rawText = toLatin1;

/**
 * Returns a block header as JSON. The header of an alternative block has the weights and difficulties of the main
 * chain's block at its height. Source: core_rpc_server.cpp `fill_block_header_response`.
 */
export function headerShape(node: Node, block: Block, hash: Hash, height: number, orphan: boolean) {
  const stored = node.store.blocks.at(height);
  const { header, minerTx, txHashes } = block;
  return {
    major_version: header.majorVersion,
    minor_version: header.minorVersion,
    timestamp: header.timestamp,
    prev_hash: toHex(header.prevHash),
    nonce: header.nonce,
    orphan_status: orphan,
    height,
    depth: node.chain.tip.height - height,
    hash: toHex(hash),
    ...wide('difficulty', stored?.difficulty ?? 0n),
    ...wide('cumulative_difficulty', stored?.cumulativeDifficulty ?? 0n),
    reward: minerTx.prefix.outputs.reduce((total, { amount }) => total + amount, 0n),
    block_size: stored?.weight ?? 0,
    block_weight: stored?.weight ?? 0,
    num_txes: txHashes.length,
    // This daemon computes no proof of work.
    pow_hash: '',
    long_term_weight: stored?.longTermWeight ?? 0,
    miner_tx_hash: toHex(transactionHash(minerTx)),
  };
}

/** Header that is sent if the request contains no hash. */
export const EMPTY_HEADER: Fields = {
  major_version: 0,
  minor_version: 0,
  timestamp: 0,
  prev_hash: '',
  nonce: 0,
  orphan_status: false,
  height: 0,
  depth: 0,
  hash: '',
  ...wide('difficulty', 0n),
  ...wide('cumulative_difficulty', 0n),
  wide_difficulty: '',
  wide_cumulative_difficulty: '',
  reward: 0,
  block_size: 0,
  num_txes: 0,
  pow_hash: '',
  miner_tx_hash: '',
};
