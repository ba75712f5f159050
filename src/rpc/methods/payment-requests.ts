import * as z from 'zod';
import { JsonRows } from '../../http/calls/json-rows.js';
import {
  atomic,
  height,
  keptText,
  listOf,
  params,
  text,
  u32,
  wholeObject,
} from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import { REQUEST_STATES, type RequestPrice } from '../../model/payment-request.js';
import type { ZeroConfRule } from '../../model/zero-conf.js';
import type { RequestName } from '../../services/requests/payment-requests.js';
import { COMPUTED_KINDS } from '../../services/payouts/refunds.js';
import { badRequest } from '../../services/requests/request-terms.js';
import type { RequestView } from '../../services/requests/request-views.js';
import { ZERO } from '../../util/amount.js';
import { unheld } from '../../util/paged.js';
import { assertAccountRight } from '../access/payout-rights.js';
import type { Kind } from '../faults/fault-entry.js';
import { ADDITION, defineMethod, type WalletMethod } from '../method.js';
import { exportParams, exportPeriod } from '../wire/export-params.js';
import {
  idempotencyKey,
  label,
  reference,
  url,
  nextPage,
  pageCursor,
  pageLimit,
  pageStart,
} from '../wire/limits.js';
import { metadataText } from '../wire/metadata.js';
import { keyedCall } from '../wire/order-params.js';
import { requestCsv, requestSchema, requestShape, sampleRequest } from '../wire/payment-requests.js';
import { feeParams, payoutId, payoutPriority } from '../wire/payout-params.js';
import { rowsOf } from '../wire/rows.js';
import * as sample from '../wire/samples.js';
import { skippedAddresses, skippedOf } from '../wire/shapes.js';

/** Number of listed requests that are viewed in one turn of the event loop. */
const REQUESTS_AT_ONCE = 64;
const MAX_CONFIRMATIONS = 10_000;

/** Decimal number as a text, which keeps all of its digits. */
const decimal = keptText(40, 1);

const addressOf = ({ subaddress }: RequestView['request']) => subaddress;

/** Parameters that name a request; exactly one parameter must be given. */
const nameParams = {
  request_id: text.optional().describe('Id of the request'),
  address: text.optional().describe('Address of the request, in place of its id'),
  reference: reference.optional().describe('Reference of the request, in place of its id'),
};

/**
 * Reads the name of a request.
 * @throws WalletError `bad_payment_request` unless exactly one of the parameters is given.
 */
function nameOf(given: {
  readonly request_id?: string | undefined;
  readonly address?: string | undefined;
  readonly reference?: string | undefined;
}): RequestName {
  const { request_id: requestId, address, reference: ownReference } = given;
  if ([requestId, address, ownReference].filter((name) => name !== undefined).length !== 1)
    throw badRequest('exactly one of request_id, address and reference is needed');
  return {
    ...(requestId === undefined ? {} : { requestId }),
    ...(address === undefined ? {} : { address }),
    ...(ownReference === undefined ? {} : { reference: ownReference }),
  };
}

/** Reads the rule for zero confirmations of a call. */
const ruleOf = (
  given: NonNullable<z.output<ReturnType<typeof createParams>>['zero_conf']>,
): ZeroConfRule => ({
  ...{ maxAmount: given.max_amount, minSeconds: given.min_seconds },
  ...{ minNodes: given.min_nodes, minPriority: given.min_priority },
});

/** Reads the price of a call. */
const priceOf = (given: NonNullable<z.output<ReturnType<typeof createParams>>['price']>): RequestPrice => ({
  ...{ currency: given.currency, amount: given.amount, rate: given.rate, rateTime: given.rate_time },
  ...(given.source === undefined ? {} : { source: given.source }),
});

/** Kinds of faults of every method that names a request. */
const NAMED = ['request_missing', 'bad_payment_request', 'wrong_address'] as const satisfies readonly Kind[];

