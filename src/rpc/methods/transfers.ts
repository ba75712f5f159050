import type { Destination } from '../../monero/wallet/build/outgoing-tx.js';
import * as z from 'zod';
import { atomic, flag, listOf, none, params, text, u32 } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { toHex } from '../../util/bytes.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import type { OrderTerms } from '../../services/payments/orders.js';
import type { PaymentOptions } from '../../services/payments/payment-maker.js';
import type { TransferRequest } from '../../monero/wallet/select/transfer-request.js';
import type { MadePayments } from '../../model/made-payment.js';
import type { Spender } from '../../model/spender.js';
import { once } from '../../util/concurrency.js';
import { orderParams, orderTerms } from '../wire/order-params.js';
import { type Kind, ADDRESS, CREDENTIAL, DAEMON, PAYMENT, RELAY } from '../faults/fault-entry.js';
import { defineMethod, MAKES_PAYMENTS, type WalletMethod } from '../method.js';
import * as sample from '../wire/samples.js';
import { WRONG_ADDRESS } from '../wire/shapes.js';
import {
  paymentOptions,
  paymentParams,
  resultFields,
  paymentSchema,
  paymentShape,
  paymentsSchema,
  paymentsShape,
} from '../wire/payments.js';

/** The reference's message for every failure to relay a transaction. Source: wallet_rpc_server.cpp `on_relay_tx`. */
const NOT_COMMITTED = 'Failed to commit tx.';

/** Kinds of faults of payments to destinations. */
const TRANSFER = [
  ...PAYMENT,
  ...ADDRESS,
  'wrong_address',
  'wrong_payment_id',
  'no_destination',
  'zero_destination',
  'zero_amount',
  'nonzero_unlock_time',
  'bad_priority',
  'needs_split',
] as const satisfies readonly Kind[];

const destination = z.object({
  amount: atomic.default(0n as z.output<typeof atomic>).describe('Amount to pay [atomic units]'),
  address: text.default('').describe('Address of any kind, or an OpenAlias name'),
});

const transferParams = {
  ...paymentParams,
  ...orderParams,
  destinations: listOf(destination, { refusesMisspeltIn: 'destinations' }).describe('Payments to make'),
  account_index: u32.default(0).describe('Index of the account to pay from'),
  subaddr_indices: listOf(u32).describe(
    'Indices of the addresses in the account whose outputs may be spent; empty: all',
  ),
};

type TransferParams = z.output<z.ZodObject<typeof transferParams>>;

const transferSchema = once(() =>
  params({
    ...transferParams,
    subtract_fee_from_outputs: listOf(u32).describe(
      'Indices of the destinations that share the fee; empty: the wallet pays it',
    ),
    // A parameter that the reference does not have.
    change_outputs: u32.default(1).describe('Number of outputs that the change is divided into, 1 to 14'),
  }),
);
const transferSplitSchema = once(() => params(transferParams));

const requestOf = (args: TransferParams, spender: Spender | undefined) => ({
  ...paymentOptions(args, spender),
  payees: args.destinations,
  account: args.account_index,
  minors: args.subaddr_indices,
});

const placeTransfer = (
  { orders, transfers }: OpenWallet,
  terms: OrderTerms | undefined,
  request: TransferRequest<Destination> & PaymentOptions,
): Promise<MadePayments> =>
  orders.place(terms, {
    pay: (order) => transfers.pay({ ...request, ...(order && { order }) }),
    payAgain: (order, failed) => transfers.payAgain({ ...request, order }, failed),
  });

/** Returns the distinct indices of destinations, in ascending order. */
const distinct = (indices: readonly number[]): number[] => [...new Set(indices)].sort((a, b) => a - b);

