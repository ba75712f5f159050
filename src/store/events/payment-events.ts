import type { OwnedOutput, ReceivedTx, TxFindings } from '../../monero/wallet/scan/findings.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { MinedPaymentFacts, PaymentFacts, ReversalReason } from '../../model/events.js';
import type { Payment, PaymentReader } from '../tables/payments.js';
import { openingOf } from '../../monero/cryptonote/unlock-time.js';
import { arrivalInBlock, type Sight } from '../../model/arrival.js';
import type { ArrivalWriter } from '../tables/arrivals.js';
import { type EventWriter, UNLOCKED } from '../tables/events.js';
import type { LockedPayments, ReportedPayments, SeenPayment, SeenPayments } from '../tables/reported.js';
import type { EventPeaks, PeakOf } from './event-peaks.js';
import type { Following, Rescan } from './chain-progress.js';
import type { RequestEvents } from './request-events.js';
import { lockOf, type Stages } from './stages.js';
import { equalBytes } from '../../util/bytes.js';
import { amount } from '../../util/amount.js';

/** Tables and settings that {@link PaymentEvents} uses. */
export interface PaymentEventParts {
  readonly rows: EventWriter;
  readonly payments: PaymentReader;
  readonly seen: SeenPayments;
  readonly locked: LockedPayments;
  readonly reported: ReportedPayments;
  readonly arrivals: ArrivalWriter;
  readonly following: Following;
  readonly rescan: Rescan;
  readonly peaks: EventPeaks;
  readonly stages: Stages;
  readonly requests: RequestEvents;
}

/** Heights of the tip before and after a change; -1 for an empty chain. */
export interface Tips {
  readonly from: number;
  readonly to: number;
}

/** State that is the same for all payments of one change, read once. */
interface Batch extends Tips {
  /** Function of {@link EventPeaks.reader}; undefined if there is no peak. */
  readonly peakOf: PeakOf | undefined;
  /**
   * Height of the tip above which payments are new to the wallet: payments below it were missed, or are found again.
   */
  readonly known: number;
  /** First sight of the new payments. */
  readonly sight: Sight;
  readonly hasSeen: boolean;
  readonly hasReported: boolean;
}

/**
 * Returns the facts of a mined payment; undefined if no amount of it is credited, because all its outputs are burnt.
 */
export function minedFacts({ tx, subaddress, amount }: Payment): MinedPaymentFacts | undefined {
  if (amount === 0n) return undefined;
  const { txHash, height, timestamp, unlockTime, coinbase, paymentId } = tx;
  const id = paymentId === undefined ? {} : { paymentId };
  return { txHash, subaddress, amount, height, timestamp, unlockTime, coinbase, ...id };
}

/**
 * Sight of a payment in a block that the wallet had read before without finding the payment: only the date of the block
 * shows its time.
 */
const missed = ({ time }: Sight): Sight => ({ time, since: 0 });

/** Appends the events of payments to the wallet. */
export class PaymentEvents {
  readonly #parts: PaymentEventParts;

  constructor(parts: PaymentEventParts) {
    this.#parts = parts;
  }

  /**
   * Reads the state that {@link mine} and {@link stay} need; the state must not change between this call and their
   * calls.
   */
  batch(tips: Tips): Batch {
    const { rows, peaks, seen, reported, rescan, following } = this.#parts;
    return {
      ...tips,
      peakOf: peaks.reader(),
      known: Math.max(tips.from, rescan.to ?? -1),
      sight: following.sight(rows.now()),
      hasSeen: !seen.isEmpty,
      hasReported: !reported.isEmpty,
    };
  }

  /**
   * Reports a payment that was found in a block, with the stages that it has already reached. {@link advance} reports
   * the stages above the former tip of a payment up to it.
   */
  mine(payment: MinedPaymentFacts, batch: Batch): void {
    const { rows, seen, reported, stages, requests, peaks } = this.#parts;
    const { known, sight } = batch;
    requests.mine(payment, arrivalInBlock(payment.timestamp, payment.height > known ? sight : missed(sight)));
    const before = batch.hasReported ? reported.take(payment) : undefined;
    if (before?.height === payment.height && before.amount === payment.amount) {
      this.stay(payment, batch);
      return;
    }
    if (before !== undefined) this.reverse(before, 'rescan');
    const taken = batch.hasSeen ? seen.take(payment) : undefined;
    const tip = payment.height > batch.from ? batch.to : batch.from;
    if (batch.peakOf !== undefined && batch.peakOf(payment) > tip) peaks.begin(payment);
    const lock = lockOf(payment);
    rows.append(
      { type: 'payment.mined', data: taken === undefined ? payment : { ...payment, seen: taken.event } },
      lock === 'other' ? this.#reachedOrLocked(payment, tip) : stages.reachedAt(lock, payment.height, tip),
    );
  }

