import { keyedCall } from '../wire/order-params.js';
import * as z from 'zod';
import { REQUEST_STATES } from '../../model/payment-request.js';
import { differenceOf, type CountedPayment } from '../../model/request-state.js';
import { WalletError } from '../../model/wallet-error.js';
import { atomic, height, params, text, u32, wholeObject } from '../../http/methods/params.js';
import * as wire from '../../http/methods/wire.js';
import type { RequestName, RequestView } from '../../services/requests/payment-requests.js';
import { sum, ZERO } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { JsonText } from '../../util/json-writer.js';
import { unheld } from '../../util/paged.js';
import type { Kind } from '../faults/fault-entry.js';
import { ADDITION, defineMethod, type WalletMethod } from '../method.js';
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
import * as sample from '../wire/samples.js';
import { rowsOf } from '../wire/rows.js';
import {
  indexSchema,
  indexShape,
  skippedAddresses,
  skippedOf,
  verifiedConfirmations,
  waitingFor as waitingForSchema,
} from '../wire/shapes.js';

const MAX_URL_CHARS = 2048;
/** Number of listed requests that are viewed in one turn of the event loop. */
const REQUESTS_AT_ONCE = 64;
const MAX_CONFIRMATIONS = 10_000;

const bad = (reason: string): WalletError => new WalletError({ kind: 'bad_payment_request', reason });

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
    throw bad('exactly one of request_id, address and reference is needed');
  return {
    ...(requestId === undefined ? {} : { requestId }),
    ...(address === undefined ? {} : { address }),
    ...(ownReference === undefined ? {} : { reference: ownReference }),
  };
}

/** Checks the address of a page that a visitor is led back to. @throws WalletError `bad_payment_request` */
function checkReturnUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:' || parsed.username !== '' || parsed.password !== '')
    throw bad('return_url is not an https URL without user and password');
  if (parsed.href.length > MAX_URL_CHARS) throw bad(`return_url has more than ${MAX_URL_CHARS} characters`);
  return parsed.href;
}

/** Has the order in which JSON is written, since sorting the keys takes longer: a list has many requests. */
const requestShape = ({
  request,
  status,
  address,
  label,
  uri,
  payUrl,
  isSynced,
  waitingFor,
}: RequestView) => {
  const { missing, excess } = differenceOf(request.amount, sum([status.mined, status.unmined]));
  return {
    address,
    amount: request.amount,
    cancelled_at: request.cancelled,
    confirmations: request.confirmations,
    created_at: request.created,
    excess,
    expires_at: request.expires,
    label,
    late: status.late,
    metadata: request.metadata === undefined ? undefined : new JsonText(request.metadata),
    missing,
    pay_url: payUrl,
    payments: status.payments.map(paymentShape),
    received: status.mined,
    received_locked: status.locked,
    received_unconfirmed: status.unmined,
    reference: request.reference,
    request_id: request.requestId,
    return_url: request.returnUrl,
    state: status.state,
    subaddr_index: indexShape(request.subaddress),
    synced: isSynced,
    tolerance: request.tolerance,
    uri,
    waiting_for: waitingFor,
  };
};

const paymentShape = (payment: CountedPayment) => ({
  amount: payment.amount,
  confirmations: payment.confirmations,
  double_spend_seen: payment.isContested,
  height: payment.height ?? 0,
  late: payment.isLate,
  locked: payment.isLocked,
  timestamp: payment.arrival,
  tx_hash: toHex(payment.txHash),
  unlock_time: payment.unlockTime,
  verified_confirmations: payment.verifiedConfirmations,
});

