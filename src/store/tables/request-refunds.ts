import { requestTotals, type RequestView } from '../../model/request-state.js';
import { isLive, refundable } from '../../model/refund.js';
import { type RefundKind } from '../../model/payout.js';
import type { Payout } from '../../model/payout.js';
import { amount, sum, ZERO, type Amount } from '../../util/amount.js';
import type { PaymentRequestReader } from './payment-requests.js';
import type { RefundReader } from './refunds.js';
import type { ReportableRequest } from './request-row.js';

/** Tables from which refunds are computed. */
export interface RefundTables {
  readonly requests: Pick<PaymentRequestReader, 'at' | 'receiptsAt'>;
  readonly refunds: RefundReader;
}

type Request = Omit<ReportableRequest, 'reported'>;

const totalsOf = ({ requests }: Pick<RefundTables, 'requests'>, request: Request, view: RequestView) =>
  requestTotals(request, requests.receiptsAt([request.subaddress])(request.subaddress), view);
const settledOf = (...args: Parameters<typeof totalsOf>) => totalsOf(...args).settled;

/** Returns the largest amount that a further refund of a request may have [atomic units]. */
export function refundLimit(r: RefundTables, request: Request, kind: RefundKind, view: RequestView): Amount {
  const refunds = r.refunds.of(request.sequence);
  return refundable(kind, request.amount, settledOf(r, request, view), refunds);
}

/** Returns the money of a request that cannot be refunded yet, because it is locked or lacks confirmations [atomic units]. */
export function unsettled(r: RefundTables, request: Request, view: RequestView): Amount {
  const { mined, unmined, locked, late, settled } = totalsOf(r, request, view);
  return amount(sum([mined, unmined, locked, late]) - sum([settled.inTime, settled.late]));
}

/**
 * Returns the amount by which the money of its request does not cover a refund and the refunds before it, because a
 * payment was reversed meanwhile [atomic units]; 0 if it covers them, and for a payout that is no refund.
 */
export function uncovered(r: RefundTables, { refund, payoutId }: Payout, view: RequestView): Amount {
  if (refund === undefined) return ZERO;
  const request = r.requests.at(refund.request);
  const settled = settledOf(r, request, view);
  const refunds = r.refunds.of(refund.request);
  const place = refunds.findIndex((one) => one.payoutId === payoutId);
  const owed = sum(
    refunds
      .slice(0, place + 1)
      .filter(isLive)
      .map((one) => one.amount),
  );
  const covered = settled.inTime + settled.late;
  return owed > covered ? amount(owed - covered) : ZERO;
}
