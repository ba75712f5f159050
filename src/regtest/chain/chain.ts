import { earliestTimestamp, FUTURE_LIMIT, TIMESTAMP_WINDOW } from '../../monero/cryptonote/difficulty.js';
import { keccak } from '../../monero/crypto/keccak.js';
import type { RingMember } from '../../monero/ringct/types.js';
import { concatBytes, toHex, equalBytes } from '../../util/bytes.js';
import {
  MedianBag,
  effectiveLongTermMedian,
  LONG_TERM_WINDOW,
  longTermWeight,
  penaltyMedian,
  SHORT_TERM_WINDOW,
  feeEstimates,
  isFeeEnough,
  leastFeePerByte,
  MAX_GRACE_BLOCKS,
  blockReward,
  generatedAfter,
} from '../rules/block-weight.js';
import type { BlockTable, StoredBlock } from '../store/blocks.js';
import type { Hash } from '../../monero/crypto/types.js';
import { block as blockCodec, blockHash, parseBlock } from '../../monero/cryptonote/block.js';
import {
  prunedTransaction,
  transaction,
  transactionHash,
  transactionWeight,
} from '../../monero/cryptonote/transaction.js';
import type { Block, Transaction } from '../../monero/cryptonote/types.js';
import { zeroCommit } from '../../monero/ringct/commitment.js';
import { GENESIS, adjustedTime } from '../rules/block-rules.js';
import { ForkSchedule, type ForkHeights } from '../rules/fork-schedule.js';
import { checkMinerTx, checkReward, claimed } from '../rules/miner-tx.js';
import { treeUpon } from '../rules/output-tree.js';
import { checkFork, resolveInputs, type ChainView, type Payment, demand } from '../rules/tx-rules.js';
import type { ChainStore } from '../store/chain-store.js';
import { unixSeconds, type TimeOfDay } from '../../util/clock.js';
import { ZERO, type Amount } from '../../util/amount.js';
import { encode } from '../../util/codec.js';
import { RCT_FCMP } from '../../monero/fork-rules.js';

/** Proofs or signatures of a payment that are to be verified. */
export interface ProofClaim {
  /** Key in the cache; equal claims have equal keys and share a result. */
  readonly key: string;
  readonly payment: Payment;
  /** Rings whose signatures are to be verified; absent: the amounts and the range proof are to be verified. */
  readonly rings?: readonly (readonly RingMember[])[];
}

/** Largest number of cached results; a claim whose result was evicted is verified again. */
const MAX_RESULTS = 50_000;

/**
 * Results of verifying proofs and signatures. A claim without a result is assumed to be true and recorded. The caller
 * must then roll back its change, verify the recorded claims on other threads, and run the change again.
 */
export class VerificationCache {
  readonly #results = new Map<string, boolean>();
  readonly #unverified = new Map<string, ProofClaim>();

  areAmountsProved(payment: Payment): boolean {
    return this.#holds({ key: toHex(payment.hash), payment });
  }

  /** Returns true for signed rings. The membership proofs of RingCT type 7, which has no rings, are not verified. */
  isSigned(payment: Payment, rings: readonly (readonly RingMember[])[]): boolean {
    if (payment.base.type === RCT_FCMP) return true;
    const members = rings.flat().flatMap(({ publicKey, commitment }) => [publicKey, commitment]);
    return this.#holds({ key: toHex(keccak(concatBytes(payment.hash, ...members))), payment, rings });
  }

  #holds(claim: ProofClaim): boolean {
    const result = this.#results.get(claim.key);
    if (result === undefined) this.#unverified.set(claim.key, claim);
    return result ?? true;
  }

  /** Returns the claims that were assumed to be true, and forgets them. */
  takeUnverified(): ProofClaim[] {
    const unverified = [...this.#unverified.values()];
    this.#unverified.clear();
    return unverified;
  }

  record({ key }: Pick<ProofClaim, 'key'>, holds: boolean): void {
    this.#results.set(key, holds);
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= MAX_RESULTS) break;
      this.#results.delete(oldest);
    }
  }
}

/**
 * Block weights in the window of the long-term median. The weights are updated when the chain grows, and read again
 * after a reorganisation.
 */
class LongTermWeights {
  readonly #blocks: BlockTable;
  #bag = new MedianBag();
  #tip = '';

  constructor(blocks: BlockTable) {
    this.#blocks = blocks;
  }

