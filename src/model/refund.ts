import { amount, sum, ZERO, type Amount } from '../util/amount.js';
import type { Hash } from '../monero/crypto/types.js';
import type { PayoutState, RefundKind } from './payout.js';
import { excessOver, type Settled } from './request-state.js';

/** A refund: a payout that returns money of a payment request. */
export interface Refund {
  readonly kind: RefundKind;
  /** Amount that the customer is owed [atomic units]. */
  readonly amount: Amount;
  /** Id of the payout. */
  readonly payoutId: string;
  readonly address: string;
  /** State of the payout. */
  readonly state: PayoutState;
  /** Time of creation [Unix s]. */
  readonly created: number;
  /** Hash of the transaction that pays it; absent until a batch contains it. */
  readonly txHash?: Hash;
}

/** States of payouts that were not paid: they refund nothing. */
const UNPAID: ReadonlySet<PayoutState> = new Set(['failed', 'cancelled', 'rejected', 'expired']);

/** True if a refund is paid, or still may be. */
export const isLive = ({ state }: Pick<Refund, 'state'>): boolean => !UNPAID.has(state);

/** Adds up the refunds that are paid or still may be [atomic units]. */
export const refundedBy = (refunds: readonly Pick<Refund, 'amount' | 'state'>[]): Amount =>
  sum(refunds.filter(isLive).map((refund) => refund.amount));

const least = (...values: readonly bigint[]): Amount =>
  amount(values.reduce((smallest, value) => (value < smallest ? value : smallest)));

/**
 * Returns the largest amount that a further refund of a kind may have [atomic units]. A refund of an amount, or of all,
 * counts against the excess and the late money before it counts against the price.
 * @param asked requested amount; undefined: an open request, which has no excess.
 */
export function refundable(
  kind: RefundKind,
  asked: Amount | undefined,
  settled: Settled,
  refunds: readonly Pick<Refund, 'amount' | 'kind' | 'state'>[],
): Amount {
  const live = refunds.filter(isLive);
  const refunded = refundedBy(live);
  const left = excessOver(sum([settled.inTime, settled.late]), refunded);
  if (kind === 'all' || kind === 'amount') return left;
  const excess = asked === undefined ? ZERO : excessOver(settled.inTime, asked);
  const surplus = excessOver(sum([excess, settled.late]), refunded);
  const own = excessOver(
    kind === 'excess' ? excess : settled.late,
    refundedBy(live.filter((refund) => refund.kind === kind)),
  );
  return least(own, surplus, left);
}
