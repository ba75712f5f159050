import type { Hash } from '../../crypto/types.js';
import type { MadePayment, MadePayments } from './made-payment.js';
import type { OutgoingState } from './records.js';

/** Identifies one attempt to make one transaction of an order. */
export interface OrderPlace {
  /** Number of its order, as in {@link Order}. */
  readonly sequence: number;
  /** Index among the transactions of the call. */
  readonly position: number;
  /** 1: made by the call; above: pays a failed attempt again. */
  readonly attempt: number;
}

/**
 * Reason for which a transaction was not relayed. refused: the daemon said so, and may have relayed it all the same.
 * unsent: it certainly never left this server.
 */
export type Withdrawal = 'refused' | 'unsent';

/** One attempt to make one transaction of an order. */
export interface OrderTx extends OrderPlace {
  /** Present if it is no longer recorded as a payment because it was not relayed. */
  readonly withdrawn?: Withdrawal;
  /** It was recorded as a payment when it was made; others are relayed or signed by the caller. */
  readonly sent: boolean;
  /** A transaction that spends an input of it and is no signature of the same set. */
  readonly rival?: Hash;
  /** Set to be signed, of an attempt above 1. */
  readonly signingSet?: Uint8Array;
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

/** State of an attempt by that of the payment with its hash. */
export const STATE_OF: Readonly<Record<OutgoingState, OrderState>> = {
  prepared: 'prepared',
  pending: 'relayed',
  confirmed: 'mined',
  failed: 'failed',
};

/** An attempt with its state. */
export interface TrackedTx extends OrderTx {
  readonly state: OrderState;
  /** It is recorded as a payment. */
  readonly isRecorded: boolean;
  /** Height of its block; mined ones only. */
  readonly height?: number;
}

/** Attempts of one position; in effect is the mined one, else a relayed one, else the last. */
export interface OrderPosition {
  readonly attempts: readonly TrackedTx[];
  readonly current: TrackedTx;
}

/** Groups attempts by position. @param transactions by position, then attempt. */
export function positionsOf(transactions: readonly TrackedTx[]): OrderPosition[] {
  const groups = new Map<number, TrackedTx[]>();
  for (const tx of transactions) groups.set(tx.position, [...(groups.get(tx.position) ?? []), tx]);
  return [...groups.values()].flatMap((attempts) => {
    const current =
      attempts.find(({ state }) => state === 'mined') ??
      attempts.findLast(({ state }) => state === 'relayed') ??
      attempts.at(-1);
    return current === undefined ? [] : [{ attempts, current }];
  });
}

/** State of an order by the transactions in effect: the least advanced one decides. One without any has ended. */
export function orderState(positions: readonly OrderPosition[]): OrderState {
  const states = new Set(positions.map(({ current }) => current.state));
  return (['failed', 'prepared', 'relayed'] as const).find((state) => states.has(state)) ?? 'mined';
}
