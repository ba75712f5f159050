import type { Hash } from '../../monero/crypto/types.js';
import { block as blockCodec, blockHash, parseBlock } from '../../monero/cryptonote/block.js';
import { transactionWeight } from '../../monero/cryptonote/transaction.js';
import type { Block } from '../../monero/cryptonote/types.js';
import { equalBytes } from '../../util/bytes.js';
import { encode } from '../../util/codec.js';
import { TIMESTAMP_WINDOW } from '../../monero/cryptonote/difficulty.js';
import { generatedAfter } from '../rules/block-weight.js';
import { median } from '../../util/median.js';
import { checkMinerTx } from '../rules/miner-tx.js';
import { demand, Violation } from '../rules/tx-rules.js';
import type { AlternativeBlock } from '../store/alternatives.js';
import { checkTree, type Chain, type VerificationCache } from './chain.js';
import type { Pool } from './pool.js';

/** Result of submitting a block. */
export type Placement =
  | { readonly place: 'main'; readonly hash: Hash; readonly reorganised?: Reorganisation }
  | { readonly place: 'alternative' | 'known before' | 'orphan'; readonly hash: Hash }
  | { readonly place: 'refused'; readonly hash: Hash; readonly reason: string };

export interface Reorganisation {
  /** Height of the first block that was replaced. */
  readonly splitHeight: number;
  /** Number of blocks removed from the main chain. */
  readonly discarded: number;
}

/** A chain of alternative blocks, oldest first, and the height at which it branches off from the main chain. */
export interface Branch {
  readonly blocks: readonly AlternativeBlock[];
  /** Height of the main chain's block that precedes the first block of the branch. */
  readonly parentHeight: number;
}

/**
 * Main chain and alternative blocks. When a branch has the highest cumulative difficulty, it becomes the main chain.
 */
export class BlockTree {
  readonly #chain: Chain;
  readonly #pool: Pool;
  readonly #verification: VerificationCache;

  constructor(chain: Chain, pool: Pool, verification: VerificationCache) {
    this.#chain = chain;
    this.#pool = pool;
    this.#verification = verification;
  }

