import * as z from 'zod';
import { params } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import { sum } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { ORDER_STATES, type OrderPosition, type TrackedOrder, type TrackedTx } from '../../model/order.js';
import { nextPage, pageCursor, pageLimit, pageStart, idempotencyKey } from '../wire/limits.js';
import { ADDITION, defineMethod, type WalletMethod } from '../method.js';
import * as sample from '../wire/samples.js';

/** Converts one attempt to make a transaction to a row. @param isCurrent true for the latest attempt. */
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

const orderSchema = () =>
  wire.object({
    idempotency_key: wire.text('Key of the payment'),
    method: wire.text('Method that made the payment'),
    state: wire.oneOf(ORDER_STATES, 'Least advanced state of its current transactions'),
    created: wire.uint('Time of acceptance [Unix s]'),
    transactions: wire.list(
      wire.object({
        position: wire.uint('Index among the transactions of the call'),
        attempt: wire.uint('1: made by the call; above: pays a failed attempt again'),
        current: wire.flag('The attempt is in effect'),
        state: wire.oneOf(ORDER_STATES, 'State of the transaction'),
        tx_hash: wire.hex('Transaction hash; empty if it is not signed'),
        amount: wire.amount('Sum of the payments, without change and fee'),
        fee: wire.amount('Fee'),
        destinations: wire.list(
          wire.object({ address: wire.text('Address paid'), amount: wire.amount('Amount paid') }),
          'Payments of the transaction',
        ),
        height: wire.uint('Height of its block; 0 if it is not mined'),
        confirmations: wire.uint('Number of blocks from its block to the tip; 0 if it is not mined'),
      }),
      'Attempts, by position',
    ),
  });

/** Methods for payments with an idempotency key; the reference does not have them. */
export const orderMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'get_order',
    summary: 'Returns the state and transactions of the payment with an idempotency key.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: ['order_missing'],
    params: () => params({ idempotency_key: idempotencyKey.describe('Key of the payment') }),
    result: orderSchema,
    examples: () => [
      {
        name: 'state of a payment',
        params: { idempotency_key: 'withdrawal-4711' },
        result: {
          idempotency_key: 'withdrawal-4711',
          method: 'transfer',
          state: 'mined' as const,
          created: 1_760_000_000n,
          transactions: [
            {
              position: 0n,
              attempt: 1n,
              current: true,
              state: 'mined' as const,
              tx_hash: sample.txHash,
              amount: sample.oneXmr,
              fee: 30_720_000n,
              destinations: [{ address: sample.address, amount: sample.oneXmr }],
              height: 3_400_000n,
              confirmations: 12n,
            },
          ],
        },
      },
    ],
    source: ADDITION,
    handle: ({ wallet }, args) => orderShape(wallet, wallet.orders.get(args.idempotency_key)),
  }),

  defineMethod({
    name: 'list_orders',
    summary: 'Lists payments with an idempotency key, the latest first.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: [],
    params: () =>
      params({
        state: z.enum(ORDER_STATES).optional().describe('Lists only payments in this state; absent: all'),
        limit: pageLimit.describe('Largest number of payments'),
        cursor: pageCursor,
      }),
    result: () =>
      wire.object({
        orders: wire.list(orderSchema(), 'Payments, latest first'),
        cursor: wire.text('Cursor for the next page; absent on the last one').optional(),
      }),
    source: ADDITION,
    async handle({ wallet }, { state, limit, cursor }) {
      const found = await wallet.orders.list({
        limit,
        before: pageStart(cursor),
        ...(state === undefined ? {} : { state }),
      });
      const last = found.at(-1)?.order.sequence;
      return {
        orders: found.map((order) => orderShape(wallet, order)),
        ...nextPage({ count: found.length, last }, limit),
      };
    },
  }),
];