export const transferMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'transfer',
    summary: 'Pays one or more destinations with one transaction.',
    meta: MAKES_PAYMENTS,
    faults: TRANSFER,
    texts: WRONG_ADDRESS,
    params: transferSchema,
    result: paymentSchema,
    examples: () => [
      {
        name: 'payment under an idempotency key',
        params: {
          destinations: [{ amount: sample.oneXmr, address: sample.address }],
          priority: 1n,
          idempotency_key: 'withdrawal-4711',
        },
        result: sample.payment,
      },
    ],
    source: 'COMMAND_RPC_TRANSFER, on_transfer',
    async handle({ wallet, spender }, args) {
      const feeFrom = distinct(args.subtract_fee_from_outputs);
      const request = {
        ...requestOf(args, spender),
        feeFrom,
        changeOutputs: args.change_outputs,
        split: false,
      };
      const made = await placeTransfer(wallet, orderTerms('transfer', transferSchema(), args), request);
      return paymentShape(made, resultFields(args));
    },
  }),

  defineMethod({
    name: 'transfer_split',
    summary: 'Pays destinations with as many transactions as needed.',
    meta: MAKES_PAYMENTS,
    faults: TRANSFER,
    texts: WRONG_ADDRESS,
    params: transferSplitSchema,
    result: paymentsSchema,
    examples: () => [
      {
        name: 'payment',
        params: { destinations: [{ amount: sample.oneXmr, address: sample.address }], get_tx_keys: false },
        result: {
          amount_list: [sample.oneXmr],
          amounts_by_dest_list: [{ amounts: [sample.oneXmr] }],
          fee_list: [30_720_000n],
          spent_key_images_list: [{ key_images: [sample.keyImage] }],
          tx_hash_list: [sample.txHash],
          weight_list: [1536n],
          multisig_txset: '',
          unsigned_txset: '',
        },
      },
    ],
    source: 'COMMAND_RPC_TRANSFER_SPLIT, on_transfer_split',
    async handle({ wallet, spender }, args) {
      const request = { ...requestOf(args, spender), feeFrom: [], changeOutputs: 1, split: true };
      const made = await placeTransfer(
        wallet,
        orderTerms('transfer_split', transferSplitSchema(), args),
        request,
      );
      return paymentsShape(made, resultFields(args));
    },
  }),

  defineMethod({
    name: 'relay_tx',
    summary: 'Relays a transaction made with do_not_relay.',
    meta: { family: 'spend', needs: 'wallet', restricted: true },
    faults: [...RELAY, ...CREDENTIAL, 'bad_hex', 'bad_tx_metadata'],
    codes: { daemon_unreachable: -4 },
    texts: { tx_rejected: NOT_COMMITTED, daemon_unreachable: NOT_COMMITTED },
    params: () =>
      params({
        hex: text.default('').describe('Member tx_metadata of a transaction that was made with do_not_relay'),
      }),
    result: () => wire.object({ tx_hash: wire.hash('Transaction hash') }),
    requestSize: 'long-text',
    examples: () => [{ name: 'relay', params: { hex: '0100' }, result: { tx_hash: sample.txHash } }],
    source: 'COMMAND_RPC_RELAY_TX, on_relay_tx',
    async handle({ wallet, spender }, { hex }) {
      return { tx_hash: toHex(await wallet.payments.relay(hex, spender)) };
    },
  }),

  defineMethod({
    name: 'estimate_tx_size_and_weight',
    summary: 'Estimates the size and weight of a transaction.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: ['invalid'],
    params: () =>
      params({
        n_inputs: u32.default(0).describe('Number of inputs, at least 1'),
        n_outputs: u32.default(0).describe('Number of outputs; 1 counts as 2'),
        ring_size: u32.default(0).describe('Size of the rings; 0: that of the network'),
        rct: flag.default(true).describe('Amounts are hidden; false: a transaction from before RingCT'),
      }),
    result: () => wire.object({ size: wire.uint('Size [bytes]'), weight: wire.uint('Weight') }),
    source: 'COMMAND_RPC_ESTIMATE_TX_SIZE_AND_WEIGHT, on_estimate_tx_size_and_weight',
    handle: ({ wallet }, { n_inputs, ring_size, n_outputs, rct }) =>
      wallet.feeEstimator.estimateSize(n_inputs, ring_size, n_outputs, rct),
  }),

  defineMethod({
    name: 'get_default_fee_priority',
    summary: 'Returns the priority of a payment that sets none.',
    meta: { family: 'view', needs: 'wallet', restricted: false },
    faults: [...DAEMON, 'priority_unknown'],
    params: () => none,
    result: () => wire.object({ priority: wire.u32('Fee priority, 1 to 4') }),
    source: 'COMMAND_RPC_GET_DEFAULT_FEE_PRIORITY, on_get_default_fee_priority',
    handle: async ({ wallet }) => ({ priority: await wallet.feeEstimator.defaultPriority() }),
  }),
];
