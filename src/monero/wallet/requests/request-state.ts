import { amount, ZERO, type Amount } from '../../../util/amount.js';
import { openingOf } from '../model/unlock-time.js';
import type { Receipt, RequestPayment, RequestState, RequestTerms } from './payment-request.js';

/** The chain and the time for which a state is computed. */
export interface RequestView {
  /** Returns the height of the tip by which a payment in the block at a height is confirmed; -1 for an empty chain. */
  readonly tipAt: (height: number) => number;
  /** Time [Unix s]. */
  readonly now: number;
}

/**
 * Returns the view of a chain with a tip.
 * @param peakOf returns the height of a former tip by which a payment in the block at a height was confirmed; undefined:
 * no block was replaced. @param now time [Unix s].
 */
export const viewOf = (
  tip: number,
  peakOf: ((height: number) => number) | undefined,
  now: number,
): RequestView => ({
  tipAt: peakOf === undefined ? () => tip : (height) => Math.max(tip, peakOf(height)),
  now,
});

/** Part of a receipt in the state of its request. */
interface Count {
  /** Number of blocks from its block to the tip; 0 in the mempool. */
  readonly confirmations: number;
  /** True while its unlock time has not passed. */
  readonly isLocked: boolean;
  /** True if it arrived after the end of the request. */
  readonly isLate: boolean;
}

/** A payment with its part in the state of its request. */
export interface CountedPayment extends RequestPayment, Count {}

/** State of a payment request, with sums of its payments [atomic units]. */
export interface RequestTotals {
  readonly state: RequestState;
  /** Mined payments in time, without locked ones. */
  readonly mined: Amount;
  /** Payments in the mempool in time, without locked ones. */
  readonly unmined: Amount;
  /** Payments in time with enough confirmations. */
  readonly paid: Amount;
  /** Payments in time that are locked by an unlock time. */
  readonly locked: Amount;
  /** Payments after the end of the request. */
  readonly late: Amount;
  /** Smallest height of the tip at which a payment counts for more than now; absent if blocks change nothing. */
  readonly dueHeight?: number | undefined;
}

/** State of a payment request, with its payments. */
export interface RequestStatus extends RequestTotals {
  readonly payments: readonly CountedPayment[];
}

/** Returns the difference of two amounts; 0 if the second one is greater. */
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
function countOf(end: number, { arrival, height, unlockTime }: Receipt, { tipAt, now }: RequestView): Count {
  const isLate = arrival > end;
  if (height === undefined) return { confirmations: 0, isLocked: unlockTime !== 0n, isLate };
  const tip = tipAt(height);
  const opening = unlockTime === 0n ? undefined : openingOf({ height, unlockTime });
  const isLocked = opening !== undefined && (opening.height > tip || opening.time > now);
  return { confirmations: Math.max(0, tip - height + 1), isLocked, isLate };
}

/** Returns the height of the tip at which a payment in the block at a height is unlocked, or has its confirmations. */
const heightOfEffect = (
  confirmations: number,
  height: number,
  { unlockTime, isLocked }: Pick<Receipt, 'unlockTime'> & Pick<Count, 'isLocked'>,
): number => (isLocked ? openingOf({ height, unlockTime }).height : height + Math.max(1, confirmations) - 1);

function stateOf(
  terms: RequestTerms,
  sums: { readonly mined: bigint; readonly unmined: bigint; readonly paid: bigint },
): RequestState {
  const received = sums.mined + sums.unmined;
  const needed = terms.amount === undefined ? undefined : terms.amount - terms.tolerance;
  if (needed !== undefined && received >= needed) {
    if (sums.paid >= needed) return 'paid';
    return sums.mined >= needed ? 'confirming' : 'seen';
  }
  if (terms.cancelled !== undefined) return 'cancelled';
  if (terms.ended) return 'expired';
  return received === 0n ? 'waiting' : 'partial';
}

/**
 * Longest time by which the block of a later payment may seem older than the request [s]. Blocks may be dated up to two
 * hours ahead, and as far back as the median of the last 60.
 */
const MAX_BACKDATING = 7200;

/**
 * True if a payment was made before its request. Height and time must both say so: the height of a new request rests on
 * the word of a daemon, which could otherwise hide every later payment by a height that is too great, even once it
 * serves no longer. A daemon gains nothing if an old payment counts: it could invent blocks with new ones.
 */
const isOld = ({ height, arrival }: Receipt, { firstHeight, created }: RequestTerms): boolean =>
  height !== undefined && height < firstHeight && arrival < created - MAX_BACKDATING;

/**
 * Computes the state of a payment request from what its address has received, without payments made before it. A receipt
 * counts while it is in time and not locked; it makes the request paid once it has enough confirmations, or, where none are needed, while no other
 * transaction contests it in the mempool.
 */
export function requestTotals(
  terms: RequestTerms,
  receipts: readonly Receipt[],
  view: RequestView,
): RequestTotals {
  const end = endOf(terms);
  const sums = { mined: 0n, unmined: 0n, paid: 0n, locked: 0n, late: 0n };
  let dueHeight = Infinity;
  for (const receipt of receipts) {
    if (isOld(receipt, terms)) continue;
    const { amount: value, height, unlockTime, isContested } = receipt;
    const { confirmations, isLocked, isLate } = countOf(end, receipt, view);
    if (isLate) {
      sums.late += value;
      continue;
    }
    if (isLocked) sums.locked += value;
    else if (height === undefined) sums.unmined += value;
    else sums.mined += value;
    if (!isLocked && !isContested && confirmations >= terms.confirmations) sums.paid += value;
    else if (height !== undefined) {
      const effect = heightOfEffect(terms.confirmations, height, { unlockTime, isLocked });
      if (effect > view.tipAt(height)) dueHeight = Math.min(dueHeight, effect);
    }
  }
  return {
    state: stateOf(terms, sums),
    mined: amount(sums.mined),
    unmined: amount(sums.unmined),
    paid: amount(sums.paid),
    locked: amount(sums.locked),
    late: amount(sums.late),
    dueHeight: dueHeight === Infinity ? undefined : dueHeight,
  };
}

/** Computes the state of a payment request as {@link requestTotals}, with the part of each payment in it. */
export function requestStatus(
  terms: RequestTerms,
  found: readonly RequestPayment[],
  view: RequestView,
): RequestStatus {
  const end = endOf(terms);
  const payments = found
    .filter((payment) => !isOld(payment, terms))
    .map((payment) => ({ ...payment, ...countOf(end, payment, view) }));
  return { ...requestTotals(terms, payments, view), payments };
}
