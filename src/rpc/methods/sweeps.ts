import { atomic, flag, listOf, params, text, u32, u64 } from '../../http/methods/params.js';
import type { Amount } from '../../util/amount.js';
import { once } from '../../util/concurrency.js';
import { WalletError } from '../../model/wallet-error.js';
import { type Kind, ADDRESS, PAYMENT } from '../faults/fault-entry.js';
import { defineMethod, MAKES_PAYMENTS, type WalletMethod } from '../method.js';
import * as sample from '../wire/samples.js';
import { orderParams, orderTerms } from '../wire/order-params.js';
import {
  feeParams,
  resultParams,
  paymentOptions,
  paymentParams,
  resultFields,
  paymentSchema,
  paymentShape,
  paymentsSchema,
  paymentsShape,
} from '../wire/payments.js';
import { readKeyImage, WRONG_ADDRESS } from '../wire/shapes.js';

const sweepParams = {
  ...paymentParams,
  ...orderParams,
  address: text.default('').describe('Address that gets the money, of any kind, or an OpenAlias name'),
  outputs: u64.default(1n).describe('Number of outputs that the money is divided into, at least 1'),
};

/** Kinds of faults of payments that send whole outputs. */
const SWEEP = [
  ...PAYMENT,
  ...ADDRESS,
  'wrong_address',
  'wrong_payment_id',
  'nonzero_unlock_time',
  'bad_priority',
  'needs_split',
] as const satisfies readonly Kind[];

const NOTHING = 0n as Amount;

const sweepAllSchema = once(() =>
  params({
    ...sweepParams,
    account_index: u32.default(0).describe('Index of the account to sweep'),
    subaddr_indices: listOf(u32).describe(
      'Indices of the addresses in the account to sweep; empty: one of them, chosen at random',
    ),
    subaddr_indices_all: flag.default(false).describe('Sweeps all addresses of the account'),
    below_amount: atomic
      .default(NOTHING)
      .describe('Sweeps only outputs with a lower amount [atomic units]; 0: all outputs'),
  }),
);
const sweepSingleSchema = once(() =>
  params({
    ...sweepParams,
    key_image: text.default('').describe('Key image of the output as 64 hex digits'),
  }),
);
const sweepDustSchema = once(() => params({ ...resultParams, ...feeParams, ...orderParams }));

/** Checks the number of outputs per transaction. @throws WalletError `tx_not_possible` */
function outputsOf(outputs: bigint): number {
  if (outputs < 1n)
    throw new WalletError({
      kind: 'tx_not_possible',
      reason: 'outputs is at least 1',
      text: 'Amount of outputs should be greater than 0.',
    });
  return Number(outputs);
}

export const sweepMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'sweep_all',
    summary: 'Sends all spendable outputs of an account, or of some of its addresses, to one address.',
    meta: MAKES_PAYMENTS,
    faults: SWEEP,
    texts: WRONG_ADDRESS,
    params: sweepAllSchema,
    result: paymentsSchema,
    source: 'COMMAND_RPC_SWEEP_ALL, on_sweep_all',
    async handle({ wallet, spender }, args) {
      const request = {
        ...paymentOptions(args, spender),
        address: args.address,
        outputs: outputsOf(args.outputs),
        account: args.account_index,
        minors: args.subaddr_indices_all ? [] : args.subaddr_indices,
        allAddresses: args.subaddr_indices_all,
        below: args.below_amount,
      };
      const made = await wallet.orders.place(orderTerms('sweep_all', sweepAllSchema(), args), {
        pay: (order) => wallet.sweeps.all({ ...request, ...(order && { order }) }),
        payAgain: (order, failed) => wallet.sweeps.again({ ...request, order }, failed),
      });
      return paymentsShape(made, resultFields(args));
    },
  }),

  defineMethod({
    name: 'sweep_single',
    summary: 'Sends one whole output to an address.',
    meta: MAKES_PAYMENTS,
    faults: [...SWEEP, 'wrong_key_image', 'key_image_unknown'],
    texts: { ...WRONG_ADDRESS, key_image_unknown: 'No outputs found' },
    params: sweepSingleSchema,
    result: paymentSchema,
    examples: () => [
      {
        name: 'one output',
        params: { address: sample.address, key_image: sample.keyImage },
        result: sample.payment,
      },
    ],
    source: 'COMMAND_RPC_SWEEP_SINGLE, on_sweep_single',
    async handle({ wallet, spender }, args) {
      const outputs = outputsOf(args.outputs);
      const terms = { ...paymentOptions(args, spender), address: args.address, outputs };
      const made = await wallet.orders.place(orderTerms('sweep_single', sweepSingleSchema(), args), {
        pay: (order) =>
          wallet.sweeps.single({ ...terms, ...(order && { order }) }, () => readKeyImage(args.key_image)),
        payAgain: (order, failed) => wallet.sweeps.again({ ...terms, order }, failed),
      });
      return paymentShape(made, resultFields(args));
    },
  }),

  defineMethod({
    name: 'sweep_dust',
    aliases: ['sweep_unmixable'],
    summary: 'Sends outputs that cannot be mixed in a ring to the wallet itself.',
    meta: MAKES_PAYMENTS,
    faults: PAYMENT,
    params: sweepDustSchema,
    result: paymentsSchema,
    source: 'COMMAND_RPC_SWEEP_DUST, on_sweep_dust',
    async handle({ wallet }, args) {
      const made = await wallet.orders.place(orderTerms('sweep_dust', sweepDustSchema(), args), {
        pay: (order) => wallet.sweeps.unmixable(order),
      });
      return paymentsShape(made, resultFields(args));
    },
  }),
];
