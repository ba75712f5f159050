import type { Hash } from '../monero/crypto/types.js';
import type { KeyedCall } from './keyed-call.js';
import type { MadePayment, MadePayments } from './made-payment.js';
import type { OutgoingState } from '../monero/wallet/build/outgoing-tx.js';

/** Position of an attempt to make one transaction of an order. */
export interface OrderPlace {
  /** Number of the order; see {@link Order.sequence}. */
  readonly sequence: number;
  /** Index of the transaction among the transactions of the call. */
  readonly position: number;
  /**
   * Number of the attempt: 1 for the attempt that the call made; a higher number for a repetition of a failed attempt.
   */
  readonly attempt: number;
}

/**
 * Reason why a transaction was not relayed. `refused`: the daemon refused the transaction, but may have relayed it
 * nevertheless. `unsent`: the transaction certainly never left this server.
 */
export type Withdrawal = 'refused' | 'unsent';

/** One attempt to make one transaction of an order. */
export interface OrderTx extends OrderPlace {
  /**
   * Reason why the attempt is no longer recorded as a payment: its transaction was not relayed. Absent if the attempt
   * is recorded.
   */
  readonly withdrawn?: Withdrawal;
  /** True if the attempt was recorded as a payment when it was made; otherwise the caller relays or signs it. */
  readonly sent: boolean;
  /** Hash of another transaction that spends an input of the attempt and is no signed form of the same set. */
  readonly rival?: Hash;
  /** Transaction set that is to be signed, of an attempt above 1. */
  readonly signingSet?: Uint8Array;
  readonly made: MadePayment;
}

/** A recorded order: the call with its key, and the transactions that it made. */
export interface Order extends KeyedCall, Pick<MadePayments, 'unsignedSet' | 'multisigSet'> {
  /** Number of the order in the sequence of acceptance. */
  readonly sequence: number;
  /** Time of acceptance [Unix s]. */
  readonly created: number;
  /** Attempts, ordered by position, then by number of attempt. */
  readonly transactions: readonly OrderTx[];
}

/**
 * States of an order. `prepared`: recorded, or to be signed or relayed by the caller. `relayed`: in the pool, as far as
 * known. `mined`, `failed`.
 */
export const ORDER_STATES = ['prepared', 'relayed', 'mined', 'failed'] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** State of an attempt, by the state of the payment with the attempt's hash. */
export const STATE_OF: Readonly<Record<OutgoingState, OrderState>> = {
  prepared: 'prepared',
  pending: 'relayed',
  confirmed: 'mined',
  failed: 'failed',
};

/** An attempt and its state. */
export interface TrackedTx extends OrderTx {
  readonly state: OrderState;
  /** True if the attempt is recorded as a payment. */
  readonly isRecorded: boolean;
  /** Height of the block; mined attempts only. */
  readonly height?: number;
}

/**
 * Attempts with the same position. The attempt in effect is the mined attempt; without a mined attempt, a relayed
 * attempt; otherwise the last attempt.
 */
export interface OrderPosition {
  readonly attempts: readonly TrackedTx[];
  readonly current: TrackedTx;
}

/** An order with its state and the states of its transactions. */
export interface TrackedOrder {
  readonly order: Order;
  readonly state: OrderState;
  readonly positions: readonly OrderPosition[];
}

/** Groups attempts by position. @param transactions ordered by position, then by number of attempt. */
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

/**
 * Returns the state of an order: the least advanced state of its transactions in effect. An order without transactions
 * has ended.
 */
export function orderState(positions: readonly OrderPosition[]): OrderState {
  const states = new Set(positions.map(({ current }) => current.state));
  return (['failed', 'prepared', 'relayed'] as const).find((state) => states.has(state)) ?? 'mined';
}
