import type { Hash } from '../../crypto/types.js';
import { toHex } from '../../util/bytes.js';
import {
  checkForm,
  checkOutputs,
  checkRelayable,
  checkWeight,
  readPayment,
  resolveInputs,
  type Payment,
} from '../rules/tx-rules.js';
import { demand, Violation } from '../rules/violation.js';
import { compareHashes, type PoolTx } from '../store/pool.js';
import type { Chain } from './chain.js';
import type { Verdicts } from './verdicts.js';

/** Seconds that a transaction may wait; longer when a block held it. Source: cryptonote_config.h. */
const LIFETIME = 3 * 24 * 60 * 60;
const LIFETIME_KEPT = 7 * 24 * 60 * 60;
/** Weight of all that waits. Source: cryptonote_config.h `DEFAULT_TXPOOL_MAX_WEIGHT`. */
const MAX_WEIGHT = 648_000_000;

const NO_HASH = new Uint8Array(32) as Hash;

export interface PoolOptions {
  /** Relays transactions whose outputs stay locked, which the network has given up. */
  readonly anyUnlockTime: boolean;
}

/** Where a transaction comes from. */
export type Origin = 'sender' | 'sender, not to be relayed' | 'block';

/** Transactions that wait for a block. */
export class Pool {
  readonly #chain: Chain;
  readonly #verdicts: Verdicts;
  readonly #options: PoolOptions;

  constructor(chain: Chain, verdicts: Verdicts, options: PoolOptions) {
    this.#chain = chain;
    this.#verdicts = verdicts;
    this.#options = options;
  }

  get #table() {
    return this.#chain.store.pool;
  }

  /**
   * @returns false for a transaction that is known already. @throws Violation
   * Source: cryptonote_core.cpp `handle_incoming_txs`; tx_pool.cpp `add_tx`.
   */
  add(blob: Uint8Array, origin: Origin): boolean {
    const payment = readPayment(blob);
    if (this.#table.named(payment.hash) !== undefined) return false;
    if (this.#chain.store.transactions.has(payment.hash)) return false;
    checkForm(payment, 2 * this.#chain.measures.penaltyMedian);
    demand(this.#verdicts.areAmountsProved(payment), 'amounts or keys are not proved');
    if (origin !== 'block') demand(this.#chain.isFeeEnough(payment), 'the fee is too low', 'feeTooLow');
    checkWeight(payment);
    if (origin !== 'block') {
      checkRelayable(payment, this.#options.anyUnlockTime);
      this.#refuseDoubleSpend(payment);
    }
    checkOutputs(payment);
    this.#put(payment, origin);
    this.#makeRoom();
    return true;
  }

  #refuseDoubleSpend({ inputs }: Payment): void {
    const rivals = inputs.flatMap(({ keyImage }) => this.#table.spendersOf(keyImage));
    demand(rivals.length === 0, 'the pool spends a key image already', 'doubleSpend');
  }

  /** Notes on all that spend an input of a refused transaction that somebody tried to spend it twice. */
  markRivals(blob: Uint8Array): void {
    for (const { keyImage } of readPayment(blob).inputs)
      for (const rival of this.#table.spendersOf(keyImage)) {
        const tx = this.#table.named(rival);
        if (tx !== undefined && !tx.doubleSpendSeen) this.#table.put({ ...tx, doubleSpendSeen: true });
      }
  }

  /** What a block held may be wrong here and become right again, so it stays. */
  #put(payment: Payment, origin: Origin): void {
    const keptByBlock = origin === 'block';
    const now = this.#chain.clock();
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

  /** @returns the block of the youngest ring member. @throws Violation */
  #checkInputs(payment: Payment): { readonly height: number; readonly hash: Hash } {
    const { rings, youngest } = resolveInputs(payment, this.#chain.view);
    demand(this.#verdicts.isSigned(payment, rings), 'a ring is not signed', 'invalidInput');
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
   * Transactions that the next block may hold, best paid first; notes of the others that they were refused.
   * Source: tx_pool.cpp `is_transaction_ready_to_go`.
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
   * What a miner that makes its own blocks chooses from: a full block and some more, in the order of their hashes
   * unless that is too much, and then the best paid.
   * Source: tx_pool.cpp `get_block_template_backlog`.
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

  /** Takes a transaction out. @throws Violation when it is not there. */
  take(hash: Hash): Payment {
    const entry = this.#table.named(hash);
    demand(entry !== undefined, 'a transaction is not known');
    this.#table.remove(hash);
    return readPayment(entry.blob);
  }

  /** @returns false when it is not there. */
  relay(hash: Hash): boolean {
    const entry = this.#table.named(hash);
    if (entry === undefined) return false;
    this.#table.put({ ...entry, relayed: true, doNotRelay: false, lastRelayedTime: this.#chain.clock() });
    return true;
  }

  /** Drops what waited too long. Source: tx_pool.cpp `remove_stuck_transactions`. */
  removeOutdated(): void {
    const now = this.#chain.clock();
    for (const { hash, receiveTime, keptByBlock } of this.#table.all())
      if (now - receiveTime > (keptByBlock ? LIFETIME_KEPT : LIFETIME)) this.#table.remove(hash);
  }

  /** Drops the worst paid, but for the best, while there is too much. Source: tx_pool.cpp `prune`. */
  #makeRoom(): void {
    if (this.#table.weight() <= MAX_WEIGHT) return;
    for (const { hash } of this.#table.all().slice(1).reverse()) {
      if (this.#table.weight() <= MAX_WEIGHT) return;
      this.#table.remove(hash);
    }
  }
}
