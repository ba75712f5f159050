import { formatUri } from '../../monero/cryptonote/uri.js';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import { differenceOf, excessOver, type RequestStatus } from '../../model/request-state.js';
import type { RequestView } from '../../services/requests/request-views.js';
import { amount, sum, ZERO, type Amount } from '../../util/amount.js';

/**
 * States of a pay page. `received`: an open request has payments. `overpaid`: paid, with more than amount and
 * tolerance. The other states are states of the payment request.
 */
export type PayState =
  | 'waiting'
  | 'partial'
  | 'received'
  | 'seen'
  | 'confirming'
  | 'paid'
  | 'overpaid'
  | 'expired';

/** Content of a pay page: facts of one payment request that its payer may know. */
export interface PayView {
  readonly state: PayState;
  /** Requested amount [atomic units]; absent: an open request. */
  readonly amount?: Amount;
  /** Sum of the payments in time, mined or not, without locked payments [atomic units]. */
  readonly received: Amount;
  /** Part of `received` that is not mined [atomic units]. */
  readonly unmined: Amount;
  /** Amount that `received` lacks [atomic units]. */
  readonly missing: Amount;
  /** Amount by which the confirmed payments exceed amount and tolerance [atomic units]. */
  readonly excess: Amount;
  /** Payments after the end of the request [atomic units]. */
  readonly late: Amount;
  /** Payments that an unlock time locks [atomic units]. */
  readonly locked: Amount;
  /** Number of confirmations that the amount has, at most `needed`. */
  readonly confirmations: number;
  /** Number of confirmations that the amount needs; 0: payments count as soon as they are seen in the mempool. */
  readonly needed: number;
  /** Text of the recipient; empty: no text. */
  readonly label: string;
  /** Time after which payments are late [Unix s]; absent: never. */
  readonly expires?: number;
  /** Address, amount and URIs to pay now; absent if no further payment is needed. */
  readonly demand?: Demand;
  /** Page to which the pay page leads back. */
  readonly returnUrl?: string;
  /** True if the wallet has all blocks of the daemon; otherwise payments may be missing. */
  readonly isSynced: boolean;
  /** True if a further block changes the page. */
  readonly awaitsBlock: boolean;
}

/** Payment that is still to be made. */
export interface Demand {
  readonly address: string;
  /** Amount to pay [atomic units]; absent: any amount. */
  readonly amount?: Amount;
  /** URI for wallets, with the label. */
  readonly uri: string;
  /** URI for the QR code, without the label: a small code is easier to scan. */
  readonly codeUri: string;
}

/** Largest number of characters of a label that are shown. */
const MAX_LABEL = 200;

/** Shortens a label, without dividing a character. */
function shortened(label: string): string {
  const chars = [...label.slice(0, 2 * MAX_LABEL + 2)];
  return chars.length <= MAX_LABEL ? label : `${chars.slice(0, MAX_LABEL - 1).join('')}…`;
}

/**
 * Returns the number of confirmations that an amount of payments in time has: the confirmations of the payment that
 * completes the amount.
 */
function confirmationsOf({ payments }: RequestStatus, needed: Amount): number {
  let left: bigint = needed;
  const counted = payments
    .filter(({ isLate, isLocked }) => !isLate && !isLocked)
    .sort((a, b) => b.confirmations - a.confirmations);
  for (const payment of counted) {
    left -= payment.amount;
    if (left <= 0n) return payment.confirmations;
  }
  return 0;
}

function stateOf(
  { request, status }: Pick<RequestView, 'request' | 'status'>,
  excess: Amount,
  now: number,
): PayState {
  switch (status.state) {
    case 'paid':
      return excess > 0n ? 'overpaid' : 'paid';
    case 'waiting':
    case 'partial':
      // A payment now would be late, although the expiry is not recorded yet.
      if (request.expires !== undefined && request.expires < now) return 'expired';
      return status.state === 'partial' && request.amount === undefined ? 'received' : status.state;
    case 'cancelled':
      return 'expired';
    default:
      return status.state;
  }
}

const PAYABLE: ReadonlySet<PayState> = new Set(['waiting', 'partial', 'received']);

function demandOf(address: string, label: string, asked: Amount | undefined, network: NetworkType): Demand {
  const payment = { address, amount: asked ?? ZERO, paymentId: '', recipientName: '' };
  return {
    address,
    ...(asked === undefined ? {} : { amount: asked }),
    uri: formatUri({ ...payment, description: label }, network),
    codeUri: formatUri({ ...payment, description: '' }, network),
  };
}

/** Returns the content of a pay page. @param now time [Unix s]. */
export function payView(
  { request, status, address, label: wholeLabel, isSynced }: RequestView,
  now: number,
  network: NetworkType,
): PayView {
  const { amount: asked, tolerance, confirmations: needed, expires, returnUrl } = request;
  const received = sum([status.mined, status.unmined]);
  const { missing } = differenceOf(asked, received);
  const excess = asked === undefined ? ZERO : excessOver(status.paid, amount(asked + tolerance));
  const least = asked === undefined ? received : amount(asked - tolerance);
  const state = stateOf({ request, status }, excess, now);
  const label = shortened(wholeLabel);
  return {
    ...{ state, received, missing, excess, needed, label, isSynced },
    ...(asked === undefined ? {} : { amount: asked }),
    ...{ unmined: status.unmined, late: status.late, locked: status.locked },
    confirmations: least === 0n ? 0 : Math.min(needed, confirmationsOf(status, least)),
    ...(expires === undefined ? {} : { expires }),
    ...(PAYABLE.has(state)
      ? { demand: demandOf(address, label, asked === undefined ? undefined : missing, network) }
      : {}),
    ...(returnUrl === undefined ? {} : { returnUrl }),
    awaitsBlock: status.dueHeight !== undefined,
  };
}
