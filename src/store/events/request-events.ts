import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type {
  EventType,
  MinedPaymentFacts,
  PaymentFacts,
  RefundChange,
  RequestSums,
} from '../../model/events.js';
import { refundable, refundedBy, type Refund } from '../../model/refund.js';
import type { Receipt, RequestState } from '../../model/payment-request.js';
import {
  excessOver,
  requestTotals,
  type RequestTotals,
  type RequestView,
} from '../../model/request-state.js';
import { amount, ZERO, type Amount } from '../../util/amount.js';
import type { ArrivalWriter } from '../tables/arrivals.js';
import type { PaymentRequestWriter } from '../tables/payment-requests.js';
import type { RefundReader } from '../tables/refunds.js';
import type { ReportableRequest, ReportedRequest } from '../tables/request-row.js';
import type { EventWriter } from '../tables/events.js';
import type { Rescan } from './chain-progress.js';

/** Tables that {@link RequestEvents} uses. */
export interface RequestEventParts {
  readonly rows: EventWriter;
  readonly requests: PaymentRequestWriter;
  readonly refunds: RefundReader;
  readonly arrivals: ArrivalWriter;
  readonly rescan: Rescan;
}

/** Degree to which a state of a request is fulfilled; 0: the payments do not reach the amount. */
const DEGREE: Readonly<Record<RequestState, number>> = {
  ...{ waiting: 0, partial: 0, expired: 0, cancelled: 0 },
  ...{ seen: 1, confirming: 2, paid: 3 },
};

/** Returns the amount above the requested amount and the tolerance; 0 for an open request. */
const overpaid = ({ amount: asked, tolerance }: ReportableRequest, received: Amount): Amount =>
  asked === undefined ? ZERO : excessOver(received, amount(asked + tolerance));

/** A payment that was found in a block, and the time at which it arrived if this is its first sight [Unix s]. */
interface Found {
  readonly payment: MinedPaymentFacts;
  readonly arrival: number;
}

/** Change of the payments to one address in a transaction. */
interface Change {
  readonly found: Found[];
  /** True if other facts than the payments that were found have changed. */
  isTouched: boolean;
}

/**
 * Appends the events of payment requests. The state of a request is computed anew from the payments to its address
 * whenever one of them changes, and compared with the state that its events have reported.
 */
export class RequestEvents {
  readonly #parts: RequestEventParts;
  /** Addresses whose payments have changed in this transaction, by account and minor index. */
  readonly #changes = new Map<number, Map<number, Change>>();
  /** True if there is a request; undefined until this transaction has looked for requests. */
  #hasRequests: boolean | undefined;

  constructor(parts: RequestEventParts) {
    this.#parts = parts;
  }

  /** True if no request waits for a height of the tip. */
  get isAtRest(): boolean {
    return !this.#parts.requests.awaitsTip;
  }

