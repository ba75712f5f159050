import { amount, ZERO, type Amount } from '../util/amount.js';
import { openingOf } from '../monero/cryptonote/unlock-time.js';
import type { Receipt, RequestPayment, RequestState, RequestTerms } from './payment-request.js';

/** The chain and the time for which a state is computed. */
export interface RequestView {
  /** Height of the tip; -1 for an empty chain. */
  readonly tip: number;
  /** Time [Unix s]. */
  readonly now: number;
  /** Counts confirmations by blocks with verified proof of work; absent without `--verify-work`. */
  readonly verified?: ((height: number) => number | undefined) | undefined;
}

/** Part of a receipt in the state of its request. */
interface Count {
  /** Number of blocks from the block of the receipt to the tip; 0 in the mempool. */
  readonly confirmations: number;
  /** Height of the tip by which the confirmations of the receipt are counted. */
  readonly decidingTip: number;
  /** True while the unlock time of the receipt has not passed. */
  readonly isLocked: boolean;
  /** True if the receipt arrived after the end of the request. */
  readonly isLate: boolean;
  /** True if the receipt may have arrived after the end of the request. */
  readonly isPerhapsLate: boolean;
}

/** A payment with its part in the state of its request. */
export interface CountedPayment extends RequestPayment, Count {
  /** Confirmations by blocks with verified proof of work; undefined without `--verify-work`. */
  readonly verifiedConfirmations?: number | undefined;
}

/** Money of a payment request that may be refunded [atomic units]: mined, unlocked, and with enough confirmations. */
export interface Settled {
  /** Payments in time. */
  readonly inTime: Amount;
  /** Payments after the end of the request. */
  readonly late: Amount;
}

/** State of a payment request, with sums of its payments [atomic units]. */
export interface RequestTotals {
  readonly state: RequestState;
  /** Sum of the mined payments in time, without locked payments. */
  readonly mined: Amount;
  /** Sum of the payments in the mempool in time, without locked payments. */
  readonly unmined: Amount;
  /** Payments in time with enough confirmations. */
  readonly paid: Amount;
  /** Payments in time that are locked by an unlock time. */
  readonly locked: Amount;
  /** Payments after the end of the request. */
  readonly late: Amount;
  /** Payments that may be refunded. */
  readonly settled: Settled;
  /**
   * Smallest height of the tip at which a payment is unlocked or has its confirmations; absent if blocks change
   * nothing.
   */
  readonly dueHeight?: number | undefined;
}

/** State of a payment request, with its payments. */
export interface RequestStatus extends RequestTotals {
  readonly payments: readonly CountedPayment[];
}

/** Returns the difference of two amounts; 0 if the second amount is greater. */
export const excessOver = (value: Amount, limit: Amount): Amount =>
  amount(value > limit ? value - limit : 0n);

/** Amounts by which the payments of a request differ from the requested amount [atomic units]. */
export interface Difference {
  readonly missing: Amount;
  readonly excess: Amount;
}

/** Returns the difference of received payments to a requested amount; zeros for an open request. */
export const differenceOf = (asked: Amount | undefined, received: Amount): Difference =>
  asked === undefined
    ? { missing: ZERO, excess: ZERO }
    : { missing: excessOver(asked, received), excess: excessOver(received, asked) };

/** Time after which payments to a request are late [Unix s]. */
const endOf = ({ expires = Infinity, cancelled = Infinity }: RequestTerms): number =>
  Math.min(expires, cancelled);

/** Returns the part of a receipt in the state of a request. @param end time after which payments are late [Unix s]. */
function countOf(end: number, receipt: Receipt, { tip, now }: RequestView): Count {
  const { arrival, earliestArrival = arrival, height, unlockTime, confirmedTo = -1 } = receipt;
  const lateness = { isLate: earliestArrival > end, isPerhapsLate: arrival > end };
  if (height === undefined)
    return { confirmations: 0, decidingTip: tip, isLocked: unlockTime !== 0n, ...lateness };
  // A running rescan takes no confirmations away.
  const decidingTip = Math.max(tip, confirmedTo);
  const opening = unlockTime === 0n ? undefined : openingOf({ height, unlockTime });
  const isLocked = opening !== undefined && (opening.height > decidingTip || opening.time > now);
  return { confirmations: Math.max(0, tip - height + 1), decidingTip, isLocked, ...lateness };
}

/**
 * Returns the height of the tip at which a mined payment is unlocked, or has its confirmations.
 * @param height height of the block of the payment.
 */
