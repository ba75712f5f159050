import type { Hash } from '../../monero/crypto/types.js';
import { toHex } from '../../util/bytes.js';
import {
  checkForm,
  checkFork,
  checkOutputs,
  checkRelayable,
  checkWeight,
  readPayment,
  resolveInputs,
  type Payment,
  demand,
  Violation,
} from '../rules/tx-rules.js';
import { compareHashes, type PoolTx } from '../store/pool.js';
import type { Chain, VerificationCache } from './chain.js';

/**
 * Lifetime of a pool transaction [s]; it is longer if a removed block contained the transaction. Source:
 * cryptonote_config.h.
 */
const LIFETIME = 3 * 24 * 60 * 60;
const LIFETIME_KEPT = 7 * 24 * 60 * 60;
/** Largest total weight of the pool. Source: cryptonote_config.h `DEFAULT_TXPOOL_MAX_WEIGHT`. */
const MAX_WEIGHT = 648_000_000;

const NO_HASH = new Uint8Array(32) as Hash;

export interface PoolOptions {
  /** True: transactions with an unlock time are accepted into the pool, which present nodes refuse. */
  readonly anyUnlockTime: boolean;
}

/**
 * Origin of a transaction: submitted by a sender, possibly with the request not to relay it; or returned from a removed
 * block.
 */
export type Origin = 'sender' | 'sender, not to be relayed' | 'block';

/** The pool of unmined transactions. */
export class Pool {
  readonly #chain: Chain;
  readonly #verification: VerificationCache;
  readonly #options: PoolOptions;

  constructor(chain: Chain, verification: VerificationCache, options: PoolOptions) {
    this.#chain = chain;
    this.#verification = verification;
    this.#options = options;
  }

