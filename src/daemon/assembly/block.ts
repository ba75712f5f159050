/* Names blocks and their miner transactions. Source: cryptonote_format_utils.cpp, crypto/tree-hash.c. */
import { keccak } from '../../crypto/assembly/keccak';
import { column } from './columns';
import { byte, close, number, open, pass, position } from './reading';
import { isReward, outlinePrefix, place } from './transaction';

/** One a block: name, time in Unix seconds, version. */
export const BLOCK_HASHES = column();
export const BLOCK_TIMES = column();
export const BLOCK_VERSIONS = column();
/** One a transaction: name, where it begins and ends. */
export const TX_HASHES = column();
export const TX_STARTS = column();
export const TX_ENDS = column();

/** Hashes in a row: of the block's transactions, and of the layers of their tree. */
const tree = column();
const blob = column();

/** A block of mainnet whose name does not follow from its content, a flaw of the tree hash at the time: what follows, and the name. */
const ODD_BLOCK = memory.data<u8>([
  0x42, 0x6d, 0x16, 0xcf, 0xf0, 0x4c, 0x71, 0xf8, 0xb1, 0x63, 0x40, 0xb7, 0x22, 0xdc, 0x40, 0x10,
  0xa2, 0xdd, 0x38, 0x31, 0xc2, 0x20, 0x41, 0x43, 0x1f, 0x77, 0x25, 0x47, 0xba, 0x6e, 0x33, 0x1a,
  0xbb, 0xd6, 0x04, 0xd2, 0xba, 0x11, 0xba, 0x27, 0x93, 0x5e, 0x00, 0x6e, 0xd3, 0x9c, 0x9b, 0xfd,
  0xd9, 0x9b, 0x76, 0xbf, 0x4a, 0x50, 0x65, 0x4b, 0xc1, 0xe1, 0xe6, 0x12, 0x17, 0x96, 0x26, 0x98,
]);

const HASH = memory.data(32, 16);
/** What a miner transaction's name is made of: the prefix, the signature of type 0, nothing. */
const PARTS = memory.data(96, 16);
const NO_SIGNATURE = memory.data<u8>([0]);

/** Writes the root over the tree. Below the largest power of two the leading hashes move up as they are. */
function hashTree(): void {
  let hashes = tree.used >> 5;
  const at = tree.data;
  if (hashes > 2) {
    let width: usize = 1;
    while (width << 1 < hashes) width <<= 1;
    const kept = (width << 1) - hashes;
    for (let i = kept; i < width; i++) hashPair(at + (i << 5), at + (((i << 1) - kept) << 5));
    hashes = width;
  }
  for (; hashes > 1; hashes >>= 1)
    for (let i: usize = 0; i < hashes >> 1; i++) hashPair(at + (i << 5), at + (i << 6));
}

/** The hash may take the place of one of the pair. */
function hashPair(o: usize, pair: usize): void {
  keccak(HASH, pair, 64);
  memory.copy(o, HASH, 32);
}

function pushVarint(value: u64): void {
  for (; value > 0x7f; value >>= 7) blob.pushByte(u32(value & 0x7f) | 0x80);
  blob.pushByte(u32(value));
}

/** The miner transaction: named, and its place kept. */
function outlineMinerTx(): void {
  const start = position();
  const version = outlinePrefix();
  if (!isReward()) throw new Error('a block without a miner transaction');
  const prefix = i32(position() - start);
  if (version == 1) {
    keccak(HASH, start, prefix);
  } else {
    if (byte() != 0) throw new Error('a signed miner transaction');
    keccak(PARTS, start, prefix);
    keccak(PARTS + 32, NO_SIGNATURE, 1);
    memory.fill(PARTS + 64, 0, 32);
    keccak(HASH, PARTS, 96);
  }
  TX_HASHES.pushKey(HASH);
  TX_STARTS.push(place(start));
  TX_ENDS.push(place(position()));
}

/** Pushes the name of a block. @param header its bytes. @param hashes of its transactions, the miner's first. */
function nameBlock(header: usize, headerBytes: usize, hashes: usize, count: u64): void {
  tree.clear();
  for (let i: usize = 0; i < usize(count); i++) tree.pushKey(hashes + (i << 5));
  hashTree();
  blob.clear();
  let after = 1;
  for (let rest = count; rest > 0x7f; rest >>= 7) after++;
  pushVarint(headerBytes + 32 + after);
  for (let i: usize = 0; i < headerBytes; i++) blob.pushByte(load<u8>(header + i));
  blob.pushKey(tree.data);
  pushVarint(count);
  keccak(HASH, blob.data, i32(blob.used));
  const odd = memory.compare(HASH, ODD_BLOCK, 32) == 0;
  BLOCK_HASHES.pushKey(odd ? ODD_BLOCK + 32 : HASH);
}

/**
 * Reads a block whose transactions stand beside it; their names go behind that of its miner transaction.
 * @returns how many it names.
 */
export function outlineBlock(from: usize, to: usize): u32 {
  open(from, to);
  BLOCK_VERSIONS.pushNumber(number());
  number();
  BLOCK_TIMES.pushNumber(number());
  const previous = pass(32);
  pass(4);
  const headerEnd = position();
  const above = BLOCK_HASHES.used;
  if (above > 0 && memory.compare(BLOCK_HASHES.data + above - 32, previous, 32) != 0)
    throw new Error('blocks do not chain up');
  const miner = TX_HASHES.used;
  outlineMinerTx();
  const count = number();
  if (count > u64(to - from)) throw new Error('list: count exceeds the input');
  const hashes = pass(count << 5);
  close();
  for (let i: usize = 0; i < usize(count); i++) TX_HASHES.pushKey(hashes + (i << 5));
  nameBlock(from, headerEnd - from, TX_HASHES.data + miner, count + 1);
  return u32(count);
}
