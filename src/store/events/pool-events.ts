import type { Hash } from '../../monero/crypto/types.js';
import { toHex } from '../../util/bytes.js';
import { amount } from '../../util/amount.js';
import type { PaymentFacts } from '../../model/events.js';
import { creditedOf, type PoolTx } from '../../monero/wallet/scan/findings.js';
import type { ChainReader } from '../tables/chain.js';
import type { PaymentReader } from '../tables/payments.js';
import type { PoolReader } from '../tables/pool.js';
import type { SeenPayments } from '../tables/reported.js';
import type { PaymentEvents } from './payment-events.js';
import type { RequestEvents } from './request-events.js';

/** Tables and event writer that {@link PoolEvents} uses. */
export interface PoolEventParts {
  readonly chain: ChainReader;
  readonly payments: PaymentReader;
  readonly pool: PoolReader;
  readonly seen: SeenPayments;
  readonly events: PaymentEvents;
  readonly requests: RequestEvents;
}

/**
 * Number of reads of the mempool after which a missing payment is reversed. Only reads count for which the chain is
 * above the height at which the payment was first missing.
 */
const MAX_MISSES = 2;

const keyOf = ({ txHash, subaddress: { major, minor } }: PaymentFacts): string =>
  `${toHex(txHash)} ${major} ${minor}`;

/** Returns the payments in a pool transaction, without payments of which no amount is credited. */
function paymentsOf({ txHash, timestamp, unlockTime, paymentId, outputs }: PoolTx): PaymentFacts[] {
  const id = paymentId === undefined ? {} : { paymentId };
  const payments = new Map<string, PaymentFacts>();
  for (const output of outputs) {
    const { subaddress } = output;
    const none = { txHash, subaddress, amount: amount(0n), timestamp, unlockTime, coinbase: false, ...id };
    const sum = payments.get(keyOf(none)) ?? none;
    payments.set(keyOf(none), { ...sum, amount: amount(sum.amount + creditedOf(output)) });
  }
  return [...payments.values()].filter((payment) => payment.amount > 0n);
}

/** Appends the events of payments in the mempool. */
export class PoolEvents {
  readonly #parts: PoolEventParts;

  constructor(parts: PoolEventParts) {
    this.#parts = parts;
  }

  /**
   * Reports the payments in the mempool that are not reported yet. A reported payment that has returned to the mempool
   * stays reported.
   */
  follow(): void {
    const { seen, events, requests } = this.#parts;
    const listed = this.#listed();
    for (const payment of seen.list()) {
      const key = keyOf(payment.facts);
      const present = listed.get(key);
      if (present === undefined) continue;
      // The credited amount changes when another output with the same output key is mined.
      if (present.amount !== payment.facts.amount) {
        events.drop(payment);
        continue;
      }
      if (payment.goneHeight !== undefined) {
        requests.touch(payment.facts.subaddress);
        seen.setGone(payment.facts, undefined, 0);
      }
      listed.delete(key);
    }
    for (const payment of listed.values()) events.see(payment);
    this.contestListed();
  }

  /** Records which transactions of the mempool have rivals, according to its last read. */
  contestListed(): void {
    this.contest(
      this.#parts.pool.list().flatMap(({ txHash, doubleSpendSeen }) => (doubleSpendSeen ? [txHash] : [])),
    );
  }

  /** Records that the mempool has seen other transactions with the inputs of some transactions. */
  contest(txHashes: readonly Hash[]): void {
    const { seen, requests } = this.#parts;
    for (const txHash of txHashes) for (const { facts } of seen.ofTx(txHash)) requests.contest(facts);
  }

  /**
   * Reverses payments that have left the mempool. Two reads must miss a payment after the chain has grown above the
   * height at which it was first missing, because the block that contains it may not be scanned earlier. Must be called
   * after the whole mempool was read.
   */
  decide(): void {
    const { chain, payments, seen, events, requests } = this.#parts;
    const tip = chain.tip()?.height ?? -1;
    const listed = this.#listed();
    for (const payment of seen.list()) {
      const { facts, goneHeight, misses } = payment;
      if (listed.has(keyOf(facts))) continue;
      // The transaction was mined but credits nothing to this address.
      if (payments.has(facts.txHash)) events.drop(payment);
      else if (goneHeight === undefined) {
        requests.touch(facts.subaddress);
        seen.setGone(facts, tip, 0);
      } else if (tip > goneHeight) {
        const missed = misses + 1;
        if (missed < MAX_MISSES) seen.setGone(facts, goneHeight, missed);
        else events.drop(payment);
      }
    }
  }

  #listed(): Map<string, PaymentFacts> {
    return new Map(
      this.#parts.pool
        .list()
        .flatMap(paymentsOf)
        .map((payment): [string, PaymentFacts] => [keyOf(payment), payment]),
    );
  }
}
