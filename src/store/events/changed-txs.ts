import type { Hash } from '../../monero/crypto/types.js';
import { toHex } from '../../util/bytes.js';
import type { MinedPaymentFacts } from '../../model/events.js';
import type { OutgoingReader } from '../tables/outgoing.js';
import type { PaymentReader } from '../tables/payments.js';
import { minedFacts, type PaymentEvents } from './payment-events.js';
import type { MinedTransfer, TransferFactReader } from '../tables/transfers.js';
import type { TransferEvents } from './transfer-events.js';

/** Tables that {@link ChangedTxs} reads, and event writers that it calls. */
export interface ChangedTxParts {
  readonly payments: PaymentReader;
  readonly outgoing: OutgoingReader;
  readonly events: PaymentEvents;
  readonly transfers: TransferEvents;
  readonly facts: TransferFactReader;
}

/** Facts of a transaction as reported before it changes. */
interface Before {
  readonly txHash: Hash;
  readonly payments: readonly MinedPaymentFacts[];
  readonly transfer: MinedTransfer | undefined;
}

const isSameAddress = (a: MinedPaymentFacts, b: MinedPaymentFacts): boolean =>
  a.subaddress.major === b.subaddress.major && a.subaddress.minor === b.subaddress.minor;

const isSame = (a: MinedPaymentFacts, b: MinedPaymentFacts): boolean =>
  a.height === b.height && a.amount === b.amount;

/** Reports transactions whose stored facts change because a key image, a credited amount or a height becomes known. */
export class ChangedTxs {
  readonly #parts: ChangedTxParts;
  readonly #before = new Map<string, Before>();

  constructor(parts: ChangedTxParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#before.size === 0;
  }

  /**
   * Reads the facts of a transaction before it changes.
   * @param isNew returns true for the heights of blocks that are not reported yet.
   */
  add(txHash: Hash, isNew: (height: number) => boolean): void {
    const name = toHex(txHash);
    if (this.#before.has(name)) return;
    const transfer = this.#parts.facts.minedOf(txHash);
    this.#before.set(name, {
      txHash,
      payments: this.#paymentsOf(txHash).filter(({ height }) => !isNew(height)),
      transfer: transfer === undefined || isNew(transfer.height) ? undefined : transfer,
    });
  }

  #paymentsOf(txHash: Hash): MinedPaymentFacts[] {
    return this.#parts.payments.byTx(txHash).flatMap((payment) => minedFacts(payment) ?? []);
  }

  /**
   * Reports how the transactions have changed since {@link add}, and forgets them.
   * @returns the hashes of the transactions [hex].
   */
  report(batch: ReturnType<PaymentEvents['batch']>): ReadonlySet<string> {
    const changes = [...this.#before.values()];
    const names = new Set(this.#before.keys());
    this.#before.clear();
    for (const before of changes) {
      this.#reportPayments(before, batch);
      this.#reportTransfer(before);
    }
    return names;
  }

  #reportPayments({ txHash, payments }: Before, batch: ReturnType<PaymentEvents['batch']>): void {
    const { events } = this.#parts;
    const now = this.#paymentsOf(txHash);
    for (const payment of payments) {
      const same = now.find((other) => isSameAddress(payment, other));
      if (same === undefined || !isSame(payment, same)) events.reverse(payment, 'corrected');
    }
    for (const payment of now) {
      const same = payments.find((other) => isSameAddress(payment, other));
      if (same === undefined || !isSame(payment, same)) events.mine(payment, batch);
      // The stages of other payments are reported together with the stages of all payments up to the former tip.
      else if (payment.height > batch.from) events.stay(payment, batch);
    }
  }

  #reportTransfer({ txHash, transfer }: Before): void {
    const { facts, transfers, outgoing } = this.#parts;
    const now = facts.minedOf(txHash);
    if (now !== undefined && transfer !== undefined) transfers.change(transfer, now);
    else if (now !== undefined) transfers.mine(now);
    else if (transfer !== undefined && outgoing.byHash(txHash) === undefined)
      transfers.fail(transfer, 'corrected');
  }

  /** Forgets the transactions without a report. */
  clear(): void {
    this.#before.clear();
  }
}
