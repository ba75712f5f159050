import { amount, ZERO, type Amount } from '../../../util/amount.js';
import { openingOf } from '../model/unlock-time.js';
import type { RequestPayment, RequestState, RequestTerms } from './payment-request.js';

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

/** A payment with its part in the state of its request. */
export interface CountedPayment extends RequestPayment {
  /** Number of blocks from its block to the tip; 0 in the mempool. */
  readonly confirmations: number;
  /** True while its unlock time has not passed. */
  readonly isLocked: boolean;
  /** True if it arrived after the end of the request. */
  readonly isLate: boolean;
}

/** State of a payment request, with sums of its payments [atomic units]. */
export interface RequestStatus {
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
  readonly payments: readonly CountedPayment[];
  /** Smallest height of the tip at which a payment counts for more than now; absent if blocks change nothing. */
  readonly dueHeight?: number | undefined;
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

function counted(end: number, payment: RequestPayment, { tipAt, now }: RequestView): CountedPayment {
  const { txHash, amount: value, arrival, height, unlockTime, isContested } = payment;
  const tip = height === undefined ? -1 : tipAt(height);
  const opening = unlockTime === 0n ? undefined : openingOf({ height: height ?? 0, unlockTime });
  const isLocked =
    opening !== undefined && (height === undefined || opening.height > tip || opening.time > now);
  const confirmations = height === undefined ? 0 : Math.max(0, tip - height + 1);
  const isLate = arrival > end;
  return { txHash, amount: value, arrival, height, unlockTime, isContested, confirmations, isLocked, isLate };
}

/** Returns the height of the tip at which a payment in the block at a height is unlocked, or has its confirmations. */
const heightOfEffect = (
  confirmations: number,
  { height = 0, isLocked, unlockTime }: CountedPayment,
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
const isOld = ({ height, arrival }: RequestPayment, { firstHeight, created }: RequestTerms): boolean =>
  height !== undefined && height < firstHeight && arrival < created - MAX_BACKDATING;

/**
 * Computes the state of a payment request from the payments to its address, without those made before it. A payment
 * counts while it is in time and not locked; it makes the request paid once it has enough confirmations, or, where none are needed, while no other
 * transaction contests it in the mempool.
 */
export function requestStatus(
  terms: RequestTerms,
  found: readonly RequestPayment[],
  view: RequestView,
): RequestStatus {
  const end = endOf(terms);
  const payments = found
    .filter((payment) => !isOld(payment, terms))
    .map((payment) => counted(end, payment, view));
  const sums = { mined: 0n, unmined: 0n, paid: 0n, locked: 0n, late: 0n };
  let dueHeight = Infinity;
  for (const payment of payments) {
    const { amount: value, height, confirmations, isLocked, isLate, isContested } = payment;
    if (isLate) {
      sums.late += value;
      continue;
    }
    if (isLocked) sums.locked += value;
    else if (height === undefined) sums.unmined += value;
    else sums.mined += value;
    if (!isLocked && !isContested && confirmations >= terms.confirmations) sums.paid += value;
    else if (height !== undefined) {
      const effect = heightOfEffect(terms.confirmations, payment);
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
    payments,
    dueHeight: dueHeight === Infinity ? undefined : dueHeight,
  };
}
