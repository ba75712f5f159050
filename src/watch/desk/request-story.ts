import type { RequestPrice } from '../../model/payment-request.js';
import { refundedBy } from '../../model/refund.js';
import { html, type Html } from '../html.js';
import { PAYOUT_NAMES } from '../status/payout-words.js';
import { badge, itemLink, timeAt, wrapped } from '../status/page-parts.js';
import { coinsText, grouped, REQUEST_NAMES } from '../status/words.js';
import {
  allowed,
  known,
  MAX_EVENTS,
  optionalText,
  optionalTime,
  tablesOf,
  told,
  transactionLink,
  type ReadStory,
} from './story.js';

/** States of requests for which enough money is known. */
const COVERED: ReadonlySet<string> = new Set(['seen', 'confirming', 'paid']);

/** Reads the story of a payment request. */
export const requestStory: ReadStory = async (wallet, item, rights) => {
  const view = wallet.paymentRequests.get({ requestId: item.id });
  const { request, status, address, label, payUrl } = view;
  const { mined, unmined, locked, late, state } = status;
  const received = mined + unmined;
  const refunded = refundedBy(view.refunds);
  const name = { wallet: wallet.name, fields: { id: request.requestId } };
  const isOpen = request.cancelled === undefined && !COVERED.has(state);
  const story = await wallet.eventLog.about(
    { subaddress: request.subaddress },
    { since: request.created, limit: MAX_EVENTS },
  );
  return {
    item,
    state: badge(
      state === 'paid' ? 'good' : state === 'expired' || state === 'cancelled' ? 'bad' : 'plain',
      REQUEST_NAMES[state],
    ),
    facts: known(
      ['Reference', optionalText(request.reference)],
      ['Requested', request.amount === undefined ? 'any amount' : coinsText(request.amount)],
      ['Received in time', coinsText(received)],
      ['of it not in a block yet', unmined === 0n ? undefined : coinsText(unmined)],
      ['Still missing', missingText(request.amount, received)],
      ['Too much', excessText(request.amount, received)],
      ['Locked', locked === 0n ? undefined : coinsText(locked)],
      ['Came late', late === 0n ? undefined : coinsText(late)],
      ['Price', request.price && priceText(request.price)],
      ['Refunded', refunded === 0n ? undefined : coinsText(refunded)],
      ['May be refunded', view.refundable === 0n ? undefined : coinsText(view.refundable)],
      ['Refunds go to', request.refundAddress && wrapped(request.refundAddress)],
      ['Confirmations needed', grouped(request.confirmations)],
      ['Created', timeAt(request.created)],
      ['Expires', request.expires === undefined ? 'never' : timeAt(request.expires)],
      ['Cancelled', optionalTime(request.cancelled)],
      ['Label', optionalText(label)],
      ['Address', itemLink({ kind: 'address', wallet: wallet.name, id: address }, address)],
      [
        'Pay page',
        payUrl === undefined ? undefined : html`<a href="${payUrl}" rel="noreferrer">${payUrl}</a>`,
      ],
      ['Returns to', optionalText(request.returnUrl)],
      ['Metadata', optionalText(request.metadata)],
    ),
    tables: [
      ...tablesOf(
        'Payments',
        ['Amount', 'Arrived', 'Confirmations', 'Transaction'],
        [
          ...status.payments.map((payment) => [
            html`${coinsText(payment.amount)} ${payment.isLate ? badge('bad', 'Late') : undefined}
            ${payment.isLocked ? badge('bad', 'Locked') : undefined}
            ${payment.isContested ? badge('bad', 'Double spend seen') : undefined}`,
            timeAt(payment.arrival),
            payment.height === undefined ? 'in the mempool' : grouped(payment.confirmations),
            transactionLink(wallet, payment.txHash),
          ]),
        ],
      ),
      ...tablesOf(
        'Refunds',
        ['Amount', 'State', 'Created', 'Payout'],
        view.refunds.map((refund) => [
          coinsText(refund.amount),
          PAYOUT_NAMES[refund.state],
          timeAt(refund.created),
          itemLink({ kind: 'payout', wallet: wallet.name, id: refund.payoutId }, refund.payoutId),
        ]),
      ),
    ],
    hints: view.isSynced ? [] : ['This wallet is behind: later payments may be missing.'],
    actions: allowed(rights, [
      ...(request.expires !== undefined && request.cancelled === undefined
        ? [
            {
              ...name,
              name: 'extend_request' as const,
              method: 'extend_payment_request',
              fields: { id: request.requestId, from: String(request.expires) },
            },
          ]
        : []),
      ...(isOpen ? [{ ...name, name: 'cancel_request' as const, method: 'cancel_payment_request' }] : []),
    ]),
    ...(await told(wallet, story, rights)),
  };
};

const missingText = (asked: bigint | undefined, received: bigint): string | undefined =>
  asked !== undefined && received > 0n && received < asked ? coinsText(asked - received) : undefined;

const excessText = (asked: bigint | undefined, received: bigint): string | undefined =>
  asked !== undefined && received > asked ? coinsText(received - asked) : undefined;

/** Writes the price that the merchant gave, with its rate. */
const priceText = ({ currency, amount, rate, rateTime, source }: RequestPrice): Html =>
  html`<bdi>${amount} ${currency}</bdi> at <bdi>${rate} ${currency}</bdi> for 1 XMR,
    ${timeAt(rateTime)}${source === undefined ? '' : html`, <bdi>${source}</bdi>`}`;
