import { html } from '../html.js';
import { badge, itemLink, timeAt } from '../status/page-parts.js';
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
    tables: tablesOf(
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
