import { keccak } from '../crypto/keccak.js';
import type { Hash } from '../crypto/types.js';
import { decode, encode, list, role, u32, varintNumber, type Codec } from '../../util/codec.js';
import { transaction, transactionHash } from './transaction.js';
import type { Block, BlockHeader } from './types.js';
import { bytes32, concatBytes, equalBytes, fromHex } from '../../util/bytes.js';
import { treeWidth } from '../format.js';

const hash = role<Hash>(32);

/** Codec of a block header. Source: cryptonote_basic.h `block_header`. */
const blockHeader: Codec<BlockHeader> = {
  write(header, w) {
    varintNumber.write(header.majorVersion, w);
    varintNumber.write(header.minorVersion, w);
    varintNumber.write(header.timestamp, w);
    hash.write(header.prevHash, w);
    u32.write(header.nonce, w);
  },
  read: (r) => ({
    majorVersion: varintNumber.read(r),
    minorVersion: varintNumber.read(r),
    timestamp: varintNumber.read(r),
    prevHash: hash.read(r),
    nonce: u32.read(r),
  }),
};

/** Codec of a block. Source: cryptonote_basic.h `block`. */
export const block: Codec<Block> = {
  write(value, w) {
    blockHeader.write(value.header, w);
    transaction.write(value.minerTx, w);
    list(hash).write(value.txHashes, w);
  },
  read: (r) => ({ header: blockHeader.read(r), minerTx: transaction.read(r), txHashes: list(hash).read(r) }),
};

/**
 * Parses a block. @throws CodecError, RangeError for bytes that are not a block.
 * @example
 * parseBlock(encoded).header.majorVersion; // => 16
 */
export const parseBlock = (bytes: Uint8Array): Block => decode(block, bytes);

/**
 * Returns the input of the proof of work: block header, Merkle root of the transaction hashes, and number of
 * transactions.
 * @example
 * blockHashingBlob(block).length; // => 76
 */
export function blockHashingBlob({ header, minerTx, txHashes }: Block): Uint8Array {
  const hashes = [transactionHash(minerTx), ...txHashes];
  return concatBytes(encode(blockHeader, header), treeHash(hashes), encode(varintNumber, hashes.length));
}

/**
 * Mainnet block 202612. Its accepted hash differs from the computed hash, because the tree hash had a flaw at that
 * time. The parser of block pages gets both from here.
 */
export const BLOCK_202612 = {
  computed: fromHex('426d16cff04c71f8b16340b722dc4010a2dd3831c22041431f772547ba6e331a'),
  actual: bytes32<'Hash'>(
    fromHex('bbd604d2ba11ba27935e006ed39c9bfdd99b76bf4a50654bc1e1e61217962698'),
    'Hash',
  ),
};

/**
 * Computes the hash of a block. Source: cryptonote_format_utils.cpp `calculate_block_hash`.
 * @example
 * toHex(blockHash(block)).slice(0, 8); // => 'afbab138'
 */
export function blockHash(value: Block): Hash {
  const blob = blockHashingBlob(value);
  const computed = keccak(encode(varintNumber, blob.length), blob);
  return equalBytes(computed, BLOCK_202612.computed) ? BLOCK_202612.actual : computed;
}

/**
 * Computes the Merkle root of a block's transaction hashes. The leading hashes move to the second layer unchanged, the
 * others in pairs, so that its width is that of {@link treeWidth}.
 * @throws RangeError for an empty list. Source: crypto/tree-hash.c `tree_hash`.
 */
export function treeHash(hashes: readonly Hash[]): Hash {
  const [first, second] = hashes;
  if (first === undefined) throw new RangeError('tree hash of nothing');
  if (second === undefined) return first;
  if (hashes.length === 2) return keccak(first, second);
  const unpaired = 2 * treeWidth(hashes.length) - hashes.length;
  let layer = [...hashes.slice(0, unpaired), ...pairs(hashes.slice(unpaired))];
  while (layer.length > 1) layer = pairs(layer);
  return layer[0] as Hash;
}

const pairs = (hashes: readonly Hash[]): Hash[] =>
  Array.from({ length: hashes.length / 2 }, (_, i) =>
    keccak(hashes[2 * i] as Hash, hashes[2 * i + 1] as Hash),
  );
