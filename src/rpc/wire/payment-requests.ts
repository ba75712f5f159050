import * as wire from '../../http/methods/wire.js';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import { PAYOUT_STATES } from '../../model/payout.js';
import { REQUEST_STATES, type RequestPrice } from '../../model/payment-request.js';
import { refundedBy, type Refund } from '../../model/refund.js';
import { REFUND_KINDS } from '../../model/payout.js';
import type { ZeroConfRule } from '../../model/zero-conf.js';
import { differenceOf, type CountedPayment } from '../../model/request-state.js';
import type { RequestView } from '../../services/requests/request-views.js';
import { sum } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { instantText } from '../../util/clock.js';
import { JsonText } from '../../util/json-writer.js';
import { csvRecord, withoutFormulas } from './csv.js';
import * as sample from './samples.js';
import { indexSchema, indexShape, verifiedConfirmations, waitingFor as waitingForSchema } from './shapes.js';

/** Has the order in which JSON is written, since sorting the keys takes longer: a list has many requests. */
export const requestShape = ({
  request,
  status,
  address,
  label,
  uri,
  payUrl,
  isSynced,
  waitingFor,
  refunds,
  refundable,
  now,
}: RequestView) => {
  const { missing, excess } = differenceOf(request.amount, sum([status.mined, status.unmined]));
  return {
    address,
    amount: request.amount,
    asks_refund_address: request.asksRefundAddress ? true : undefined,
    cancelled_at: request.cancelled,
    changed_at: request.changed,
    confirmations: request.confirmations,
    created_at: request.created,
    excess,
    expires_at: request.expires,
    label,
    late: status.late,
    locale: request.locale,
    metadata: request.metadata === undefined ? undefined : new JsonText(request.metadata),
    missing,
    pay_url: payUrl,
    payments: status.payments.map((payment) => paymentShape(payment, now)),
    price: request.price === undefined ? undefined : priceShape(request.price),
    received: status.mined,
    received_locked: status.locked,
    received_unconfirmed: status.unmined,
    reference: request.reference,
    refund_address: request.refundAddress,
    refundable,
    refunded: refundedBy(refunds),
    refunds: refunds.map(refundShape),
    request_id: request.requestId,
    return: request.returnsAuto ? ('auto' as const) : undefined,
    return_url: request.returnUrl,
    state: status.state,
    subaddr_index: indexShape(request.subaddress),
    synced: isSynced,
    tolerance: request.tolerance,
    uri,
    waiting_for: waitingFor,
    zero_conf: request.zeroConf === undefined ? undefined : ruleShape(request.zeroConf),
  };
};

const priceShape = ({ currency, amount, rate, rateTime, source }: RequestPrice) => ({
  amount,
  currency,
  rate,
  rate_time: rateTime,
  source,
});

/** Schema of the price of a request in another currency. */
export const priceSchema = () =>
  wire.object({
    currency: wire.text('Code of the currency'),
    amount: wire.text('Decimal number of units of the currency'),
    rate: wire.text('Decimal number of units of the currency for one XMR'),
    rate_time: wire.uint('Time of the rate [Unix s]'),
    source: wire.text('Origin of the rate, given by the client').optional(),
  });

const refundShape = ({ kind, amount, payoutId, address, state, created, txHash }: Refund) => ({
  address,
  amount,
  created_at: created,
  kind,
  refund_id: payoutId,
  state,
  tx_hash: txHash === undefined ? undefined : toHex(txHash),
});

const refundSchema = () =>
  wire.object({
    refund_id: wire.text('Id of the refund, and of its payout'),
    kind: wire.oneOf(REFUND_KINDS, 'Money that is returned; amount: a given amount'),
    amount: wire.amount('Amount that the customer is owed'),
    address: wire.text('Address that is paid'),
    state: wire.oneOf(PAYOUT_STATES, 'State of its payout'),
    created_at: wire.uint('Time of creation [Unix s]'),
    tx_hash: wire.hash('Transaction that pays it').optional(),
  });

const ruleShape = ({ maxAmount, minSeconds, minNodes, minPriority }: ZeroConfRule) => ({
  max_amount: maxAmount,
  min_nodes: minNodes,
  min_priority: minPriority,
  min_seconds: minSeconds,
});

const ruleSchema = () =>
  wire.object({
    max_amount: wire.amount('Largest requested amount for which the rule holds'),
    min_seconds: wire.uint('Least time in the mempool [s]'),
    min_nodes: wire.uint('Least number of listed nodes whose mempools contain the payment'),
    min_priority: wire.uint('Least priority of its fee, 1 to 4; 0: any fee'),
  });

const paymentShape = (payment: CountedPayment, now: number) => ({
  accepted_unmined: payment.isAccepted,
  amount: payment.amount,
  confirmations: payment.confirmations,
  double_spend_seen: payment.isContested,
  height: payment.height ?? 0,
  late: payment.isLate,
  locked: payment.isLocked,
  priority: payment.signals?.priority,
  seconds_in_pool:
    payment.signals === undefined || payment.height !== undefined
      ? undefined
      : Math.max(0, now - payment.arrival),
  seen_by: payment.signals?.seenBy,
  timestamp: payment.arrival,
  tx_hash: toHex(payment.txHash),
  unlock_time: payment.unlockTime,
  verified_confirmations: payment.verifiedConfirmations,
});

