import type { Hash } from '../../crypto/types.js';
import type { MadePayment, MadePayments } from './made-payment.js';
import type { OutgoingState } from './records.js';

/** One attempt to make one transaction of an order. */
export interface OrderTx {
  /** Index among the transactions of the call. */
  readonly position: number;
  /** 1: made by the call; above: pays a failed attempt again. */
  readonly attempt: number;
  /** The daemon refused it when it was first relayed, and it is no longer recorded as a payment. */
  readonly withdrawn: boolean;
  readonly made: MadePayment;
}

/** Request for a payment under an idempotency key. */
export interface OrderRequest {
  readonly key: string;
  readonly method: string;
  /** Hash of the method's parameters. */
  readonly requestHash: Hash;
}

/** A recorded order. */
export interface Order extends OrderRequest, Pick<MadePayments, 'unsignedSet' | 'multisigSet'> {
  /** Order of acceptance. */
  readonly sequence: number;
  /** Unix seconds. */
  readonly created: number;
  /** By position, then attempt. */
  readonly transactions: readonly OrderTx[];
}

/** prepared: recorded, or to be signed or relayed by the caller. relayed: in the pool, as far as known. */
export const ORDER_STATES = ['prepared', 'relayed', 'mined', 'failed'] as const;
export type OrderState = (typeof ORDER_STATES)[number];

const STATE_OF: Readonly<Record<OutgoingState, OrderState>> = {
  prepared: 'prepared',
  pending: 'relayed',
  confirmed: 'mined',
  failed: 'failed',
};

/** @param recorded state of the payment with its hash; undefined if there is none. */
export const attemptState = (
  { withdrawn }: Pick<OrderTx, 'withdrawn'>,
  recorded: OutgoingState | undefined,
): OrderState => {
  if (recorded !== undefined) return STATE_OF[recorded];
  return withdrawn ? 'failed' : 'prepared';
};

/** An attempt with its state. */
export interface TrackedTx extends OrderTx {
  readonly state: OrderState;
  /** Height of its block; mined ones only. */
  readonly height?: number;
}

/** Attempts of one position; the last of them, or the mined one, is in effect. */
export interface OrderPosition {
  readonly attempts: readonly TrackedTx[];
  readonly current: TrackedTx;
}

/** Groups attempts by position. @param transactions by position, then attempt. */
export function positionsOf(transactions: readonly TrackedTx[]): OrderPosition[] {
  const groups = new Map<number, TrackedTx[]>();
  for (const tx of transactions) groups.set(tx.position, [...(groups.get(tx.position) ?? []), tx]);
  return [...groups.values()].flatMap((attempts) => {
    const current = attempts.find(({ state }) => state === 'mined') ?? attempts.at(-1);
    return current === undefined ? [] : [{ attempts, current }];
  });
}

/** State of an order by the transactions in effect: the least advanced one decides. */
export function orderState(
  order: Pick<Order, 'unsignedSet' | 'multisigSet'>,
  positions: readonly OrderPosition[],
): OrderState {
  const states = new Set(positions.map(({ current }) => current.state));
  const found = (['failed', 'prepared', 'relayed', 'mined'] as const).find((state) => states.has(state));
  if (found !== undefined) return found;
  // Without transactions: a sweep that found nothing is done, a set is still to be signed.
  return order.unsignedSet === undefined && order.multisigSet === undefined ? 'mined' : 'prepared';
}
