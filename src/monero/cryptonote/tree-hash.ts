import { keccak } from '../crypto/keccak.js';
import type { Hash } from '../crypto/types.js';

/**
 * Computes the Merkle root of a block's transaction hashes. Of n hashes, the largest power of two below n is the width
 * of the second layer: the leading hashes move to that layer unchanged, the others in pairs.
 * @throws RangeError for an empty list. Source: crypto/tree-hash.c `tree_hash`.
 */
export function treeHash(hashes: readonly Hash[]): Hash {
  const [first, second] = hashes;
  if (first === undefined) throw new RangeError('tree hash of nothing');
  if (second === undefined) return first;
  if (hashes.length === 2) return keccak(first, second);
  let width = 1;
  while (2 * width < hashes.length) width *= 2;
  const unpaired = 2 * width - hashes.length;
  let layer = [...hashes.slice(0, unpaired), ...pairs(hashes.slice(unpaired))];
  while (layer.length > 1) layer = pairs(layer);
  return layer[0] as Hash;
}

const pairs = (hashes: readonly Hash[]): Hash[] =>
  Array.from({ length: hashes.length / 2 }, (_, i) =>
    keccak(hashes[2 * i] as Hash, hashes[2 * i + 1] as Hash),
  );
