import { keccak } from '../crypto/keccak.js';
import type { Hash } from '../crypto/types.js';
import {
  CodecError,
  decode,
  encode,
  list,
  raw,
  role,
  u32,
  varintNumber,
  type Codec,
} from '../../util/codec.js';
import { transaction, transactionHash } from './transaction.js';
import { MOST_TREE_LAYERS, TREE_FORK } from '../fork-rules.js';
import type { Block, BlockHeader, OutputTree } from './types.js';
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

const root = raw(32);

const outputTree: Codec<OutputTree> = {
  write(tree, w) {
    w.byte(tree.layers);
    root.write(tree.root, w);
  },
  read(r) {
    const layers = r.byte();
    if (layers > MOST_TREE_LAYERS) throw new CodecError('block: too many layers of the tree');
    return { layers, root: root.read(r) };
  },
};

/** Returns the tree that a block names; undefined if its version has none. @throws RangeError if the tree is missing. */
function treeOf({ header, tree }: Block): OutputTree | undefined {
  if (header.majorVersion < TREE_FORK) return undefined;
  if (tree === undefined) throw new RangeError('the tree of outputs is missing');
  return tree;
}

/** Codec of a block. Source: cryptonote_basic.h `block`. */
export const block: Codec<Block> = {
  write(value, w) {
    blockHeader.write(value.header, w);
    transaction.write(value.minerTx, w);
    list(hash).write(value.txHashes, w);
    const tree = treeOf(value);
    if (tree !== undefined) outputTree.write(tree, w);
  },
  read(r) {
    const header = blockHeader.read(r);
    const parsed = { header, minerTx: transaction.read(r), txHashes: list(hash).read(r) };
    return header.majorVersion < TREE_FORK ? parsed : { ...parsed, tree: outputTree.read(r) };
  },
};

/**
 * Parses a block. @throws CodecError, RangeError for bytes that are not a block.
 * @example
 * parseBlock(encoded).header.majorVersion; // => 16
 */
export const parseBlock = (bytes: Uint8Array): Block => decode(block, bytes);

/**
 * Returns the input of the proof of work: block header, Merkle root of the {@link contentHashes}, and number of
 * transactions.
 * @example
 * blockHashingBlob(block).length; // => 76
 */
export function blockHashingBlob(value: Block): Uint8Array {
  return concatBytes(
    encode(blockHeader, value.header),
    treeHash(contentHashes(value)),
    encode(varintNumber, 1 + value.txHashes.length),
  );
}

/**
 * Returns the leaves of the Merkle tree of a block: the hash of its miner transaction, then the layers (in the first of 32
 * bytes) and the root of the tree of outputs, if the block names one, then the hashes of its other transactions. Source:
 * `stage` cryptonote_format_utils.cpp `get_block_content_hash`.
 */
function contentHashes(value: Block): Hash[] {
  const tree = treeOf(value);
  const named = tree === undefined ? [] : [Uint8Array.of(tree.layers, ...new Uint8Array(31)), tree.root];
  return [transactionHash(value.minerTx), ...(named as Hash[]), ...value.txHashes];
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
 * Computes the root of a Merkle tree with the given leaves. The leading hashes move to the second layer unchanged, the
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