  /** Notes that payments to an address change in this transaction. */
  touch(subaddress: SubaddressIndex): void {
    if (this.#isUsed) this.#changeAt(subaddress).isTouched = true;
  }

  /**
   * Notes that a payment is found in a block in this transaction.
   * @param arrival time at which it arrived if this is its first sight [Unix s].
   */
  mine(payment: MinedPaymentFacts, arrival: number): void {
    if (this.#isUsed) this.#changeAt(payment.subaddress).found.push({ payment, arrival });
  }

  /** Notes that the chain becomes shorter. @param tip height of its new tip. */
  shorten(tip: number): void {
    if (!this.#isUsed) return;
    for (const subaddress of this.#parts.requests.changedByShortening(tip)) this.touch(subaddress);
  }

  get #isUsed(): boolean {
    return (this.#hasRequests ??= !this.#parts.requests.isEmpty);
  }

  #changeAt({ major, minor }: SubaddressIndex): Change {
    let changes = this.#changes.get(major);
    if (changes === undefined) this.#changes.set(major, (changes = new Map<number, Change>()));
    let change = changes.get(minor);
    if (change === undefined) changes.set(minor, (change = { found: [], isTouched: false }));
    return change;
  }

  /** Notes that the mempool has seen another transaction with the inputs of a payment. */
  contest({ txHash, subaddress }: PaymentFacts): void {
    if (!this.#isUsed) return;
    this.#parts.arrivals.contest(txHash);
    this.touch(subaddress);
  }

  /**
   * Reports the requests whose payments have changed, and the requests for which the tip has reached an awaited height.
   * @param tip height of the tip; -1 for an empty chain.
   */
  settle(tip: number): void {
    const { requests, rescan } = this.#parts;
    const changed = [...this.#changes];
    this.#changes.clear();
    this.#hasRequests = undefined;
    if (changed.length === 0 && !requests.awaitsTip) return;
    const view = this.#view(tip);
    const isPlain = rescan.to === undefined;
    for (const [major, changes] of changed) {
      const only = (request: ReportableRequest): Receipt | undefined => {
        const change = changes.get(request.subaddress.minor);
        const receipts = (change?.found ?? []).map((found) => this.#arrive(found));
        return isPlain && isUnpaid(request) && change?.isTouched === false && receipts.length === 1
          ? receipts[0]
          : undefined;
      };
      this.#reportEach(requests.atAddresses(major, [...changes.keys()]), view, only);
    }
    this.#reportEach(requests.dueAt(tip), view);
  }

  /**
   * Records the arrival of a payment to a request, unless it is known.
   * @returns the receipt that the payment adds to the request.
   */
  #arrive({ payment, arrival }: Found): Receipt {
    const { amount: value, height, unlockTime } = payment;
    const arrived = this.#parts.arrivals.mine(payment, arrival);
    return { amount: value, arrival: arrived, height, unlockTime, isContested: false };
  }

  /** Reports requests. @param onlyOf returns the only receipt of a request if it is known. */
  #reportEach(
    changed: readonly ReportableRequest[],
    view: RequestView,
    onlyOf: (request: ReportableRequest) => Receipt | undefined = () => undefined,
  ): void {
    if (changed.length === 0) return;
    const refunds = this.#parts.refunds.ofEach(changed.map(({ sequence }) => sequence));
    const others: ReportableRequest[] = [];
    for (const request of changed) {
      const only = onlyOf(request);
      if (only === undefined) others.push(request);
      else this.#report(request, [only], refunds, view);
    }
    if (others.length === 0) return;
    const receipts = this.#parts.requests.receiptsAt(others.map(({ subaddress }) => subaddress));
    for (const request of others) this.#report(request, receipts(request.subaddress), refunds, view);
  }

  /** Reports a new request, whose address was paid before. @param tip height of the tip; -1 for an empty chain. */
  begin(request: ReportableRequest, tip: number): void {
    this.#hasRequests = true;
    this.#reportEach([request], this.#view(tip));
  }

  /** Forgets the changes of a transaction that was rolled back. */
  reset(): void {
    this.#changes.clear();
    this.#hasRequests = undefined;
  }

  #view(tip: number): RequestView {
    return { tip, now: this.#parts.rows.now() };
  }

  /**
   * Reports a request whose end has changed: payments that are in time now, or late now, are not reversed by this
   * change.
   * @param tip height of the tip; -1 for an empty chain.
   */
  revise(request: ReportableRequest, tip: number): void {
    const { sequence, subaddress, reported: before } = request;
    const { requests } = this.#parts;
    const sums = requestTotals(request, requests.receiptsAt([subaddress])(subaddress), this.#view(tip));
    const now = reportedOf(sums, before);
    const received = now.received < before.received ? now.received : before.received;
    const revised = { ...request, reported: { ...before, received, late: now.late } };
    requests.report(
      sequence,
      this.#append(revised, now, this.#dataOf(revised, sums)),
      this.#parts.rows.now(),
    );
  }

  /**
   * Reports that the state of a refund has changed.
   * @param request number of the request. @param tip height of the tip; -1 for an empty chain.
   */
  refund(request: number, refund: RefundChange, tip: number): void {
    const { requests, rows } = this.#parts;
    const found = requests.at(request);
    const receipts = requests.receiptsAt([found.subaddress])(found.subaddress);
    const sums = requestTotals(found, receipts, this.#view(tip));
    requests.touch(request, rows.now());
    rows.append({ type: 'request.refund', data: { ...this.#dataOf(found, sums), refund } });
  }

  /** Reports a request whose payments or confirmations have changed. */
  #report(
    request: ReportableRequest,
    receipts: readonly Receipt[],
    refunds: ReadonlyMap<number, readonly Refund[]>,
    view: RequestView,
  ): void {
    const { sequence, reported } = request;
    const sums = requestTotals(request, receipts, view);
    const data = this.#dataOf(request, sums, refunds.get(sequence) ?? []);
    const recorded = this.#append(request, reportedOf(sums, reported), data);
    this.#parts.requests.report(sequence, recorded, view.now, reported);
  }

  /**
   * Appends the events by which a new state of a request differs from its reported state.
   * @param data contents of the events. @returns the state to be recorded.
   */
  #append(request: ReportableRequest, now: ReportedRequest, data: RequestSums): ReportedRequest {
    const { reported: before } = request;
    const types = eventsBetween(request, before, now);
    for (const type of types)
      this.#parts.rows.append(
        type === 'request.reversed' ? { type, data: { ...data, was: before.state } } : { type, data },
      );
    // An excess that disappears and returns is reported again only after a reversal, so that a shop refunds it only
    // once.
    const isHeld = now.paid < before.paid && !types.includes('request.reversed');
    return isHeld ? { ...now, paid: before.paid } : now;
  }

  #dataOf(
    { sequence, subaddress }: Pick<ReportableRequest, 'sequence' | 'subaddress'>,
    { state, mined, unmined, locked, late, settled }: RequestTotals,
    refunds = this.#parts.refunds.of(sequence),
  ): RequestSums {
    return {
      ...{ subaddress, state, received: mined, unconfirmed: unmined, locked, late },
      ...{ refunded: refundedBy(refunds), refundable: refundable('all', undefined, settled, refunds) },
    };
  }
}

/** Type of an event by which a change of payments or terms is reported. */
type RequestEventType = Exclude<Extract<EventType, `request.${string}`>, 'request.refund'>;

/** True if no payment to a request has counted so far. */
const isUnpaid = ({ reported }: ReportableRequest): boolean =>
  reported.received === 0n && reported.locked === 0n && reported.late === 0n;

/** Returns the state of a request that its events report from now on. */
const reportedOf = (
  { state, mined, unmined, paid, locked, late, dueHeight }: RequestTotals,
  { isExpiryReported }: ReportedRequest,
): ReportedRequest => ({
  state,
  received: amount(mined + unmined),
  paid,
  locked,
  late,
  isExpiryReported: isExpiryReported || state === 'expired',
  dueHeight,
});

/** Returns the types of the events between two states of a request, in the order of their ids. */
function eventsBetween(
  request: ReportableRequest,
  before: ReportedRequest,
  now: ReportedRequest,
): RequestEventType[] {
  const types: RequestEventType[] = [];
  const hasEnough = DEGREE[now.state] > 0;
  const isPaid = now.state === 'paid';
  if (DEGREE[now.state] < DEGREE[before.state] || now.received < before.received || now.late < before.late)
    types.push('request.reversed');
  if (now.received > before.received && !hasEnough) types.push('request.partial');
  if (hasEnough && !isPaid && DEGREE[before.state] === 0) types.push('request.seen');
  if (isPaid && before.state !== 'paid') types.push('request.paid');
  if (isPaid && overpaid(request, now.paid) > overpaid(request, before.paid)) types.push('request.overpaid');
  if (now.isExpiryReported && !before.isExpiryReported) types.push('request.expired');
  if (now.late > before.late) types.push('request.late');
  return types;
}