const createParams = () =>
  params({
    amount: atomic
      .optional()
      .describe('Requested amount [atomic units]; absent: an open request, which counts payments'),
    expires_in: u32.optional().describe('Time until the expiry [s], up to ten years; absent: no expiry'),
    expires_at: height.optional().describe('Time of the expiry [Unix s], in place of expires_in'),
    account_index: u32.default(0).describe('Account that gets the address'),
    confirmations: u32
      .default(0)
      .refine((number) => number <= MAX_CONFIRMATIONS, 'out of range')
      .describe(
        'Number of confirmations that payments need, up to 10000; 0 or less than --confirmations-by-amount: the number there',
      ),
    tolerance: atomic
      .default(ZERO)
      .describe('Difference to the amount that counts as none [atomic units], less than the amount'),
    label: label.default('').describe('Label of the address, part of the URI; empty: none'),
    reference: reference.optional().describe('Name of the request in your system, unique in the wallet'),
    metadata: wholeObject.optional().describe('JSON object that is returned unchanged, at most 4096 bytes'),
    return_url: url
      .optional()
      .describe(
        'https page to which the pay page leads back; outside mainnet also http://localhost; absent: none',
      ),
    return: z
      .enum(['link', 'auto'])
      .default('link')
      .describe(
        'link: the visitor goes back by a button; auto: also by itself, some seconds after the payment',
      ),
    price: z
      .strictObject({
        currency: keptText(10, 2).describe('Code of the currency, such as EUR'),
        amount: decimal.describe('Price as a decimal number in a text, such as "19.90"'),
        rate: decimal.describe('Units of the currency for one XMR, as a decimal number in a text'),
        rate_time: height.describe('Time of the rate [Unix s]'),
        source: keptText(100).optional().describe('Origin of the rate'),
      })
      .optional()
      .describe('Price in another currency, which the amount must fit within the tolerance; absent: none'),
    zero_conf: z
      .strictObject({
        max_amount: atomic.describe('Largest amount of a request to which the rule applies [atomic units]'),
        min_seconds: u32.default(0).describe('Least time in the mempool [s]'),
        min_nodes: u32
          .default(1)
          .describe('Least number of nodes of --daemon-address whose mempools contain it'),
        min_priority: payoutPriority(1).describe('Least priority of its fee, 1 to 4; 0: any fee'),
      })
      .optional()
      .describe(
        'Payments in the mempool that meet this rule count at once; others, and those that another transaction contests, wait for a block; absent: the confirmations alone decide',
      ),
    locale: keptText(64)
      .optional()
      .describe('Language of the pay page (BCP 47); absent: that of its visitor'),
    refunds: z
      .enum(['none', 'ask'])
      .default('none')
      .describe('ask: the customer may give an address for refunds on the pay page'),
    refund_address: keptText(255).optional().describe('Address for refunds; absent: none is known'),
    idempotency_key: idempotencyKey
      .optional()
      .describe('Key of the call: a repeated call returns the same request'),
  });

