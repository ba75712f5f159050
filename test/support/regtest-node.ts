import { publicKeyOf, randomSecretKey } from '../../src/crypto/derivation.js';
import type { Hash } from '../../src/crypto/types.js';
import type { Block } from '../../src/cryptonote/types.js';
import { Node, type NodeOptions } from '../../src/regtest/chain/node.js';
import type { Placement } from '../../src/regtest/chain/block-tree.js';
import type { MinerShare } from '../../src/regtest/rules/miner-tx.js';
import { seededRng } from './seeded-rng.js';

/** Noon of a day in 2024, Unix seconds. */
export const NOON = 1_718_452_800;

/** A node in memory whose clock the test sets. */
export interface TestNode {
  readonly node: Node;
  /** Unix seconds. */
  now: number;
  /** A block that the node would take. @param prevHash absent: on the tip. */
  template(prevHash?: Hash): Promise<Block>;
  /** Mines so many blocks to nobody in particular. @param prevHash of the first. @returns the last block's name. */
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
      clock: () => time.now,
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