  /**
   * Returns the stages that a payment with an `other` lock has reached; unless it is unlocked already, records it in
   * the table of locked payments.
   */
  #reachedOrLocked(payment: MinedPaymentFacts, tip: number): string {
    const { rows, locked, stages } = this.#parts;
    const reached = stages.between(payment, -1, tip);
    const opening = openingOf(payment);
    if (opening.height > tip || opening.time > rows.now()) locked.add(payment, opening);
    else if (opening.time !== 0) reached.push(UNLOCKED);
    return reached.join(',');
  }

  /** Reports the new stages of a payment that was reported as mined before. */
  stay(payment: MinedPaymentFacts, { from, to, peakOf }: Batch): void {
    const { rows, stages } = this.#parts;
    const reached = stages
      .between(payment, Math.max(from, peakOf?.(payment) ?? from), to)
      // Payments with an `other` lock are reported by `#open`.
      .filter((stage) => stage !== UNLOCKED || lockOf(payment) !== 'other');
    for (const stage of reached)
      rows.append(
        stage === UNLOCKED
          ? { type: 'payment.unlocked', data: payment }
          : { type: 'payment.confirmed', data: { ...payment, confirmations: Number(stage) } },
      );
  }

  /** Reports the new stages of all payments up to the former tip. */
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

  /** Reports the payments in the table of locked payments that are unlocked by now. */
  #open(tip: number): void {
    const { rows, payments, locked, requests } = this.#parts;
    for (const key of locked.due(tip, rows.now())) {
      const payment = payments
        .byTx(key.txHash)
        .find(
          ({ subaddress: { major, minor } }) =>
            major === key.subaddress.major && minor === key.subaddress.minor,
        );
      const facts = payment && minedFacts(payment);
      // During a rescan the payment may not be found again yet.
      if (facts === undefined) continue;
      locked.remove(key);
      requests.touch(facts.subaddress);
      rows.append({ type: 'payment.unlocked', data: facts });
    }
  }

  /** Reports a mined payment as reversed, together with its stages. */
  reverse(payment: MinedPaymentFacts, reason: ReversalReason): void {
    const { rows, locked, requests, peaks } = this.#parts;
    requests.touch(payment.subaddress);
    locked.remove(payment);
    peaks.forget(payment);
    const reverses = rows.minedId(payment);
    const named = reverses === undefined ? {} : { reverses };
    rows.append({ type: 'payment.reversed', data: { ...payment, ...named, reason } });
  }

  /** Reports an unmined payment as reversed. */
  #reverse({ facts, event }: SeenPayment, reason: ReversalReason): void {
    this.#parts.requests.touch(facts.subaddress);
    this.#parts.rows.append({ type: 'payment.reversed', data: { ...facts, reverses: event, reason } });
  }

  /** Reports a payment in the mempool as `payment.seen`. */
  see(payment: PaymentFacts): void {
    const { rows, seen, reported, requests, arrivals, following } = this.#parts;
    requests.touch(payment.subaddress);
    arrivals.see(payment, following.sight(payment.timestamp));
    const before = reported.isEmpty ? undefined : reported.take(payment);
    if (before !== undefined) this.reverse(before, 'rescan');
    seen.add(payment, rows.append({ type: 'payment.seen', data: payment }));
  }

  /** Reports a payment as reversed that has left the mempool. */
  drop(payment: SeenPayment): void {
    if (this.#parts.seen.take(payment.facts) !== undefined) this.#reverse(payment, 'dropped');
  }

  /**
   * Reports the payments of a transaction as reversed, because the mempool's transaction no longer counts as a payment.
   */
  dropTx(txHash: Hash): void {
    for (const payment of this.#parts.seen.ofTx(txHash)) this.drop(payment);
  }
}

/** Object spread is not used, because it takes longer and a page has many payments. */
function factsOf(tx: ReceivedTx, { subaddress, amount: value }: OwnedOutput): MinedPaymentFacts {
  const { txHash, height, timestamp, unlockTime, coinbase, paymentId } = tx;
  const facts = { txHash, subaddress, amount: value, height, timestamp, unlockTime, coinbase };
  return paymentId === undefined ? facts : { ...facts, paymentId };
}

/**
 * Adds an output to the payments of its transaction, which are the last `count` payments of a list.
 * @returns the new number of the transaction's payments.
 */
function addOutput(
  payments: MinedPaymentFacts[],
  count: number,
  tx: ReceivedTx,
  output: OwnedOutput,
): number {
  const { major, minor } = output.subaddress;
  for (let i = payments.length - count; i < payments.length; i++) {
    const payment = payments[i];
    if (payment?.subaddress.major !== major || payment.subaddress.minor !== minor) continue;
    payments[i] = { ...payment, amount: amount(payment.amount + output.amount) };
    return count;
  }
  payments.push(factsOf(tx, output));
  return count + 1;
}

/**
 * Returns the payments of a page from its findings alone, without reading the store; credited amounts and change are
 * not corrected yet.
 * @returns undefined unless the outputs are in the order of their transactions.
 */
export function paymentsIn({ received, outputs }: TxFindings): MinedPaymentFacts[] | undefined {
  const payments: MinedPaymentFacts[] = [];
  let at = 0;
  for (const tx of received) {
    let count = 0;
    for (; at < outputs.length; at++) {
      const output = outputs[at];
      if (output === undefined || !equalBytes(output.txHash, tx.txHash)) break;
      if (!output.change) count = addOutput(payments, count, tx, output);
    }
  }
  return at === outputs.length ? payments : undefined;
}