/** Methods for payment requests; the reference does not have them. */
export const paymentRequestMethods: readonly WalletMethod[] = [
  defineMethod({
    name: 'create_payment_request',
    summary: 'Creates a request for a payment to a new address, whose state follows from the payments to it.',
    meta: { family: 'receive', needs: 'wallet', restricted: true, foreground: true },
    faults: [
      'account_out_of_range',
      'bad_payment_request',
      'reference_taken',
      'order_mismatch',
      'wrong_address',
    ],
    params: createParams,
    result: () => requestSchema().extend(skippedAddresses()),
    examples: () => [
      {
        name: 'request for an order',
        params: { amount: sample.oneXmr, expires_in: 3600n, label: 'order 4711', reference: '4711' },
        result: sampleRequest,
      },
    ],
    source: ADDITION,
    async handle({ wallet }, args) {
      const { amount, expires_in: seconds, expires_at: time, idempotency_key: key } = args;
      if (seconds !== undefined && time !== undefined)
        throw badRequest('expires_in and expires_at exclude each other');
      const expires = seconds === undefined ? time : wallet.paymentRequests.expiryAfter(seconds);
      let skipped = 0;
      const request = await wallet.paymentRequests.create(
        {
          ...(amount === undefined ? {} : { amount }),
          ...(expires === undefined ? {} : { expires }),
          account: args.account_index,
          confirmations: args.confirmations,
          tolerance: args.tolerance,
          label: args.label,
          ...(args.reference === undefined ? {} : { reference: args.reference }),
          ...(args.metadata === undefined ? {} : { metadata: metadataText(args.metadata, badRequest) }),
          ...(args.return_url === undefined ? {} : { returnUrl: args.return_url }),
          ...(args.price === undefined ? {} : { price: priceOf(args.price) }),
          ...(args.locale === undefined ? {} : { locale: args.locale }),
          ...(args.zero_conf === undefined ? {} : { zeroConf: ruleOf(args.zero_conf) }),
          ...(args.refund_address === undefined ? {} : { refundAddress: args.refund_address }),
          returnsAuto: args.return === 'auto',
          asksRefundAddress: args.refunds === 'ask',
          ...(key === undefined
            ? {}
            : { call: keyedCall(key, 'create_payment_request', createParams(), args) }),
        },
        (left) => (skipped = left),
      );
      return { ...requestShape(request), ...skippedOf(skipped) };
    },
  }),

  defineMethod({
    name: 'get_payment_request',
    summary: 'Returns a payment request with its state and payments.',
    meta: { family: 'receive', needs: 'wallet', restricted: false },
    faults: NAMED,
    params: () => params(nameParams),
    result: requestSchema,
    examples: () => [{ name: 'request of an order', params: { reference: '4711' }, result: sampleRequest }],
    source: ADDITION,
    handle: ({ wallet }, args) => requestShape(wallet.paymentRequests.get(nameOf(args))),
  }),

  defineMethod({
    name: 'list_payment_requests',
    summary: 'Lists payment requests, the latest first.',
    meta: { family: 'receive', needs: 'wallet', restricted: false },
    faults: [],
    params: () =>
      params({
        states: listOf(z.enum(REQUEST_STATES)).describe('States of the listed requests; empty: all'),
        state: z.enum(REQUEST_STATES).optional().describe('A further state; absent: none'),
        account_index: u32.optional().describe('Account of the listed requests; absent: all'),
        reference: reference.optional().describe('Lists only the request with this reference; absent: all'),
        text: keptText(255, 1)
          .optional()
          .describe('Text that id, reference, label or metadata of the listed requests contain; absent: all'),
        created_since: height.optional().describe('Least time of creation [Unix s]'),
        changed_since: height
          .optional()
          .describe('Least time of the latest change of terms, state or refunds [Unix s]'),
        min_amount: atomic.optional().describe('Least requested amount; open requests are left out'),
        max_amount: atomic.optional().describe('Largest requested amount; open requests are left out'),
        min_received: atomic.optional().describe('Least sum of the payments in time'),
        max_received: atomic.optional().describe('Largest sum of the payments in time'),
        limit: pageLimit.describe('Largest number of requests'),
        cursor: pageCursor,
      }),
    result: () =>
      wire.object({
        requests: wire.list(requestSchema(), 'Requests, latest first'),
        cursor: wire.text('Cursor for the next page; absent on the last one').optional(),
      }),
    source: ADDITION,
    async handle({ wallet }, args) {
      const { limit } = args;
      const { requests, viewsOf } = await wallet.paymentRequests.list(
        {
          states: args.state === undefined ? args.states : [...args.states, args.state],
          ...{ account: args.account_index, reference: args.reference, text: args.text },
          ...{ createdSince: args.created_since, changedSince: args.changed_since },
          ...{ minAmount: args.min_amount, maxAmount: args.max_amount },
          ...{ minReceived: args.min_received, maxReceived: args.max_received },
        },
        pageStart(args.cursor),
        limit,
      );
      const last = requests.at(-1)?.sequence;
      const pages = async function* () {
        for await (const page of wallet.accounts.labelledPages(requests, REQUESTS_AT_ONCE, addressOf)) {
          wallet.assertOpen();
          yield viewsOf(page);
        }
      };
      return {
        requests: rowsOf(unheld(pages()), requestShape),
        ...nextPage({ count: requests.length, last }, limit),
      };
    },
  }),

  defineMethod({
    name: 'cancel_payment_request',
    summary: 'Cancels a payment request that lacks money; later payments to it are late.',
    meta: { family: 'receive', needs: 'wallet', restricted: true },
    faults: NAMED,
    params: () => params(nameParams),
    result: requestSchema,
    source: ADDITION,
    handle: ({ wallet }, args) => requestShape(wallet.paymentRequests.cancel(nameOf(args))),
  }),

  defineMethod({
    name: 'extend_payment_request',
    summary: 'Sets a later expiry of a payment request; late payments before it count.',
    meta: { family: 'receive', needs: 'wallet', restricted: true },
    faults: NAMED,
    params: () =>
      params({
        ...nameParams,
        expires_in: u32.optional().describe('Time from now until the expiry [s], up to ten years'),
        expires_at: height.optional().describe('Time of the expiry [Unix s], in place of expires_in'),
      }),
    result: requestSchema,
    source: ADDITION,
    handle({ wallet }, { expires_in: seconds, expires_at: time, ...name }) {
      if ((seconds === undefined) === (time === undefined))
        throw badRequest('exactly one of expires_in and expires_at is needed');
      const expires = time ?? wallet.paymentRequests.expiryAfter(seconds ?? 0);
      return requestShape(wallet.paymentRequests.extend(nameOf(name), expires));
    },
  }),

  defineMethod({
    name: 'refund_payment_request',
    summary: 'Returns money of a payment request by a payout, never more than it has received.',
    meta: {
      ...{ family: 'payout_create', needs: 'wallet', account: 'legacy', restricted: true, foreground: true },
      multisig: 'absent',
    },
    faults: [...NAMED, ...['bad_payout', 'payout_mismatch', 'credential_denied', 'spend_limit']] as const,
    params: () =>
      params({
        request_id: nameParams.request_id,
        reference: reference.optional().describe('Reference of the request, in place of its id'),
        refund_id: payoutId.describe(
          'Name of the refund in your system, unique among payouts; the key by which it is paid once',
        ),
        amount: z
          .union([z.enum(COMPUTED_KINDS), atomic])
          .describe(
            'Amount [atomic units], or: excess: payments in time above the amount; late: payments after the end; all: everything that is left',
          ),
        address: text
          .optional()
          .describe('Address of the customer; absent: the refund address of the request'),
        ...feeParams,
      }),
    result: requestSchema,
    source: ADDITION,
    handle({ wallet, credential, client, spender }, args) {
      const { request_id, reference: own, refund_id: refundId, amount, address } = args;
      return wallet.refunds
        .refund(
          nameOf({ request_id, reference: own }),
          {
            ...{
              refundId,
              amount,
              address,
              feePayer: args.fee,
              maxFee: args.max_fee,
              priority: args.priority,
            },
          },
          { ...client, spender },
          (account) => assertAccountRight(credential, account),
        )
        .then(requestShape);
    },
  }),

  defineMethod({
    name: 'export_payment_requests',
    summary: 'Exports the payment requests that were created in a period, with payments, price and refunds.',
    meta: { family: 'receive', needs: 'wallet', restricted: false },
    faults: ['invalid'],
    params: () => params(exportParams('requests')),
    result: () =>
      wire.object({
        requests: wire.list(requestSchema(), 'Requests with format json, the oldest first; none with csv'),
        csv: wire
          .text('Requests as CSV (RFC 4180), with the names of the columns; with format csv alone')
          .optional(),
      }),
    source: ADDITION,
    handle({ wallet }, args) {
      const pages = wallet.paymentRequests.createdIn(exportPeriod(args));
      if (args.format === 'json') return { requests: rowsOf(unheld(pages), requestShape) };
      return { requests: [], csv: JsonRows.text(unheld(requestCsv(pages))) };
    },
  }),
];
