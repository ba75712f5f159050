import type { Hash } from '../../monero/crypto/types.js';
import { earliestTimestamp } from '../../monero/cryptonote/difficulty.js';
import { transactionWeight } from '../../monero/cryptonote/transaction.js';
import type { Block } from '../../monero/cryptonote/types.js';
import { amount, type Amount } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import { createMinerTx, type MinerShare } from '../rules/miner-tx.js';
import { treeUpon } from '../rules/output-tree.js';
import { blockReward, maxTemplateWeight } from '../rules/block-weight.js';
import { demand } from '../rules/tx-rules.js';
import type { BlockTree } from './block-tree.js';
import type { Chain } from './chain.js';
import type { Pool } from './pool.js';

/** A block to be mined. Its proof of work is not checked: every nonce is valid. */
export interface Template {
  readonly block: Block;
  readonly height: number;
  readonly difficulty: bigint;
  /**
   * Reward with the fees of the chosen payments, computed without the weight of the miner transaction [atomic units].
   */
  readonly expectedReward: Amount;
  /** Weight of the block with the miner transaction. */
  readonly weight: number;
}

/** Block that precedes a template, and the limits that follow from it. */
interface TemplateBasis {
  readonly prevHash: Hash;
  readonly height: number;
  readonly medianWeight: number;
  readonly generated: bigint;
}

/** Payments that were chosen for a template, with their total weight and fees. */
interface SelectedPayments {
  readonly hashes: readonly Hash[];
  readonly weight: number;
  readonly fees: bigint;
  readonly reward: Amount;
}

/** Makes templates of valid blocks. Source: blockchain.cpp `create_block_template`. */
export class TemplateMaker {
  readonly #chain: Chain;
  readonly #tree: BlockTree;
  readonly #pool: Pool;
  readonly #rng: Rng;

  constructor(chain: Chain, tree: BlockTree, pool: Pool, rng: Rng) {
    this.#chain = chain;
    this.#tree = tree;
    this.#pool = pool;
    this.#rng = rng;
  }

  /**
   * Makes a template.
   * @param prevHash hash of the preceding block; absent: the tip.
   * @throws Violation for an unknown block.
   */
  make(share: MinerShare, prevHash?: Hash): Template {
    const basis = prevHash === undefined ? this.#onTip() : this.#onBlock(prevHash);
    const { height, medianWeight, generated, prevHash: parent } = basis;
    const { forks } = this.#chain;
    const version = forks.versionAt(height);
    const selected = this.#selectPayments(basis);
    const minerTx = createMinerTx(
      share,
      { version, height, medianWeight, generated, txWeight: selected.weight, fees: selected.fees },
      this.#rng,
    );
    const header = {
      majorVersion: version,
      minorVersion: forks.latest,
      timestamp: Math.max(this.#chain.now(), earliestTimestamp(this.#chain.recentTimestamps())),
      prevHash: parent,
      nonce: 0,
    };
    const tree = treeUpon(parent, version);
    return {
      block: { header, minerTx, txHashes: selected.hashes, ...(tree && { tree }) },
      height,
      difficulty: this.#chain.difficulty,
      expectedReward: selected.reward,
      weight: selected.weight + transactionWeight(minerTx),
    };
  }

  #onTip(): TemplateBasis {
    const { tip, measures } = this.#chain;
    return {
      prevHash: tip.hash,
      height: tip.height + 1,
      medianWeight: measures.penaltyMedian,
      generated: tip.generated,
    };
  }

  /**
   * Returns the basis of a template that follows a given block. The median weight at this block is unknown, so the
   * weight of the block is used in its place.
   */
  #onBlock(prevHash: Hash): TemplateBasis {
    const main = this.#chain.store.blocks.get(prevHash);
    if (main !== undefined)
      return { prevHash, height: main.height + 1, medianWeight: main.weight, generated: main.generated };
    const alternative = this.#tree.branchTo(prevHash)?.blocks.at(-1);
    demand(alternative !== undefined, 'the block to build on is not known');
    const { height, weight, generated } = alternative;
    return {
      prevHash,
      height: height + 1,
      medianWeight: weight - Math.floor(weight / 20),
      generated,
    };
  }

  /**
   * Chooses payments by descending fee per weight, as long as each increases the reward. Source: tx_pool.cpp
   * `fill_block_template`.
   */
  #selectPayments({ medianWeight, generated }: TemplateBasis): SelectedPayments {
    const most = maxTemplateWeight(medianWeight);
    const images = new Set<string>();
    const hashes: Hash[] = [];
    let weight = 0;
    let fees = 0n;
    let best = blockReward(medianWeight, 0, generated) ?? 0n;
    this.#pool.removeOutdated();
    for (const { entry, payment } of this.#pool.ready()) {
      const reward = blockReward(medianWeight, weight + entry.weight, generated);
      if (weight + entry.weight > most || reward === undefined) continue;
      const total = reward + fees + entry.fee;
      const spends = payment.inputs.map(({ keyImage }) => toHex(keyImage));
      if (total < best || spends.some((image) => images.has(image))) continue;
      hashes.push(entry.hash);
      weight += entry.weight;
      fees += entry.fee;
      best = total;
      for (const image of spends) images.add(image);
    }
    return { hashes, weight, fees, reward: amount(best) };
  }
}
