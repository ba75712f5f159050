import { toHex } from '../../util/bytes.js';
import { amount } from '../../util/amount.js';
import type { PaymentFacts } from '../../monero/wallet/model/events.js';
import { creditedOf, type PoolTx } from '../../monero/wallet/model/records.js';
import type { ChainReader } from '../tables/chain.js';
import type { PaymentReader } from '../tables/payments.js';
import type { PoolReader } from '../tables/pool.js';
import type { SeenPayments } from '../tables/seen-payments.js';
import type { PaymentEvents } from './payment-events.js';

/** Tables and events of {@link PoolEvents}. */
export interface PoolEventParts {
  readonly chain: ChainReader;
  readonly payments: PaymentReader;
  readonly pool: PoolReader;
  readonly seen: SeenPayments;
  readonly events: PaymentEvents;
}

/** Reads of the mempool without a payment, above the height at which it was first missing, after which it is reversed. */
const MAX_MISSES = 2;

const keyOf = ({ txHash, subaddress: { major, minor } }: PaymentFacts): string =>
  `${toHex(txHash)} ${major} ${minor}`;

/** Returns the payments of a transaction of the mempool, without those of which no amount is credited. */
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

  /** Reports the payments of the mempool that are not reported. One that returned to the mempool is kept. */
  follow(): void {
    const { seen, events } = this.#parts;
    const listed = this.#listed();
    for (const payment of seen.list()) {
      const key = keyOf(payment.facts);
      const present = listed.get(key);
      if (present === undefined) continue;
      // The credited amount changes if an output on the same key is mined.
      if (present.amount !== payment.facts.amount) {
        events.drop(payment);
        continue;
      }
      if (payment.goneHeight !== undefined) seen.setGone(payment.facts, undefined, 0);
      listed.delete(key);
    }
    for (const payment of listed.values()) events.see(payment);
  }

  /**
   * Reverses payments that the mempool does not hold, after two reads above the height at which they were first missing:
   * the block that contains one may not be scanned before. To be called after the whole mempool was read.
   */
  decide(): void {
    const { chain, payments, seen, events } = this.#parts;
    const tip = chain.tip()?.height ?? -1;
    const listed = this.#listed();
    for (const payment of seen.list()) {
      const { facts, goneHeight, misses } = payment;
      if (listed.has(keyOf(facts))) continue;
      // Its transaction was mined, but credits nothing to the address.
      if (payments.has(facts.txHash)) events.drop(payment);
      else if (goneHeight === undefined) seen.setGone(facts, tip, 0);
      else if (tip > goneHeight && misses + 1 >= MAX_MISSES) events.drop(payment);
      else if (tip > goneHeight) seen.setGone(facts, goneHeight, misses + 1);
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
