import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { PaymentFacts, RequestFacts } from '../../monero/wallet/model/events.js';
import type { RequestState } from '../../monero/wallet/requests/payment-request.js';
import { excessOver, requestStatus, type RequestStatus } from '../../monero/wallet/requests/request-state.js';
import { amount, ZERO, type Amount } from '../../util/amount.js';
import type { ReportedRequest, PaymentRequestWriter, TrackedRequest } from '../tables/payment-requests.js';
import type { EventWriter } from '../tables/events.js';
import type { EventPeaks } from './event-peaks.js';

/** Tables that {@link RequestEvents} uses. */
export interface RequestEventParts {
  readonly rows: EventWriter;
  readonly requests: PaymentRequestWriter;
  readonly peaks: EventPeaks;
}

/** Degree to which a state of a request is fulfilled; 0: the payments do not reach the amount. */
const DEGREE: Readonly<Record<RequestState, number>> = {
  ...{ waiting: 0, partial: 0, expired: 0, cancelled: 0 },
  ...{ seen: 1, confirming: 2, paid: 3 },
};

/** Returns the amount above the requested amount and the tolerance; 0 for an open request. */
const overpaid = ({ amount: asked, tolerance }: TrackedRequest, received: Amount): Amount =>
  asked === undefined ? ZERO : excessOver(received, amount(asked + tolerance));

/**
 * Appends the events of payment requests. The state of a request is computed anew from the payments to its address
 * whenever one of them changes, and compared with the state that its events have reported.
 */
export class RequestEvents {
  readonly #parts: RequestEventParts;
  /** Addresses whose payments have changed in this transaction, by account and minor index. */
  readonly #touched = new Map<number, Map<number, SubaddressIndex>>();

  constructor(parts: RequestEventParts) {
    this.#parts = parts;
  }

  /** True if no request waits for a height of the tip. */
  get isAtRest(): boolean {
    return !this.#parts.requests.awaitsTip;
  }

  /** Notes that payments to an address change in this transaction. */
  touch(subaddress: SubaddressIndex): void {
    const { major, minor } = subaddress;
    const account = this.#touched.get(major);
    if (account === undefined) this.#touched.set(major, new Map([[minor, subaddress]]));
    else account.set(minor, subaddress);
  }

  /** Notes the time at which a payment is first seen in the mempool, if it pays a request. */
  arrive({ txHash, subaddress, timestamp }: PaymentFacts): void {
    const { requests } = this.#parts;
    if (!requests.isEmpty && requests.byAddress(subaddress) !== undefined)
      requests.arrive(txHash, subaddress, timestamp);
  }

  /**
   * Reports the requests whose payments have changed, and those for which the tip has reached an awaited height.
   * @param tip height of the tip; -1 for an empty chain.
   */
  settle(tip: number): void {
    const { requests } = this.#parts;
    const touched = [...this.#touched.values()].flatMap((account) => [...account.values()]);
    this.#touched.clear();
    if (requests.isEmpty) return;
    for (const subaddress of touched) {
      const request = requests.byAddress(subaddress);
      if (request !== undefined) this.#report(request, tip);
    }
    for (const request of requests.dueAt(tip)) this.#report(request, tip);
  }

  /** Forgets the changes of a transaction that was rolled back. */
  reset(): void {
    this.#touched.clear();
  }

  /**
   * Reports a request whose end has changed: payments that are in time now, or late now, are not reversed by that.
   * @param tip height of the tip; -1 for an empty chain.
   */
  revise(request: TrackedRequest, tip: number): void {
    this.#report(request, tip, (before, now) => ({
      ...before,
      received: now.received < before.received ? now.received : before.received,
      late: now.late,
    }));
  }

  /**
   * Appends the events by which the state of a request differs from its reported one, and records the new state.
   * @param baseline returns the reported state that the new one is compared with.
   */
  #report(
    request: TrackedRequest,
    tip: number,
    baseline: (before: ReportedRequest, now: ReportedRequest) => ReportedRequest = (before) => before,
  ): void {
    const { rows, requests, peaks } = this.#parts;
    const peakOf = peaks.reader();
    const status = requestStatus(request, requests.paymentsTo(request.subaddress), {
      tipAt: (height) => Math.max(tip, peakOf?.(height) ?? -1),
      now: rows.now(),
    });
    const now = reportedOf(status, request.reported);
    const before = baseline(request.reported, now);
    for (const type of changes(request, before, now)) {
      const facts = factsOf(request, status);
      rows.append(
        type === 'request.reversed' ? { type, data: { ...facts, was: before.state } } : { type, data: facts },
      );
    }
    requests.report(request.sequence, now);
  }
}

/** Returns the state of a request that its events report from now on. */
const reportedOf = (
  { state, mined, unmined, paid, late, dueHeight }: RequestStatus,
  { isExpiryReported }: ReportedRequest,
): ReportedRequest => ({
  state,
  received: amount(mined + unmined),
  paid,
  late,
  isExpiryReported: isExpiryReported || state === 'expired',
  ...(dueHeight === undefined ? {} : { dueHeight }),
});

type RequestEventType =
  | 'request.partial'
  | 'request.seen'
  | 'request.paid'
  | 'request.overpaid'
  | 'request.expired'
  | 'request.late'
  | 'request.reversed';

/** Returns the types of the events between two states of a request, in the order of their ids. */
function changes(request: TrackedRequest, before: ReportedRequest, now: ReportedRequest): RequestEventType[] {
  const isLess =
    DEGREE[now.state] < DEGREE[before.state] || now.received < before.received || now.late < before.late;
  const hasEnough = DEGREE[now.state] > 0;
  const hadEnough = DEGREE[before.state] > 0;
  const isPaidMore = overpaid(request, now.paid) > overpaid(request, before.paid);
  const isReceivedMore = now.received > before.received;
  return [
    ...(isLess ? (['request.reversed'] as const) : []),
    ...(isReceivedMore && now.received > 0n && !hasEnough ? (['request.partial'] as const) : []),
    ...(hasEnough && !hadEnough && now.state !== 'paid' ? (['request.seen'] as const) : []),
    ...(now.state === 'paid' && before.state !== 'paid' ? (['request.paid'] as const) : []),
    ...(now.state === 'paid' && isPaidMore ? (['request.overpaid'] as const) : []),
    ...(now.isExpiryReported && !before.isExpiryReported ? (['request.expired'] as const) : []),
    ...(now.late > before.late ? (['request.late'] as const) : []),
  ];
}

/** Returns the facts of a request that its events contain. */
const factsOf = (
  { requestId, reference, subaddress, amount: asked }: TrackedRequest,
  { state, mined, unmined, locked, late }: RequestStatus,
): RequestFacts => ({
  requestId,
  ...(reference === undefined ? {} : { reference }),
  subaddress,
  state,
  ...(asked === undefined ? {} : { amount: asked }),
  received: mined,
  unconfirmed: unmined,
  locked,
  late,
});
