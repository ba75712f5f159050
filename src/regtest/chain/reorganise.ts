import { publicKeyOf, randomSecretKey } from '../../monero/crypto/derivation.js';
import type { Rng } from '../../util/random.js';
import type { Node } from './node.js';

/**
 * Replaces the latest blocks by a branch that is one block longer, mined to a random address. The payments of the
 * replaced blocks return to the pool and may be mined again.
 * @param depth number of blocks to replace; at most all except the genesis block.
 */
export async function reorganise(node: Node, depth: number, rng: Rng): Promise<void> {
  const { tip } = node.chain;
  const share = {
    address: {
      spendPublicKey: publicKeyOf(randomSecretKey(rng)),
      viewPublicKey: publicKeyOf(randomSecretKey(rng)),
    },
    extraNonce: new Uint8Array(),
  };
  const replaced = Math.min(depth, tip.height);
  let parent = node.store.blocks.at(tip.height - replaced)?.hash;
  for (let mined = 0; mined <= replaced; mined++) {
    const { block } = await node.template(share, parent);
    parent = (await node.submitBlock(block)).hash;
  }
}