  get #store() {
    return this.#chain.store;
  }

  /**
   * Adds a block to the main chain or to an alternative chain.
   * @throws Violation Source: blockchain.cpp `add_new_block`.
   */
  submit(block: Block): Placement {
    const hash = blockHash(block);
    if (this.isKnown(hash)) return { place: 'known before', hash };
    if (!equalBytes(block.header.prevHash, this.#chain.tip.hash)) return this.#addAlternative(block, hash);
    this.#append(block);
    return { place: 'main', hash };
  }

  isKnown(hash: Hash): boolean {
    return this.#store.blocks.get(hash) !== undefined || this.#store.alternatives.get(hash) !== undefined;
  }

  #append(block: Block): void {
    const payments = block.txHashes.map((hash) => this.#pool.take(hash));
    this.#chain.append(block, payments, this.#verification);
  }

  /**
   * Removes the latest `count` blocks of the main chain.
   * @param keep true: their payments return to the pool.
   * @returns the removed blocks, oldest first.
   */
  pop(count: number, keep = true): Block[] {
    const popped: Block[] = [];
    while (popped.length < count && this.#chain.tip.height > 0) {
      const { block, payments } = this.#chain.pop();
      popped.unshift(parseBlock(block.blob));
      if (keep) for (const blob of payments) this.#returnToPool(blob);
    }
    return popped;
  }

  #returnToPool(blob: Uint8Array): void {
    try {
      this.#pool.add(blob, 'block');
    } catch (error) {
      // A payment that violates the present rules is dropped, as in the reference.
      if (!(error instanceof Violation)) throw error;
    }
  }

  /**
   * Collects the alternative blocks from a tip back to the main chain.
   * @returns undefined if the tip is not an alternative block. Source: blockchain.cpp `build_alt_chain`.
   */
  branchTo(tip: Hash): Branch | undefined {
    const blocks: AlternativeBlock[] = [];
    let name = tip;
    for (;;) {
      const block = this.#store.alternatives.get(name);
      if (block === undefined) break;
      blocks.unshift(block);
      name = block.prevHash;
    }
    const parent = this.#store.blocks.get(name);
    return parent && { blocks, parentHeight: parent.height };
  }

  /**
   * Stores an alternative block, and switches to its chain if this chain has the highest cumulative difficulty.
   * @throws Violation Source: blockchain.cpp `handle_alternative_block`.
   */
  #addAlternative(block: Block, hash: Hash): Placement {
    const { header, minerTx } = block;
    const branch = this.branchTo(header.prevHash);
    const parent = branch?.blocks.at(-1) ?? this.#store.blocks.get(header.prevHash);
    if (branch === undefined || parent === undefined) return { place: 'orphan', hash };
    const height = parent.height + 1;
    demand(
      this.#chain.forks.isVersionAllowed(header.majorVersion, header.minorVersion, height),
      'the block has a wrong version',
    );
    demand(header.timestamp >= median(this.#timestampsOf(branch)), 'the block lies before the median');
    checkMinerTx(minerTx, height, header.majorVersion);
    checkTree(block);
    const made = minerTx.prefix.outputs.reduce((total, { amount }) => total + amount, 0n);
    const entry: AlternativeBlock = {
      hash,
      prevHash: header.prevHash,
      height,
      blob: encode(blockCodec, block),
      weight: this.#weightOf(block),
      cumulativeDifficulty: parent.cumulativeDifficulty + this.#chain.difficulty,
      generated: generatedAfter(parent.generated, made),
    };
    this.#store.alternatives.add(entry);
    if (entry.cumulativeDifficulty <= this.#chain.tip.cumulativeDifficulty)
      return { place: 'alternative', hash };
    return this.#switchTo({ ...branch, blocks: [...branch.blocks, entry] }, hash);
  }

  /**
   * Returns the timestamps [Unix s] of the latest {@link TIMESTAMP_WINDOW} blocks of a branch and of the main chain
   * below it, without the genesis block.
   */
  #timestampsOf({ blocks, parentHeight }: Branch): number[] {
    const own = blocks.map(({ blob }) => parseBlock(blob).header.timestamp);
    const needed = Math.max(0, TIMESTAMP_WINDOW - own.length);
    const start = Math.max(1, parentHeight + 1 - needed);
    return [...this.#store.blocks.timestamps(start, parentHeight + 1 - start), ...own];
  }

  /** Returns the weight of a block; 0 if one of its transactions is neither in the pool nor in the chain. */
  #weightOf({ minerTx, txHashes }: Block): number {
    let weight = transactionWeight(minerTx);
    for (const hash of txHashes) {
      const tx = this.#store.pool.get(hash) ?? this.#store.transactions.get(hash);
      if (tx === undefined) return 0;
      weight += tx.weight;
    }
    return weight;
  }

  /** Makes a branch the main chain. Source: blockchain.cpp `switch_to_alternative_blockchain`. */
  #switchTo({ blocks, parentHeight }: Branch, hash: Hash): Placement {
    let reached = 0;
    try {
      const discarded = this.#store.atomically(() => {
        const popped = this.pop(this.#chain.tip.height - parentHeight);
        for (const { blob } of blocks) {
          this.#append(parseBlock(blob));
          reached += 1;
        }
        for (const { hash: name } of blocks) this.#store.alternatives.remove(name);
        for (const block of popped) this.#addAlternative(block, blockHash(block));
        return popped.length;
      });
      return { place: 'main', hash, reorganised: { splitHeight: parentHeight + 1, discarded } };
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      // The invalid block and the blocks above it can never become part of the main chain.
      for (const { hash: name } of blocks.slice(reached)) this.#store.alternatives.remove(name);
      return { place: 'refused', hash, reason: error.message };
    }
  }
}
