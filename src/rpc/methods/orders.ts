import { z } from 'zod';
import { params } from '../../jsonrpc/params.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import type { TrackedOrder } from '../../services/payments/orders.js';
import { sum } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { ORDER_STATES, type OrderPosition, type TrackedTx } from '../../wallet/model/order.js';
import { pageLimit } from '../page-params.js';
import { defineMethod, type WalletMethod } from '../method.js';
import { idempotencyKey } from '../order-params.js';

const LATEST = Number.MAX_SAFE_INTEGER;

/** Row of one attempt to make a transaction. */
function attemptShape(wallet: OpenWallet, tx: TrackedTx, isCurrent: boolean) {
  const { signed, destinations, fee } = tx.made;
  const { height } = tx;
  return {
    position: tx.position,
    attempt: tx.attempt,
    current: isCurrent,
    state: tx.state,
    tx_hash: toHex(signed?.txHash ?? new Uint8Array()),
    amount: sum(destinations.map(({ amount }) => amount)),
    fee,
    destinations: destinations.map(({ address, amount }) => ({ address, amount })),
    height: height ?? 0,
    confirmations: height === undefined ? 0 : Math.max(0, wallet.context.store.height() - height),
  };
}

function orderShape(wallet: OpenWallet, { order, state, positions }: TrackedOrder) {
  const rowsOf = ({ attempts, current }: OrderPosition) =>
    attempts.map((tx) => attemptShape(wallet, tx, tx === current));
  return {
    idempotency_key: order.key,
    method: order.method,
    state,
    created: order.created,
    transactions: positions.flatMap(rowsOf),
  };
}

/** Methods for payments with an idempotency key: additions to the reference. */
export const orderMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'get_order',
    summary: 'Returns the state and transactions of the payment with an idempotency key.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    params: params({ idempotency_key: idempotencyKey }),
    source: 'an addition of this server',
    handle: ({ wallet }, args) => orderShape(wallet, wallet.orders.get(args.idempotency_key)),
  }),

  defineMethod({
    name: 'list_orders',
    summary: 'Lists payments with an idempotency key, the latest first.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    params: params({
      state: z.enum(ORDER_STATES).optional(),
      limit: pageLimit,
      cursor: z
        .string()
        .regex(/^\d{1,15}$/, 'expected the cursor of an earlier answer')
        .optional(),
    }),
    source: 'an addition of this server',
    async handle({ wallet }, { state, limit, cursor }) {
      const found = await wallet.orders.list({
        limit,
        before: cursor === undefined ? LATEST : Number(cursor),
        ...(state === undefined ? {} : { state }),
      });
      const last = found.at(-1)?.order.sequence;
      return {
        orders: found.map((order) => orderShape(wallet, order)),
        ...(found.length < limit || last === undefined ? {} : { cursor: String(last) }),
      };
    },
  }),
];
