/*
 * Parses blocks; computes their hashes and the hashes of their miner transactions. Source: cryptonote_format_utils.cpp,
 * crypto/tree-hash.c.
 */
import { keccak } from '../../../crypto/assembly/keccak';
import { MOST_TREE_LAYERS, TREE_FORK } from '../../../fork-rules';
import { treeWidth, UNLINKED_BLOCK } from '../../../format';
import { column } from './columns';
import { byte, close, number, open, position, skip } from './reading';
import { isCoinbase, parsePrefix, offsetOf } from './transaction';
import { hashWhole } from './transaction-hash';

/** For each block, its hash, its time [Unix seconds] and its version. */
export const BLOCK_HASHES = column();
export const BLOCK_TIMES = column();
export const BLOCK_VERSIONS = column();
/** For each transaction, its hash, and its start and end in the input. */
export const TX_HASHES = column();
export const TX_STARTS = column();
export const TX_ENDS = column();

/**
 * Leaves of the Merkle tree of the block; {@link hashTree} overwrites them with the hashes of each of its layers.
 */
const tree = column();
const blob = column();

/** Computed hash and accepted hash of the exceptional block, which the host writes: `cryptonote/block.ts` has them. */
export const EXCEPTIONAL_BLOCK = memory.data(64, 16);

const HASH = memory.data(32, 16);
/** Leaf that has the number of layers of the tree of outputs in its first byte. */
const LAYERS = memory.data(32, 16);

/** Computes the Merkle root in place of the first hash. In the first layer the leading hashes move up unpaired. */
function hashTree(): void {
  let hashes = tree.used >> 5;
  const at = tree.data;
  if (hashes > 2) {
    const width = usize(treeWidth(hashes));
    const unpaired = (width << 1) - hashes;
    for (let i = unpaired; i < width; i++) hashPair(at + (i << 5), at + (((i << 1) - unpaired) << 5));
    hashes = width;
  }
  for (; hashes > 1; hashes >>= 1)
    for (let i: usize = 0; i < hashes >> 1; i++) hashPair(at + (i << 5), at + (i << 6));
}

/** Writes the hash of 64 bytes at `pair` to `o`, which may overlap them. */
function hashPair(o: usize, pair: usize): void {
  keccak(HASH, pair, 64);
  memory.copy(o, HASH, 32);
}

function pushVarint(value: u64): void {
  for (; value > 0x7f; value >>= 7) blob.pushByte(u32(value & 0x7f) | 0x80);
  blob.pushByte(u32(value));
}

/** Parses a miner transaction; pushes its hash, start and end. */
function parseMinerTx(): void {
  const start = position();
  const version = parsePrefix();
  if (!isCoinbase()) throw new Error('a block without a miner transaction');
  const prefixEnd = position();
  if (version == 2 && byte() != 0) throw new Error('a signed miner transaction');
  const end = position();
  TX_HASHES.pushKey(hashWhole(start, prefixEnd, end, end, version));
  TX_STARTS.push(offsetOf(start));
  TX_ENDS.push(offsetOf(end));
}

/**
 * Computes the hash of a block and pushes it.
 * @param header address of the block header, of `headerBytes` bytes.
 * @param hashes address of the `count` hashes of its transactions, the miner transaction first.
 * @param outputTree address of the layers and the root of the tree of outputs; 0 if the block names none.
 */
function hashBlock(header: usize, headerBytes: usize, hashes: usize, count: u64, outputTree: usize): void {
  tree.clear();
  tree.pushKey(hashes);
  if (outputTree != 0) {
    store<u8>(LAYERS, load<u8>(outputTree));
    tree.pushKey(LAYERS);
    tree.pushKey(outputTree + 1);
  }
  for (let i: usize = 1; i < usize(count); i++) tree.pushKey(hashes + (i << 5));
  hashTree();
  blob.clear();
  let after = 1;
  for (let rest = count; rest > 0x7f; rest >>= 7) after++;
  pushVarint(headerBytes + 32 + after);
  for (let i: usize = 0; i < headerBytes; i++) blob.pushByte(load<u8>(header + i));
  blob.pushKey(tree.data);
  pushVarint(count);
  keccak(HASH, blob.data, i32(blob.used));
  const exceptional = memory.compare(HASH, EXCEPTIONAL_BLOCK, 32) == 0;
  BLOCK_HASHES.pushKey(exceptional ? EXCEPTIONAL_BLOCK + 32 : HASH);
}

/**
 * Parses a block with its miner transaction; pushes the hash of the miner transaction, then the hashes of the other
 * transactions that the block lists.
 * @returns the number of transactions, without the miner transaction.
 */
export function parseBlock(from: usize, to: usize): u32 {
  open(from, to);
  const version = number();
  BLOCK_VERSIONS.pushNumber(version);
  number();
  BLOCK_TIMES.pushNumber(number());
  const previous = skip(32);
  skip(4);
  const headerEnd = position();
  const above = BLOCK_HASHES.used;
  if (above > 0 && memory.compare(BLOCK_HASHES.data + above - 32, previous, 32) != 0)
    throw new Error(UNLINKED_BLOCK);
  const miner = TX_HASHES.used;
  parseMinerTx();
  const count = number();
  if (count > u64(to - from)) throw new Error('list: count exceeds the input');
  const hashes = skip(count << 5);
  const outputTree: usize = version < u64(TREE_FORK) ? 0 : skip(33);
  if (outputTree != 0 && u32(load<u8>(outputTree)) > u32(MOST_TREE_LAYERS))
    throw new Error('block: too many layers of the tree');
  close();
  for (let i: usize = 0; i < usize(count); i++) TX_HASHES.pushKey(hashes + (i << 5));
  hashBlock(from, headerEnd - from, TX_HASHES.data + miner, count + 1, outputTree);
  return u32(count);
}