const requestSchema = () =>
  wire.object({
    request_id: wire.text('Id of the request'),
    address: wire.text('Address to pay, which no other request has'),
    subaddr_index: indexSchema('Index of the address'),
    uri: wire.text('URI that wallets open, with amount and label'),
    pay_url: wire.text('Address of its pay page; absent if there are no pay pages').optional(),
    amount: wire.amount('Requested amount; absent: an open request, which is never paid').optional(),
    tolerance: wire.amount('Difference to the amount that counts as none'),
    confirmations: wire.uint('Number of confirmations that its payments need; 0: the mempool is enough'),
    created_at: wire.uint('Time of creation [Unix s]'),
    expires_at: wire.uint('Time after which payments are late [Unix s]; absent: never').optional(),
    cancelled_at: wire.uint('Time of its cancellation [Unix s]; absent: it is not cancelled').optional(),
    state: wire.oneOf(
      REQUEST_STATES,
      'waiting: no payment; partial: too little; seen: enough, not all mined; confirming: enough, with too few confirmations; paid; expired and cancelled: too little until its end',
    ),
    label: wire.text('Label of the address; empty: none'),
    reference: wire.text('Reference given by the client').optional(),
    metadata: wire.record('Metadata given by the client').optional(),
    return_url: wire.text('Page to which the pay page leads back').optional(),
    received: wire.amount('Mined payments in time, without locked ones'),
    received_unconfirmed: wire.amount('Payments in the mempool in time, without locked ones'),
    received_locked: wire.amount('Payments in time that an unlock time locks'),
    missing: wire.amount('Amount that received and received_unconfirmed lack'),
    excess: wire.amount('Amount by which received and received_unconfirmed exceed the requested amount'),
    late: wire.amount('Payments after its end'),
    payments: wire.list(
      wire.object({
        tx_hash: wire.hash('Transaction hash'),
        amount: wire.amount('Sum that the transaction pays to the address'),
        height: wire.uint('Height of its block; 0 if it is not mined'),
        confirmations: wire.uint('Number of blocks from its block to the tip; 0 if it is not mined'),
        timestamp: wire.uint(
          'Time at which it arrived, as recorded at its first sight in the mempool or a block [Unix s]',
        ),
        unlock_time: wire.u64('Height or Unix time [s] at which it unlocks; 0: no lock of its own'),
        locked: wire.flag('Its unlock time has not passed: it does not count yet'),
        late: wire.flag('It arrived after the end of the request'),
        double_spend_seen: wire.flag('The mempool has seen another transaction with the same inputs'),
        verified_confirmations: verifiedConfirmations(),
      }),
      'Payments to the address, in the order of their blocks',
    ),
    waiting_for: waitingForSchema(),
    synced: wire.flag(
      'The wallet has all blocks of the daemon; otherwise payments may be missing, but a state of paid holds',
    ),
  });

/** Kinds of faults of every method that names a request. */
const NAMED = ['request_missing', 'bad_payment_request', 'wrong_address'] as const satisfies readonly Kind[];

const sampleRequest = {
  request_id: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  address: sample.address,
  subaddr_index: { major: 0n, minor: 1n },
  uri: `monero:${sample.address}?tx_amount=1.000000000000&tx_description=order%204711`,
  amount: sample.oneXmr,
  tolerance: 0n,
  confirmations: 10n,
  created_at: 1_760_000_000n,
  expires_at: 1_760_003_600n,
  state: 'waiting' as const,
  label: 'order 4711',
  reference: '4711',
  received: 0n,
  received_unconfirmed: 0n,
  received_locked: 0n,
  missing: sample.oneXmr,
  excess: 0n,
  late: 0n,
  payments: [],
  synced: true,
};

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
    return_url: url.optional().describe('https page to which the pay page leads back; absent: none'),
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
    faults: ['account_out_of_range', 'bad_payment_request', 'reference_taken', 'order_mismatch'],
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
        throw bad('expires_in and expires_at exclude each other');
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
          ...(args.metadata === undefined ? {} : { metadata: metadataText(args.metadata, bad) }),
          ...(args.return_url === undefined ? {} : { returnUrl: checkReturnUrl(args.return_url) }),
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
        state: z.enum(REQUEST_STATES).optional().describe('Lists only requests in this state; absent: all'),
        reference: reference.optional().describe('Lists only the request with this reference; absent: all'),
        limit: pageLimit.describe('Largest number of requests'),
        cursor: pageCursor,
      }),
    result: () =>
      wire.object({
        requests: wire.list(requestSchema(), 'Requests, latest first'),
        cursor: wire.text('Cursor for the next page; absent on the last one').optional(),
      }),
    source: ADDITION,
    handle({ wallet }, { state, reference: ownReference, limit, cursor }) {
      const { requests, viewsOf } = wallet.paymentRequests.list({
        limit,
        before: pageStart(cursor),
        ...(state === undefined ? {} : { state }),
        ...(ownReference === undefined ? {} : { reference: ownReference }),
      });
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
        throw bad('exactly one of expires_in and expires_at is needed');
      const expires = time ?? wallet.paymentRequests.expiryAfter(seconds ?? 0);
      return requestShape(wallet.paymentRequests.extend(nameOf(name), expires));
    },
  }),
];