  /** Returns the weights of the blocks in the window that ends with the block `tip`. */
  upTo(tip: StoredBlock): MedianBag {
    const name = toHex(tip.hash);
    if (name === this.#tip) return this.#bag;
    const previous = this.#blocks.at(tip.height - 1);
    if (previous !== undefined && toHex(previous.hash) === this.#tip) {
      const [leaving] = this.#blocks.longTermWeights(tip.height - LONG_TERM_WINDOW, 1);
      if (tip.height >= LONG_TERM_WINDOW && leaving !== undefined) this.#bag.remove(leaving);
      this.#bag.add(tip.longTermWeight);
    } else {
      const start = Math.max(0, tip.height + 1 - LONG_TERM_WINDOW);
      this.#bag = new MedianBag();
      for (const weight of this.#blocks.longTermWeights(start, LONG_TERM_WINDOW)) this.#bag.add(weight);
    }
    this.#tip = name;
    return this.#bag;
  }
}

export interface ChainOptions {
  readonly clock: TimeOfDay;
  /** Difficulty of every block except the genesis block, whose difficulty is 1. */
  readonly fixedDifficulty: bigint;
  /** Heights of the next fork; absent: the chain stays at the rules of today. */
  readonly fork?: ForkHeights;
}

/** Weight limits of the next block, and the values from which the fees of its payments follow. */
export interface Measures {
  /** Effective long-term median of block weights. */
  readonly longTermMedian: number;
  /** Weight above which the reward of a block decreases; a block of more than twice this weight is invalid. */
  readonly penaltyMedian: number;
  /** Emission so far [atomic units]. */
  readonly generated: bigint;
  /** Reward of a block without payments. */
  readonly baseReward: Amount;
}

const FIRST_DIFFICULTY = 1n;

/** The main chain. Blocks are added and removed at its tip. */
export class Chain {
  readonly store: ChainStore;
  readonly clock: TimeOfDay;
  readonly difficulty: bigint;
  readonly forks: ForkSchedule;
  readonly #longTerm: LongTermWeights;
  #measures: { readonly tip: string; readonly measures: Measures } | undefined;

  /**
   * Opens the chain of a store. If the store is empty, the genesis block is added.
   * @throws RangeError if the stored chain follows other heights of forks.
   */
  constructor(store: ChainStore, { clock, fixedDifficulty, fork }: ChainOptions) {
    this.store = store;
    this.clock = clock;
    this.difficulty = fixedDifficulty;
    this.forks = new ForkSchedule(fork);
    this.#longTerm = new LongTermWeights(store.blocks);
    if (store.blocks.tip() === undefined) store.atomically(() => this.#addGenesis());
    this.#checkForks();
  }

  /** Compares the versions of the blocks around each fork, and that of the top block, with the schedule. */
  #checkForks(): void {
    const around = this.forks.forks.flatMap(({ height }) => [height - 1, height]);
    for (const height of [...around, this.tip.height]) {
      const block = this.store.blocks.at(height);
      const version = block && parseBlock(block.blob).header.majorVersion;
      if (version !== undefined && version !== this.forks.versionAt(height))
        throw new RangeError(
          `block ${height} of the stored chain has version ${version}: it forks elsewhere`,
        );
    }
  }

  /** Unix time [s]. */
  now(): number {
    return unixSeconds(this.clock);
  }

  get tip(): StoredBlock {
    const tip = this.store.blocks.tip();
    if (tip === undefined) throw new Error('the chain has no genesis block');
    return tip;
  }

  /** Version of the next block. */
  get version(): number {
    return this.forks.versionAt(this.height);
  }

  /** Number of blocks. */
  get height(): number {
    return this.tip.height + 1;
  }

  get measures(): Measures {
    const { tip } = this;
    const name = toHex(tip.hash);
    if (this.#measures?.tip !== name) this.#measures = { tip: name, measures: this.#measure(tip) };
    return this.#measures.measures;
  }

  #measure(tip: StoredBlock): Measures {
    const longTermMedian = effectiveLongTermMedian(this.#longTerm.upTo(tip).median());
    const median = penaltyMedian(longTermMedian, this.#recentWeights(tip, SHORT_TERM_WINDOW));
    const baseReward = blockReward(median, 1, tip.generated) ?? ZERO;
    return { longTermMedian, penaltyMedian: median, generated: tip.generated, baseReward };
  }

  #recentWeights(tip: StoredBlock, count: number): number[] {
    return this.store.blocks.weights(Math.max(0, tip.height + 1 - count), count);
  }

  /** Returns the timestamps of the latest {@link TIMESTAMP_WINDOW} blocks, oldest first [Unix s]. */
  recentTimestamps(): number[] {
    return this.store.blocks.timestamps(Math.max(0, this.height - TIMESTAMP_WINDOW), TIMESTAMP_WINDOW);
  }

  /** Time with which unlock times are compared [Unix s]. */
  get adjustedTime(): number {
    return adjustedTime(this.recentTimestamps(), this.now());
  }

  /** State of the chain against which the inputs of the next block are checked. */
  get view(): ChainView {
    const { outputs, keyImages } = this.store;
    return {
      height: this.height,
      time: this.adjustedTime,
      output: (amount, index) => outputs.at(amount, index),
      isSpent: (image) => keyImages.has(image),
    };
  }

  isFeeEnough({ base, weight }: Payment): boolean {
    const { baseReward, penaltyMedian: median, longTermMedian } = this.measures;
    return isFeeEnough(base.fee, weight, leastFeePerByte(baseReward, Math.min(median, longTermMedian)));
  }

  /**
   * Returns the recommended fees per byte of weight, from slow to fastest [atomic units].
   * @param graceBlocks number of blocks for which the fees stay valid, at most 100.
   */
  feeEstimates(graceBlocks: number): readonly bigint[] {
    const { tip } = this;
    const grace = Math.min(graceBlocks, MAX_GRACE_BLOCKS - 1);
    const mlw = effectiveLongTermMedian(this.#longTerm.upTo(tip).median(grace));
    const recent = this.#recentWeights(tip, SHORT_TERM_WINDOW - grace);
    const mnw = penaltyMedian(mlw, [...recent, ...Array.from({ length: grace }, () => 0)]);
    return feeEstimates(this.measures.baseReward, mnw, mlw);
  }

  /**
   * Checks a block and adds it to the tip.
   * @param payments its transactions without the miner transaction, in block order.
   * @throws Violation Source: blockchain.cpp `handle_block_to_main_chain`.
   */
  append(block: Block, payments: readonly Payment[], verification: VerificationCache): StoredBlock {
    const { tip, measures, view } = this;
    const { header, minerTx, txHashes } = block;
    const height = tip.height + 1;
    demand(equalBytes(header.prevHash, tip.hash), 'the block does not follow the tip');
    demand(
      this.forks.isVersionAllowed(header.majorVersion, header.minorVersion, height),
      'the block has a wrong version',
    );
    demand(header.timestamp <= this.now() + FUTURE_LIMIT, 'the block lies in the future');
    demand(
      header.timestamp >= earliestTimestamp(this.recentTimestamps()),
      'the block lies before the median',
    );
    checkMinerTx(minerTx, height, header.majorVersion);
    checkTree(block);
    demand(
      txHashes.length === payments.length &&
        payments.every(({ hash }, i) => toHex(hash) === toHex(txHashes[i] ?? new Uint8Array())),
      'the block is not about these transactions',
    );
    checkSpends(payments);
    for (const payment of payments) {
      demand(!this.store.transactions.has(payment.hash), 'a transaction is already in the chain');
      checkFork(payment, header.majorVersion);
      const { rings } = resolveInputs(payment, view);
      demand(verification.isSigned(payment, rings), 'a ring is not signed');
    }
    checkReward(minerTx, {
      medianWeight: measures.penaltyMedian,
      generated: measures.generated,
      txWeight: weightOf(payments),
      fees: feesOf(payments),
    });
    return this.extend(block, payments);
  }

  /**
   * Adds a block to the tip without a check.
   * @param payments its transactions without the miner transaction, in block order.
   * @param difficulty difficulty of the block; absent: that of the chain.
   */
  extend(block: Block, payments: readonly Payment[], difficulty = this.difficulty): StoredBlock {
    const { tip, measures } = this;
    const weight = weightOf(payments) + transactionWeight(block.minerTx);
    const reward = claimed(block.minerTx) - feesOf(payments);
    return this.#add(block, payments, {
      height: tip.height + 1,
      weight,
      longTermWeight: longTermWeight(weight, measures.longTermMedian),
      difficulty,
      cumulativeDifficulty: tip.cumulativeDifficulty + difficulty,
      generated: generatedAfter(tip.generated, reward),
      rctOutputs: tip.rctOutputs,
      payments: tip.payments,
    });
  }

  #addGenesis(): void {
    const weight = transactionWeight(GENESIS.minerTx);
    this.#add(GENESIS, [], {
      height: 0,
      weight,
      longTermWeight: weight,
      difficulty: FIRST_DIFFICULTY,
      cumulativeDifficulty: FIRST_DIFFICULTY,
      generated: GENESIS.minerTx.prefix.outputs.reduce((total, { amount }) => total + amount, 0n),
      rctOutputs: 0,
      payments: 0,
    });
  }

  /** Stores a checked block. @param before cumulative counters of the chain up to the preceding block. */
  #add(
    block: Block,
    payments: readonly Payment[],
    before: Omit<StoredBlock, 'hash' | 'blob' | 'timestamp'>,
  ): StoredBlock {
    const txs = [block.minerTx, ...payments.map(({ tx }) => tx)];
    const rctOutputs = txs.reduce(
      (total, { prefix }) => total + (prefix.version === 2 ? prefix.outputs.length : 0),
      before.rctOutputs,
    );
    const stored: StoredBlock = {
      ...before,
      hash: blockHash(block),
      blob: encode(blockCodec, block),
      timestamp: block.header.timestamp,
      rctOutputs,
      payments: before.payments + payments.length,
    };
    this.store.blocks.add(stored);
    this.#addTx(block.minerTx, transactionHash(block.minerTx), stored.height);
    for (const { tx, hash } of payments) this.#addTx(tx, hash, stored.height);
    return stored;
  }

  #addTx(tx: Transaction, hash: Hash, height: number): void {
    const { outputs, keyImages, transactions } = this.store;
    const pruned = encode(prunedTransaction, tx);
    const prunable = encode(transaction, tx).subarray(pruned.length);
    const id = transactions.add({
      hash,
      height,
      pruned,
      prunable,
      // For a miner transaction, the hash of the empty string is stored, although its transaction hash is computed with
      // zeros.
      prunableHash: tx.rct === undefined ? (new Uint8Array(32) as Hash) : keccak(prunable),
      fee: tx.rct?.base.fee ?? ZERO,
      weight: transactionWeight(tx),
    });
    tx.prefix.outputs.forEach(({ amount, publicKey }, position) => {
      outputs.add(tx.rct === undefined ? amount : 0n, id, position, {
        publicKey,
        // The amount of a miner transaction's output is public, so its commitment has the mask 1.
        commitment: tx.rct?.base.outPk[position] ?? zeroCommit(amount),
        unlockTime: tx.prefix.unlockTime,
        height,
      });
    });
    for (const input of tx.prefix.inputs) if (input.type === 'key') keyImages.add(input.keyImage, id);
  }

  /**
   * Removes the latest block.
   * @returns the block, and the blobs of its payments in block order.
   * @throws RangeError if only the genesis block is left.
   */
  pop(): { readonly block: StoredBlock; readonly payments: readonly Uint8Array[] } {
    const { tip: block, store } = this;
    if (block.height === 0) throw new RangeError('the genesis block cannot be removed');
    const payments = store.transactions.ofBlock(block.height).slice(1);
    store.keyImages.removeOf(block.height);
    store.outputs.removeOf(block.height);
    store.transactions.removeOf(block.height);
    store.blocks.remove(block.height);
    return {
      block,
      payments: payments.map(({ pruned, prunable }) => concatBytes(pruned, prunable)),
    };
  }
}

/** Checks the tree of outputs that a block names. @throws Violation Source: blockchain.cpp `handle_block_to_main_chain`. */
export function checkTree({ header, tree }: Block): void {
  const expected = treeUpon(header.prevHash, header.majorVersion);
  demand(
    tree?.layers === expected?.layers && toHex(tree?.root ?? NO_ROOT) === toHex(expected?.root ?? NO_ROOT),
    'the block names another tree of outputs',
  );
}

const NO_ROOT = new Uint8Array();

const weightOf = (payments: readonly Payment[]): number =>
  payments.reduce((total, { weight }) => total + weight, 0);

const feesOf = (payments: readonly Payment[]): bigint =>
  payments.reduce((total, { base }) => total + base.fee, 0n);

/** Checks that no two payments of a block spend the same key image. @throws Violation */
function checkSpends(payments: readonly Payment[]): void {
  const images = payments.flatMap(({ inputs }) => inputs.map(({ keyImage }) => toHex(keyImage)));
  demand(new Set(images).size === images.length, 'two payments of the block spend the same output');
}
