import type { Hash } from '../../monero/crypto/types.js';
import type { MinedPaymentFacts, PaymentFacts, ReversalReason } from '../../monero/wallet/model/events.js';
import type { Payment } from '../../monero/wallet/model/records.js';
import type { EventWriter } from '../tables/events.js';
import { UNLOCKED } from '../tables/event-row.js';
import type { LockedPayments } from '../tables/locked-payments.js';
import type { PaymentReader } from '../tables/payments.js';
import type { ReportedPayments } from '../tables/reported.js';
import type { SeenPayment, SeenPayments } from '../tables/seen-payments.js';
import type { EventPeaks } from './event-peaks.js';
import { lockOf, openingOf, type Stages } from './stages.js';

/** Tables and settings from which payment events follow. */
export interface PaymentEventParts {
  readonly rows: EventWriter;
  readonly payments: PaymentReader;
  readonly seen: SeenPayments;
  readonly locked: LockedPayments;
  readonly reported: ReportedPayments;
  readonly peaks: EventPeaks;
  readonly stages: Stages;
}

/** Tips of the chain before and after a change. */
export interface Tips {
  readonly from: number;
  readonly to: number;
}

/** State that holds for all payments of one change, read once. */
interface Batch extends Tips {
  /** Absent: no peak. */
  readonly peakOf: ((height: number) => number) | undefined;
  readonly hasSeen: boolean;
  readonly hasReported: boolean;
}

/** Returns the facts of a mined payment, or undefined if no amount is credited: burnt outputs only. */
export function minedFacts({ tx, subaddress, amount }: Payment): MinedPaymentFacts | undefined {
  if (amount === 0n) return undefined;
  const { txHash, height, timestamp, unlockTime, coinbase, paymentId } = tx;
  const id = paymentId === undefined ? {} : { paymentId };
  return { txHash, subaddress, amount, height, timestamp, unlockTime, coinbase, ...id };
}

/** Appends the events of mined payments. */
export class PaymentEvents {
  readonly #parts: PaymentEventParts;

  constructor(parts: PaymentEventParts) {
    this.#parts = parts;
  }

  /** Reads the state for {@link mine} and {@link stay}, which must not change in between. */
  batch(tips: Tips): Batch {
    const { peaks, seen, reported } = this.#parts;
    return {
      ...tips,
      peakOf: peaks.reader(),
      hasSeen: !seen.isEmpty,
      hasReported: !reported.isEmpty,
    };
  }

  /** Reports a payment that was found in a block, with the stages that it has reached. */
  mine(payment: MinedPaymentFacts, batch: Batch): void {
    const { rows, seen, reported, stages } = this.#parts;
    const before = batch.hasReported ? reported.take(payment) : undefined;
    if (before?.height === payment.height && before.amount === payment.amount) {
      this.stay(payment, batch);
      return;
    }
    if (before !== undefined) this.reverse(before, 'rescan');
    const taken = batch.hasSeen ? seen.take(payment) : undefined;
    const tip = Math.max(batch.to, batch.peakOf?.(payment.height) ?? -1);
    const lock = lockOf(payment);
    rows.append(
      { type: 'payment.mined', data: taken === undefined ? payment : { ...payment, seen: taken.event } },
      lock === 'other' ? this.#reachedOrLocked(payment, tip) : stages.reachedAt(lock, payment.height, tip),
    );
  }

  /** Stages of a payment with a lock of its own, which is recorded as locked unless it is unlocked. */
  #reachedOrLocked(payment: MinedPaymentFacts, tip: number): string {
    const { rows, locked, stages } = this.#parts;
    const reached = stages.between(payment, -1, tip);
    const opening = openingOf(payment);
    if (opening.height > tip || opening.time > rows.now()) locked.add(payment, opening);
    else if (opening.time > 0) reached.push(UNLOCKED);
    return reached.join(',');
  }

  /** Reports the stages that a payment reaches which was reported as mined before. */
  stay(payment: MinedPaymentFacts, { from, to, peakOf }: Batch): void {
    const { rows, stages } = this.#parts;
    const reached = stages
      .between(payment, Math.max(from, peakOf?.(payment.height) ?? -1), to)
      // Payments with a lock of their own are reported by `open`.
      .filter((stage) => stage !== UNLOCKED || lockOf(payment) !== 'other');
    if (reached.length > 0) rows.append({ type: 'stages', data: payment }, reached.join(','));
  }

  /** Reports the stages that payments up to the former tip reach. */
  advance(batch: Batch): void {
    const { rows, payments, stages } = this.#parts;
    for (const { min, max, stages: reached } of stages.heights(batch.from, batch.to)) {
      if (batch.peakOf === undefined) rows.appendStages(min, max, reached);
      else
        for (const payment of payments.list({ min: min - 1, max })) {
          const facts = minedFacts(payment);
          if (facts !== undefined) this.stay(facts, batch);
        }
    }
    this.#open(batch.to);
  }

  /** Reports payments whose recorded unlock time has passed. */
  #open(tip: number): void {
    const { rows, payments, locked } = this.#parts;
    for (const key of locked.due(tip, rows.now())) {
      const payment = payments
        .byTx(key.txHash)
        .find(
          ({ subaddress: { major, minor } }) =>
            major === key.subaddress.major && minor === key.subaddress.minor,
        );
      const facts = payment && minedFacts(payment);
      // During a rescan it may not be found again yet.
      if (facts === undefined) continue;
      locked.remove(key);
      rows.append({ type: 'stages', data: facts }, UNLOCKED);
    }
  }

  /** Reverses a mined payment, with its stages. */
  reverse(payment: MinedPaymentFacts, reason: ReversalReason): void {
    const { rows, locked } = this.#parts;
    locked.remove(payment);
    const reverses = rows.minedId(payment);
    const named = reverses === undefined ? {} : { reverses };
    rows.append({ type: 'payment.reversed', data: { ...payment, ...named, reason } });
  }

  /** Reverses a payment that is not mined. */
  #reverse({ facts, event }: SeenPayment, reason: ReversalReason): void {
    this.#parts.rows.append({ type: 'payment.reversed', data: { ...facts, reverses: event, reason } });
  }

  /** Reports a payment in the mempool. */
  see(payment: PaymentFacts): void {
    const { rows, seen, reported } = this.#parts;
    const before = reported.isEmpty ? undefined : reported.take(payment);
    if (before !== undefined) this.reverse(before, 'rescan');
    seen.add(payment, rows.append({ type: 'payment.seen', data: payment }));
  }

  /** Reverses a payment that left the mempool. */
  drop(payment: SeenPayment): void {
    if (this.#parts.seen.take(payment.facts) !== undefined) this.#reverse(payment, 'dropped');
  }

  /** Reverses the reported payments of a transaction that the mempool does not list as a payment any more. */
  dropTx(txHash: Hash): void {
    for (const payment of this.#parts.seen.ofTx(txHash)) this.drop(payment);
  }
}
