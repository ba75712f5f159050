import { keccak } from '../../monero/crypto/keccak.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { OutputTree } from '../../monero/cryptonote/types.js';
import { TREE_FORK, WEIGHED_LAYERS } from '../../monero/fork-rules.js';
import { utf8 } from '../../util/bytes.js';

/** Number of layers that all blocks and membership proofs name: that which weights assume. */
export const PLACEHOLDER_LAYERS = WEIGHED_LAYERS;

const SALT = utf8('regtest placeholder of the tree of outputs');

/**
 * Returns the tree of outputs that a block must name: a placeholder, since this node does not compute the tree. The root is
 * a hash of the block before, which covers all outputs up to it, and no point.
 * @param prevHash hash of the block before.
 * @param version major version of the block.
 * @returns undefined for a block whose version has no tree.
 */
export const treeUpon = (prevHash: Hash, version: number): OutputTree | undefined =>
  version < TREE_FORK ? undefined : { layers: PLACEHOLDER_LAYERS, root: keccak(SALT, prevHash) };
