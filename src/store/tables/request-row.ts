import type {
  PaymentRequest,
  RequestPrice,
  RequestState,
  RequestTerms,
} from '../../model/payment-request.js';
import type { ZeroConfRule } from '../../model/zero-conf.js';
import { amount, type Amount } from '../../util/amount.js';
import { toAmount, toFlag, toNumber, type Integer } from './columns.js';

/** Columns of the terms of a request, and of its place. */
interface TermsRow {
  readonly sequence: Integer;
  readonly account: Integer;
  readonly minor: Integer;
  readonly amount: Integer | null;
  readonly tolerance: Integer;
  readonly confirmations: Integer;
  readonly first_height: Integer;
  readonly created: Integer;
  readonly expires: Integer | null;
  readonly cancelled: Integer | null;
  readonly ended: Integer;
  /** JSON object. */
  readonly zero_conf: string | null;
}
const TERMS_COLUMNS = `p.sequence, p.account, p.minor, p.amount, p.tolerance, p.confirmations, p.first_height, p.created,
  p.expires, p.cancelled, p.ended, p.zero_conf`;

/** Columns of a {@link PaymentRequest}. */
export interface RequestRow extends TermsRow {
  readonly request_id: string;
  readonly token: Uint8Array;
  readonly reference: string | null;
  readonly metadata: string | null;
  readonly return_url: string | null;
  readonly returns: Integer;
  /** JSON object. */
  readonly price: string | null;
  readonly locale: string | null;
  readonly asks: Integer;
  readonly refund_address: string | null;
  readonly state: RequestState;
  readonly changed: Integer;
}
export const REQUEST_COLUMNS = `${TERMS_COLUMNS}, p.request_id, p.token, p.reference, p.metadata, p.return_url,
  p.returns, p.price, p.locale, p.asks, p.refund_address, s.state, s.changed`;

/** Columns of a {@link ReportedRequest}. */
interface ReportedRow {
  readonly state: RequestState;
  readonly received: Integer;
  readonly paid: Integer;
  readonly locked: Integer;
  readonly late: Integer;
  readonly expiry_reported: Integer;
  readonly due_height: Integer | null;
}
const SUMS_COLUMNS = 's.received, s.paid, s.locked, s.late, s.expiry_reported, s.due_height';

/** Columns of a {@link ReportableRequest}. */
export type ReportableRow = TermsRow & ReportedRow;
export const REPORTABLE_COLUMNS = `${TERMS_COLUMNS}, s.state, ${SUMS_COLUMNS}`;

/** Columns of a {@link TrackedRequest}. */
export type TrackedRow = RequestRow & ReportedRow;
export const TRACKED_COLUMNS = `${REQUEST_COLUMNS}, ${SUMS_COLUMNS}`;

/** State of a request that its events have reported. */
export interface ReportedRequest {
  readonly state: RequestState;
  /** Sum of the payments in time, mined or not [atomic units]. */
  readonly received: Amount;
  /** Largest sum of the payments with enough confirmations since the last reversal [atomic units]. */
  readonly paid: Amount;
  /** Sum of the payments in time that an unlock time locks [atomic units]. */
  readonly locked: Amount;
  /** Sum of the payments after the end of the request [atomic units]. */
  readonly late: Amount;
  /** True if the expiry of the request was reported. */
  readonly isExpiryReported: boolean;
  /**
   * Smallest height of the tip at which a payment is unlocked or has its confirmations; absent: the tip changes no
   * payment.
   */
  readonly dueHeight?: number | undefined;
}

/** Facts of a request that decide its events. */
export interface ReportableRequest extends RequestTerms, Pick<PaymentRequest, 'sequence' | 'subaddress'> {
  readonly reported: ReportedRequest;
}

/** A request with its state as reported by its events. */
export interface TrackedRequest extends PaymentRequest, ReportableRequest {}

/** Returns a value of a column that may be empty. */
const present = <T>(column: Integer | null, convert: (column: Integer) => T): T | undefined =>
  column === null ? undefined : convert(column);

const toReported = (row: ReportedRow): ReportedRequest => ({
  state: row.state,
  received: toAmount(row.received),
  paid: toAmount(row.paid),
  locked: toAmount(row.locked),
  late: toAmount(row.late),
  isExpiryReported: toFlag(row.expiry_reported),
  dueHeight: present(row.due_height, toNumber),
});

/** Writes a rule for payments in the mempool. */
export const ruleText = ({ maxAmount, ...rule }: ZeroConfRule): string =>
  JSON.stringify({ ...rule, maxAmount: String(maxAmount) });

export function toRule(text: string): ZeroConfRule {
  const { maxAmount, ...rule } = JSON.parse(text) as Omit<ZeroConfRule, 'maxAmount'> & {
    readonly maxAmount: string;
  };
  return { ...rule, maxAmount: amount(BigInt(maxAmount)) };
}

const toTerms = (row: TermsRow): Omit<ReportableRequest, 'reported'> => ({
  sequence: toNumber(row.sequence),
  subaddress: { major: toNumber(row.account), minor: toNumber(row.minor) },
  amount: present(row.amount, toAmount),
  tolerance: toAmount(row.tolerance),
  confirmations: toNumber(row.confirmations),
  firstHeight: toNumber(row.first_height),
  created: toNumber(row.created),
  expires: present(row.expires, toNumber),
  cancelled: present(row.cancelled, toNumber),
  ended: toFlag(row.ended),
  ...(row.zero_conf === null ? {} : { zeroConf: toRule(row.zero_conf) }),
});

export const toReportable = (row: ReportableRow): ReportableRequest => ({
  ...toTerms(row),
  reported: toReported(row),
});

export const toRequest = (row: RequestRow): PaymentRequest => ({
  ...toTerms(row),
  requestId: row.request_id,
  token: new Uint8Array(row.token),
  state: row.state,
  changed: toNumber(row.changed),
  returnsAuto: toFlag(row.returns),
  asksRefundAddress: toFlag(row.asks),
  ...(row.reference === null ? {} : { reference: row.reference }),
  ...(row.metadata === null ? {} : { metadata: row.metadata }),
  ...(row.return_url === null ? {} : { returnUrl: row.return_url }),
  ...(row.price === null ? {} : { price: JSON.parse(row.price) as RequestPrice }),
  ...(row.locale === null ? {} : { locale: row.locale }),
  ...(row.refund_address === null ? {} : { refundAddress: row.refund_address }),
});

export const toTracked = (row: TrackedRow): TrackedRequest => ({
  ...toRequest(row),
  reported: toReported(row),
});
