import type { WalletReader } from '../../store/wallet-reader.js';
import {
  orderState,
  positionsOf,
  STATE_OF,
  type Order,
  type OrderPosition,
  type OrderState,
  type OrderTx,
  type TrackedTx,
} from '../../monero/wallet/model/order.js';
import { equalBytes } from '../../util/bytes.js';
import { inputsOf, rivalSpends, type RivalSpend } from '../sync/rival-spends.js';

type Reader = Pick<WalletReader, 'orders' | 'outgoing' | 'outputs'>;

/** An order with the states of its transactions. */
export interface TrackedOrder {
  readonly order: Order;
  readonly state: OrderState;
  readonly positions: readonly OrderPosition[];
}

/**
 * Finds the spends which exclude that an attempt is mined while they are in the chain. Of a set that other wallets sign,
 * only a transaction counts whose rings were read: its hash alone does not tell a rival from a signature of the set.
 */
export function exclusions(r: Pick<WalletReader, 'outputs'>, { made, rival }: OrderTx): RivalSpend[] {
  const spends = rivalSpends(inputsOf(r, made), made.signed?.txHash);
  if (made.rings !== undefined)
    return spends.filter(({ txHash }) => rival !== undefined && equalBytes(rival, txHash));
  // Without hash and rings it is a set of an earlier version: any of these may be its signature.
  return made.signed === undefined ? [] : spends;
}

/** Adds the states of its transactions to an order. */
export function trackOrder(r: Reader, order: Order): TrackedOrder {
  const positions = positionsOf(order.transactions.map((tx) => trackTx(r, tx)));
  return { order, positions, state: orderState(positions) };
}

function trackTx(r: Reader, tx: OrderTx): TrackedTx {
  const txHash = tx.made.signed?.txHash;
  const recorded = txHash && r.outgoing.byHash(txHash);
  if (recorded !== undefined) {
    const { state, height } = recorded;
    return { ...tx, isRecorded: true, state: STATE_OF[state], ...(height === undefined ? {} : { height }) };
  }
  const before = txHash && r.orders.beforeRescan(txHash);
  if (before !== undefined)
    return { ...tx, isRecorded: false, state: before.height === undefined ? 'relayed' : 'mined', ...before };
  // Its record is deleted by a rescan that did not find it again, and by a reorganisation below SETTLED_DEPTH.
  const isOver = tx.withdrawn !== undefined || tx.sent || exclusions(r, tx).length > 0;
  return { ...tx, isRecorded: false, state: isOver ? 'failed' : 'prepared' };
}
