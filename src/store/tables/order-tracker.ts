import {
  orderState,
  positionsOf,
  STATE_OF,
  type Order,
  type OrderPosition,
  type OrderState,
  type OrderTx,
  type TrackedTx,
} from '../../model/order.js';
import { equalBytes } from '../../util/bytes.js';
import type { OrderReader } from './orders.js';
import type { OutgoingReader } from './outgoing.js';
import { inputsOf, rivalSpends, type InputTables, type RivalSpend } from './rival-spends.js';

/** Tables from which the state of an order follows. */
export interface OrderTables extends InputTables {
  readonly orders: Pick<OrderReader, 'beforeRescan'>;
  readonly outgoing: Pick<OutgoingReader, 'byHash'>;
}

/** An order with its state and the states of its transactions. */
export interface TrackedOrder {
  readonly order: Order;
  readonly state: OrderState;
  readonly positions: readonly OrderPosition[];
}

/**
 * Finds the spends that prevent an attempt from being mined as long as they are in the chain. For a set that other
 * wallets sign, counts only a transaction whose rings were read and differ: the hash alone does not show whether a
 * transaction is a signed version of the set.
 */
export function exclusions(r: InputTables, { made, rival }: OrderTx): RivalSpend[] {
  const spends = rivalSpends(inputsOf(r, made), made.signed?.txHash);
  if (made.rings !== undefined)
    return spends.filter(({ txHash }) => rival !== undefined && equalBytes(rival, txHash));
  // A set of an earlier version has neither hash nor rings: any of the spends may be a signed version of the set.
  return made.signed === undefined ? [] : spends;
}

/** Determines the states of an order and of its transactions. */
export function trackOrder(r: OrderTables, order: Order): TrackedOrder {
  const positions = positionsOf(order.transactions.map((tx) => trackTx(r, tx)));
  return { order, positions, state: orderState(positions) };
}

function trackTx(r: OrderTables, tx: OrderTx): TrackedTx {
  const txHash = tx.made.signed?.txHash;
  const recorded = txHash && r.outgoing.byHash(txHash);
  // A rescan keeps a payment with a blob as a pending one until it has passed the block of the payment.
  const before =
    recorded === undefined || recorded.state === 'pending'
      ? txHash && r.orders.beforeRescan(txHash)
      : undefined;
  if (recorded !== undefined) {
    const { height = before?.height } = recorded;
    const state = before?.height === undefined ? STATE_OF[recorded.state] : 'mined';
    return { ...tx, isRecorded: true, state, ...(height === undefined ? {} : { height }) };
  }
  if (before !== undefined)
    return { ...tx, isRecorded: false, state: before.height === undefined ? 'relayed' : 'mined', ...before };
  // The record of a sent payment is missing if a rescan did not find it again, or after a reorganisation deeper than
  // SETTLED_DEPTH.
  const isOver = tx.withdrawn !== undefined || tx.sent || exclusions(r, tx).length > 0;
  return { ...tx, isRecorded: false, state: isOver ? 'failed' : 'prepared' };
}