const heightOfEffect = (
  confirmations: number,
  height: number,
  { unlockTime, isLocked }: Pick<Receipt, 'unlockTime'> & Pick<Count, 'isLocked'>,
): number => (isLocked ? openingOf({ height, unlockTime }).height : height + Math.max(1, confirmations) - 1);

function stateOf(
  terms: RequestTerms,
  sums: { readonly mined: bigint; readonly unmined: bigint; readonly paid: bigint },
): RequestState {
  // The state `cancelled` is final: not even a payment in time that was unknown or locked at the cancellation changes
  // it.
  if (terms.cancelled !== undefined) return 'cancelled';
  const received = sums.mined + sums.unmined;
  const needed = terms.amount === undefined ? undefined : terms.amount - terms.tolerance;
  if (needed !== undefined && received >= needed) {
    if (sums.paid >= needed) return 'paid';
    return sums.mined >= needed ? 'confirming' : 'seen';
  }
  if (terms.ended) return 'expired';
  return received === 0n ? 'waiting' : 'partial';
}

/**
 * Longest time by which the block of a later payment may seem older than the request [s]. Blocks may be dated up to two
 * hours ahead, and as far back as the median of the last 60.
 */
const MAX_BACKDATING = 7200;

/**
 * True if a payment was made before its request. Height and time must both be earlier: the height of a new request
 * comes from a daemon, which could otherwise hide every later payment by a height that is too great, even after its use
 * has ended. A daemon gains nothing if an old payment counts: it could also invent blocks with new payments.
 */
const isOld = ({ height, arrival }: Receipt, { firstHeight, created }: RequestTerms): boolean =>
  height !== undefined && height < firstHeight && arrival < created - MAX_BACKDATING;

/**
 * Computes the state of a payment request from the receipts of its address, without payments made before the request. A
 * receipt counts while it is in time and not locked; it makes the request paid once it has enough confirmations, or, if
 * no confirmations are needed, while it is certainly in time and no other transaction contests it in the mempool.
 */
export function requestTotals(
  terms: RequestTerms,
  receipts: readonly Receipt[],
  view: RequestView,
): RequestTotals {
  const end = endOf(terms);
  // A payment that does not meet the rule of its request waits for a block.
  const needed = Math.max(terms.zeroConf === undefined ? 0 : 1, terms.confirmations);
  const sums = { mined: 0n, unmined: 0n, paid: 0n, locked: 0n, late: 0n, settled: 0n, settledLate: 0n };
  let dueHeight = Infinity;
  for (const receipt of receipts) {
    if (isOld(receipt, terms)) continue;
    const { amount: value, height, unlockTime, isContested } = receipt;
    const { decidingTip, isLocked, isLate, isPerhapsLate } = countOf(end, receipt, view);
    const depth = height === undefined ? 0 : Math.max(0, decidingTip - height + 1);
    const isSettled = !isLocked && depth >= Math.max(1, terms.confirmations);
    if (isLate) {
      sums.late += value;
      if (isSettled) sums.settledLate += value;
      continue;
    }
    if (isSettled) sums.settled += value;
    if (isLocked) sums.locked += value;
    else if (height === undefined) sums.unmined += value;
    else sums.mined += value;
    const hasEnough = receipt.isAccepted === true || depth >= needed;
    if (!isLocked && !isContested && !isPerhapsLate && hasEnough) sums.paid += value;
    else if (height !== undefined) {
      const effect = heightOfEffect(needed, height, { unlockTime, isLocked });
      if (effect > decidingTip) dueHeight = Math.min(dueHeight, effect);
    }
  }
  return {
    state: stateOf(terms, sums),
    mined: amount(sums.mined),
    unmined: amount(sums.unmined),
    paid: amount(sums.paid),
    locked: amount(sums.locked),
    late: amount(sums.late),
    settled: { inTime: amount(sums.settled), late: amount(sums.settledLate) },
    dueHeight: dueHeight === Infinity ? undefined : dueHeight,
  };
}

/** Computes the state of a payment request as {@link requestTotals}, with the part of each payment in the state. */
export function requestStatus(
  terms: RequestTerms,
  found: readonly RequestPayment[],
  view: RequestView,
): RequestStatus {
  const end = endOf(terms);
  const payments = found
    .filter((payment) => !isOld(payment, terms))
    .map((payment) => ({
      ...payment,
      ...countOf(end, payment, view),
      verifiedConfirmations: view.verified?.(payment.height ?? 0),
    }));
  return { ...requestTotals(terms, payments, view), payments };
}
