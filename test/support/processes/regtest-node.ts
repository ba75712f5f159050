import { publicKeyOf, randomSecretKey } from '../../../src/monero/crypto/derivation.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { Block } from '../../../src/monero/cryptonote/types.js';
import { Node, type NodeOptions } from '../../../src/regtest/chain/node.js';
import type { Placement } from '../../../src/regtest/chain/block-tree.js';
import type { MinerShare } from '../../../src/regtest/rules/miner-tx.js';
import { seededRng } from '../fakes/seeded-rng.js';

/** Fixed time in 2024 [Unix s]. */
export const NOON = 1_718_452_800;

/** Node in memory with a settable clock. */
export interface TestNode {
  readonly node: Node;
  /** Unix seconds. */
  now: number;
  /** Builds a valid block. @param prevHash absent: the tip. */
  template(prevHash?: Hash): Promise<Block>;
  /** Mines blocks. @param prevHash parent of the first block. @returns the result for the last block. */
  mine(count: number, prevHash?: Hash): Promise<Placement>;
}

export function testNode(options: Partial<NodeOptions> = {}): TestNode {
  const rng = seededRng('regtest node');
  const share: MinerShare = {
    address: {
      spendPublicKey: publicKeyOf(randomSecretKey(rng)),
      viewPublicKey: publicKeyOf(randomSecretKey(rng)),
    },
    extraNonce: new Uint8Array(),
  };
  const time = { now: NOON };
  const test: TestNode = {
    node: new Node({
      clock: { now: () => 1000 * time.now },
      fixedDifficulty: 1n,
      anyUnlockTime: false,
      rng,
      threads: 1,
      ...options,
    }),
    get now() {
      return time.now;
    },
    set now(now) {
      time.now = now;
    },
    template: async (prevHash) => (await test.node.template(share, prevHash)).block,
    async mine(count, prevHash) {
      let placement = await test.node.submitBlock(await test.template(prevHash));
      for (let i = 1; i < count; i++)
        placement = await test.node.submitBlock(
          await test.template(prevHash === undefined ? undefined : placement.hash),
        );
      return placement;
    },
  };
  return test;
}