  get #table() {
    return this.#chain.store.pool;
  }

  /**
   * Checks a transaction and adds it.
   * @returns false if it is already known.
   * @throws Violation Source: cryptonote_core.cpp `handle_incoming_txs`; tx_pool.cpp `add_tx`.
   */
  add(blob: Uint8Array, origin: Origin): boolean {
    const payment = readPayment(blob);
    if (this.#table.get(payment.hash) !== undefined) return false;
    if (this.#chain.store.transactions.has(payment.hash)) return false;
    checkForm(payment, 2 * this.#chain.measures.penaltyMedian);
    // A transaction of a removed block may belong to the blocks before a fork.
    if (origin !== 'block') checkFork(payment, this.#chain.version);
    demand(this.#verification.areAmountsProved(payment), 'amounts or keys are not proved');
    if (origin !== 'block') demand(this.#chain.isFeeEnough(payment), 'the fee is too low', 'feeTooLow');
    checkWeight(payment, this.#chain.version);
    if (origin !== 'block') {
      checkRelayable(payment, this.#options.anyUnlockTime);
      this.#refuseDoubleSpend(payment);
    }
    checkOutputs(payment);
    this.#put(payment, origin);
    this.#prune();
    return true;
  }

  #refuseDoubleSpend({ inputs }: Payment): void {
    const rivals = inputs.flatMap(({ keyImage }) => this.#table.spendersOf(keyImage));
    demand(rivals.length === 0, 'the pool spends a key image already', 'doubleSpend');
  }

  /**
   * Sets `doubleSpendSeen` on the pool transactions that share a key image with a refused transaction.
   * @param blob refused transaction.
   */
  markDoubleSpends(blob: Uint8Array): void {
    for (const { keyImage } of readPayment(blob).inputs)
      for (const rival of this.#table.spendersOf(keyImage)) {
        const tx = this.#table.get(rival);
        if (tx !== undefined && !tx.doubleSpendSeen) this.#table.put({ ...tx, doubleSpendSeen: true });
      }
  }

  /**
   * Stores a transaction. A transaction from a removed block is stored even with invalid inputs, which may become valid
   * again.
   */
  #put(payment: Payment, origin: Origin): void {
    const keptByBlock = origin === 'block';
    const now = this.#chain.now();
    const rivals = payment.inputs.flatMap(({ keyImage }) => this.#table.spendersOf(keyImage));
    const used = keptByBlock ? this.#tryInputs(payment) : this.#checkInputs(payment);
    this.#table.put({
      hash: payment.hash,
      blob: payment.blob,
      weight: payment.weight,
      fee: payment.base.fee,
      receiveTime: now,
      lastRelayedTime: now,
      relayed: origin !== 'sender, not to be relayed',
      doNotRelay: origin === 'sender, not to be relayed',
      keptByBlock,
      doubleSpendSeen: rivals.length > 0,
      maxUsedHeight: used?.height ?? 0,
      maxUsedHash: used?.hash ?? NO_HASH,
      failedHeight: 0,
      failedHash: NO_HASH,
    });
    for (const { keyImage } of payment.inputs) this.#table.addSpend({ keyImage, txHash: payment.hash });
  }

  /**
   * Checks the rings and verifies the signatures, by the rules of the next block.
   * @returns the block that contains the youngest ring member, or names the tree of outputs.
   * @throws Violation
   */
  #checkInputs(payment: Payment): { readonly height: number; readonly hash: Hash } {
    checkFork(payment, this.#chain.version);
    const { rings, youngest } = resolveInputs(payment, this.#chain.view);
    demand(this.#verification.isSigned(payment, rings), 'a ring is not signed', 'invalidInput');
    const block = this.#chain.store.blocks.at(youngest);
    return { height: youngest, hash: block?.hash ?? NO_HASH };
  }

  #tryInputs(payment: Payment): { readonly height: number; readonly hash: Hash } | undefined {
    try {
      return this.#checkInputs(payment);
    } catch (error) {
      if (error instanceof Violation) return undefined;
      throw error;
    }
  }

  /**
   * Yields the transactions that are valid in the next block, highest fee per weight first. The other transactions are
   * marked as failed at the present tip. Source: tx_pool.cpp `is_transaction_ready_to_go`.
   */
  *ready(): Generator<{ readonly entry: PoolTx; readonly payment: Payment }> {
    const { tip } = this.#chain;
    for (const entry of this.#table.all()) {
      if (toHex(entry.failedHash) === toHex(tip.hash)) continue;
      const payment = readPayment(entry.blob);
      const used = this.#tryInputs(payment);
      if (used === undefined) {
        this.#table.put({ ...entry, failedHeight: tip.height, failedHash: tip.hash });
        continue;
      }
      if (entry.maxUsedHeight !== used.height || toHex(entry.maxUsedHash) !== toHex(used.hash))
        this.#table.put({ ...entry, maxUsedHeight: used.height, maxUsedHash: used.hash });
      yield { entry, payment };
    }
  }

  /**
   * Returns the transactions for miners that build blocks themselves, somewhat more than fill a block. If all pool
   * transactions fit, they have hash order; otherwise the highest fees per weight are returned. Source: tx_pool.cpp
   * `get_block_template_backlog`.
   */
  backlog(medianWeight: number): PoolTx[] {
    const most = medianWeight + Math.floor(medianWeight / 8);
    const images = new Set<string>();
    const chosen: PoolTx[] = [];
    let weight = 0;
    const ready = [...this.ready()].filter(({ entry }) => entry.relayed);
    if (this.#relayedWeight() <= most)
      ready.sort(({ entry: a }, { entry: b }) => compareHashes(a.hash, b.hash));
    for (const { entry, payment } of ready) {
      if (weight > most) break;
      const spends = payment.inputs.map(({ keyImage }) => toHex(keyImage));
      if (spends.some((image) => images.has(image))) continue;
      for (const image of spends) images.add(image);
      chosen.push(entry);
      weight += entry.weight;
    }
    return chosen;
  }

  #relayedWeight(): number {
    return this.#table.all().reduce((total, { relayed, weight }) => total + (relayed ? weight : 0), 0);
  }

  /** Removes a transaction and returns it. @throws Violation if the transaction is not in the pool. */
  take(hash: Hash): Payment {
    const entry = this.#table.get(hash);
    demand(entry !== undefined, 'a transaction is not known');
    this.#table.remove(hash);
    return readPayment(entry.blob);
  }

  /** Marks a transaction as relayed. @returns false if the transaction is not in the pool. */
  relay(hash: Hash): boolean {
    const entry = this.#table.get(hash);
    if (entry === undefined) return false;
    this.#table.put({ ...entry, relayed: true, doNotRelay: false, lastRelayedTime: this.#chain.now() });
    return true;
  }

  /** Removes the transactions that have exceeded their lifetime. Source: tx_pool.cpp `remove_stuck_transactions`. */
  removeOutdated(): void {
    const now = this.#chain.now();
    for (const { hash, receiveTime, keptByBlock } of this.#table.all())
      if (now - receiveTime > (keptByBlock ? LIFETIME_KEPT : LIFETIME)) this.#table.remove(hash);
  }

  /**
   * Removes the transactions with the lowest fees per weight until the pool is within its weight limit; the transaction
   * with the highest fee always stays. Source: tx_pool.cpp `prune`.
   */
  #prune(): void {
    if (this.#table.weight() <= MAX_WEIGHT) return;
    for (const { hash } of this.#table.all().slice(1).reverse()) {
      if (this.#table.weight() <= MAX_WEIGHT) return;
      this.#table.remove(hash);
    }
  }
}