/** Schema of a payment request. */
export const requestSchema = () =>
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
    changed_at: wire.uint('Time of the latest change of terms, state or refunds [Unix s]'),
    state: wire.oneOf(
      REQUEST_STATES,
      'waiting: no payment; partial: too little; seen: enough, not all mined; confirming: enough, with too few confirmations; paid; expired and cancelled: too little until its end',
    ),
    label: wire.text('Label of the address; empty: none'),
    reference: wire.text('Reference given by the client').optional(),
    metadata: wire.record('Metadata given by the client').optional(),
    return_url: wire.text('Page to which the pay page leads back').optional(),
    return: wire.oneOf(['auto'], 'The pay page leads back by itself after the payment').optional(),
    price: priceSchema().optional(),
    zero_conf: ruleSchema().optional(),
    locale: wire.text('Language of the pay page; absent: that of its visitor').optional(),
    asks_refund_address: wire
      .flag('The customer may give an address for refunds on the pay page; absent: no')
      .optional(),
    refund_address: wire.text('Address for refunds, given by merchant or customer').optional(),
    refunded: wire.amount('Refunds that are paid or still may be'),
    refundable: wire.amount(
      'Amount that may still be refunded, that of the goods too: mined, confirmed and not refunded',
    ),
    refunds: wire.list(refundSchema(), 'Refunds, the oldest first'),
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
        accepted_unmined: wire
          .flag('It met the rule zero_conf of the request, and has counted since then; absent: no')
          .optional(),
        seen_by: wire
          .uint('Number of listed nodes whose mempools contained it at the last look; with zero_conf alone')
          .optional(),
        seconds_in_pool: wire
          .uint('Time since its arrival while it is unmined [s]; with zero_conf alone')
          .optional(),
        priority: wire
          .uint('Priority of its fee, 1 to 4; 0: below the lowest fee rate; with zero_conf alone')
          .optional(),
      }),
      'Payments to the address, in the order of their blocks',
    ),
    waiting_for: waitingForSchema(),
    synced: wire.flag(
      'The wallet has all blocks of the daemon; otherwise payments may be missing, but a state of paid holds',
    ),
  });

/** A payment request that waits, as an example. */
export const sampleRequest = {
  request_id: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  address: sample.address,
  subaddr_index: { major: 0n, minor: 1n },
  uri: `monero:${sample.address}?tx_amount=1.000000000000&tx_description=order%204711`,
  amount: sample.oneXmr,
  tolerance: 0n,
  confirmations: 10n,
  created_at: 1_760_000_000n,
  changed_at: 1_760_000_000n,
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
  refunded: 0n,
  refundable: 0n,
  refunds: [],
  payments: [],
  synced: true,
};

/** Columns of the CSV of payment requests with their values. */
const COLUMNS: readonly (readonly [name: string, value: (view: RequestView) => string])[] = [
  ['request_id', ({ request }) => request.requestId],
  ['reference', ({ request }) => withoutFormulas(request.reference ?? '')],
  ['created', ({ request }) => instantText(request.created)],
  ['state', ({ status }) => status.state],
  ['changed', ({ request }) => instantText(request.changed)],
  ['expires', ({ request }) => (request.expires === undefined ? '' : instantText(request.expires))],
  ['account_index', ({ request }) => String(request.subaddress.major)],
  ['address', ({ address }) => address],
  ['label', ({ label }) => withoutFormulas(label)],
  ['amount_xmr', ({ request }) => (request.amount === undefined ? '' : formatCoins(request.amount))],
  ['amount_atomic', ({ request }) => String(request.amount ?? '')],
  ['received_atomic', ({ status }) => String(status.mined)],
  ['received_unconfirmed_atomic', ({ status }) => String(status.unmined)],
  ['late_atomic', ({ status }) => String(status.late)],
  ['refunded_atomic', ({ refunds }) => String(refundedBy(refunds))],
  ['refundable_atomic', ({ refundable }) => String(refundable)],
  ['price_amount', ({ request }) => request.price?.amount ?? ''],
  ['price_currency', ({ request }) => request.price?.currency ?? ''],
  ['rate', ({ request }) => request.price?.rate ?? ''],
  ['rate_time', ({ request }) => (request.price === undefined ? '' : instantText(request.price.rateTime))],
  ['rate_source', ({ request }) => withoutFormulas(request.price?.source ?? '')],
  ['transactions', ({ status }) => status.payments.map(({ txHash }) => toHex(txHash)).join(' ')],
  ['refund_ids', ({ refunds }) => withoutFormulas(refunds.map(({ payoutId }) => payoutId).join(' '))],
];

/** Writes payment requests as CSV page by page, after a record with the names of the columns. */
export async function* requestCsv(
  pages: AsyncIterable<readonly RequestView[]>,
): AsyncGenerator<string, void> {
  yield csvRecord(COLUMNS.map(([name]) => name));
  for await (const page of pages)
    yield page.map((view) => csvRecord(COLUMNS.map(([, value]) => value(view)))).join('');
}
