import type { Hash } from '../../monero/crypto/types.js';
import type { Block, BlockHeader, Transaction } from '../../monero/cryptonote/types.js';
import { toHex } from '../../util/bytes.js';
import type { Node } from '../chain/node.js';
import { createMinerTx } from '../rules/miner-tx.js';
import { treeUpon } from '../rules/output-tree.js';
import { readPayment, type Payment } from '../rules/tx-rules.js';
import type { PoolTx } from '../store/pool.js';
import type { LieContext } from './lie-context.js';
import { randomPoint } from './nobody.js';

/** Parts of a forged block that differ from an honest one. */
interface ForgedBlock {
  readonly payments?: readonly Payment[];
  /** Time of the block [Unix s]; absent: a second after its parent. */
  readonly timestamp?: number;
  /** Changes the miner transaction. */
  readonly minerTx?: (honest: Transaction) => Transaction;
  readonly difficulty?: bigint;
}

/** A copy of the chain and of the pool of a node, to which a lie adds what it likes: nothing is checked. */
export class ForgedChain {
  readonly node: Node;
  readonly #lie: LieContext;

  /** @param node a copy of the node, of which no one else holds a reference yet. */
  constructor(node: Node, lie: LieContext) {
    this.node = node;
    this.#lie = lie;
  }

  /** Number of blocks. */
  get height(): number {
    return this.node.chain.height;
  }

  /** Removes the blocks from a height on, with their payments. */
  cutTo(height: number): void {
    const { chain } = this.node;
    while (chain.height > Math.max(1, height)) chain.pop();
  }

  /** Adds a block without work to the tip. The block upon one parent stays the same until the faults are set again. */
  add(forged: ForgedBlock = {}): void {
    const { chain } = this.node;
    const { payments = [], difficulty } = forged;
    const block = this.#lie.once(`block upon ${toHex(chain.tip.hash)}`, () =>
      forgeBlock(this.node, forged, this.#lie),
    );
    chain.extend(block, payments, difficulty);
  }

  /** Replaces the transactions of the pool. */
  setPool(entries: readonly PoolTx[]): void {
    const { pool } = this.node.store;
    for (const hash of pool.hashes()) pool.remove(hash);
    for (const entry of entries) {
      pool.put(entry);
      for (const { keyImage } of readPayment(entry.blob).inputs)
        pool.addSpend({ keyImage, txHash: entry.hash });
    }
  }
}

const NO_HASH = new Uint8Array(32) as Hash;

/** Returns the entry of a payment in the pool. */
export const poolEntryOf = ({ hash, blob, weight, base }: Payment, { chain }: Node): PoolTx => ({
  ...{ hash, blob, weight, fee: base.fee },
  ...{ receiveTime: chain.now(), lastRelayedTime: chain.now(), relayed: true, doNotRelay: false },
  ...{ keptByBlock: false, doubleSpendSeen: false, maxUsedHeight: 0, maxUsedHash: NO_HASH },
  ...{ failedHeight: 0, failedHash: NO_HASH },
});

/** Makes a block on the tip. Its reward has the amount that the rules demand, unless the lie changes it. */
export function forgeBlock(
  { chain }: Node,
  { payments = [], timestamp, minerTx = (honest) => honest }: ForgedBlock,
  { rng }: Pick<LieContext, 'rng'>,
): Block {
  const { tip, measures } = chain;
  const height = tip.height + 1;
  const version = chain.forks.versionAt(height);
  const header: BlockHeader = {
    majorVersion: version,
    minorVersion: chain.forks.latest,
    timestamp: timestamp ?? tip.timestamp + 1,
    prevHash: tip.hash,
    nonce: 0,
  };
  const share = {
    address: { spendPublicKey: randomPoint(rng), viewPublicKey: randomPoint(rng) },
    extraNonce: new Uint8Array(),
  };
  const basis = {
    ...{ version, height, medianWeight: measures.penaltyMedian, generated: measures.generated },
    txWeight: payments.reduce((total, { weight }) => total + weight, 0),
    fees: payments.reduce((total, { base }) => total + base.fee, 0n),
  };
  const tree = treeUpon(tip.hash, version);
  return {
    header,
    minerTx: minerTx(createMinerTx(share, basis, rng)),
    txHashes: payments.map(({ hash }) => hash),
    ...(tree && { tree }),
  };
}

/** Returns a forged block in the place of an honest block: with its height, parent and time, but without payments. */
export function siblingOf(node: Node, height: number, lie: LieContext): Block {
  const copy = node.copy();
  try {
    const honest = node.store.blocks.at(height);
    const chain = new ForgedChain(copy, lie);
    chain.cutTo(height);
    return forgeBlock(copy, { timestamp: honest?.timestamp ?? 0 }, lie);
  } finally {
    void copy.close();
  }
}
