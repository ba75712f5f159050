import { WHOLE_WALLET } from '../../model/payout.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import type { PageRights } from '../../http/pages/page-rights.js';
import { html, type Html, type HtmlValue } from '../html.js';
import { badge, clientText, itemLink, timeAt } from '../status/page-parts.js';
import { coinsText, counted, grouped, MATTERING, ORDER_NAMES, REQUEST_NAMES } from '../status/words.js';
import { PAYOUT_NAMES } from '../status/payout-words.js';
import { actionLink } from './action-link.js';
import { METHOD_OF } from './items.js';
import {
  known,
  MAX_ROWS,
  tablesOf,
  told,
  transactionLink,
  type ReadStory,
  type StoryTable,
} from './story.js';

/** Number of rows of each list of latest things. */
const LATEST = 10;
/** Number of events that matter. */
const EVENTS = 20;

/** Reads the story of a wallet: what waits in it, its webhooks, and its latest orders, requests and events. */
export const walletStory: ReadStory = async (wallet, item, rights) => {
  const { store, sync, name } = wallet;
  const sizes = store.fileSizes();
  return {
    ...{ item, state: store.isDamaged ? badge('bad', 'Store damaged') : undefined },
    facts: known(
      ['Blocks', `${grouped(store.height())} of ${grouped(sync.daemonHeight)}`],
      ['Kind', wallet.isViewOnly ? 'view-only' : undefined],
      ['Store', `${grouped(Math.ceil((sizes.main + sizes.log) / 2 ** 20))} MiB`],
      ['Last event', grouped(wallet.eventLog.lastId)],
    ),
    tables: [
      ...(rights.seesBalances ? balanceTable(wallet) : []),
      ...unminedTable(wallet, rights),
      ...pauseTable(wallet, rights),
      ...(await payoutTable(wallet, rights)),
      ...webhookTables(wallet, rights),
      ...(await requestTable(wallet, rights)),
      ...(await orderTable(wallet, rights)),
    ],
    ...{ hints: [], actions: [] },
    ...(await told({ webhooks: wallet.webhooks }, await latestEvents(wallet), rights)),
    item: { ...item, wallet: name },
  };
};

async function latestEvents({ eventLog }: OpenWallet): ReturnType<OpenWallet['eventLog']['about']> {
  const events = await Promise.resolve(eventLog.latest(EVENTS, MATTERING));
  return { events: events.reverse(), isCut: false };
}

function balanceTable({ balances }: OpenWallet): StoryTable[] {
  return tablesOf(
    'Balance',
    ['Account', 'Balance', 'Of it unlocked'],
    [
      ...[...balances.ofAccounts(false)]
        .slice(0, MAX_ROWS)
        .map(([account, { total, unlocked }]) => [grouped(account), coinsText(total), coinsText(unlocked)]),
    ],
  );
}

/** Lists own payments that are in no block. */
function unminedTable(wallet: OpenWallet, rights: PageRights): StoryTable[] {
  const rows = wallet.store.read((r) =>
    r.outgoing
      .list({ states: ['prepared', 'pending'] })
      .slice(0, MAX_ROWS)
      .map((tx) => ({ tx, order: r.orders.keyOf(tx.txHash), payouts: r.payouts.idsPaidBy(tx.txHash) })),
  );
  return tablesOf(
    'Payments that are in no block',
    ['Made', 'For', 'Sent to', 'Transaction'],
    [
      ...rows.map(({ tx, order, payouts }): HtmlValue[] => [
        timeAt(tx.timestamp),
        payouts.length > 0
          ? counted(payouts.length, 'payout')
          : order !== undefined && rights.allows(METHOD_OF.order)
            ? itemLink({ kind: 'order', wallet: wallet.name, id: order }, order)
            : 'a payment without a key',
        tx.state === 'prepared' ? 'not sent' : (tx.sentTo ?? ''),
        transactionLink(wallet, tx.txHash),
      ]),
    ],
  );
}

function pauseTable({ name, payouts }: OpenWallet, rights: PageRights): StoryTable[] {
  return tablesOf(
    'Pauses of payouts',
    ['Account', 'Reason', 'Since', ''],
    [
      ...payouts.pauses().map(({ account, reason, time }): HtmlValue[] => {
        const fields = { account: account === WHOLE_WALLET ? '' : String(account) };
        return [
          account === WHOLE_WALLET ? 'The whole wallet' : grouped(account),
          clientText(reason),
          timeAt(time),
          rights.allows('resume_payouts')
            ? actionLink({ name: 'resume_payouts', wallet: name, fields })
            : undefined,
        ];
      }),
    ],
  );
}

async function payoutTable({ name, payouts }: OpenWallet, rights: PageRights): Promise<StoryTable[]> {
  if (!rights.allows(METHOD_OF.payout) || payouts.counts().size === 0) return [];
  const filter = {
    states: ['awaiting_approval', 'queued', 'awaiting_signature', 'sending', 'sent', 'mined'] as const,
  };
  const { payouts: open } = await payouts.list(filter, Number.MAX_SAFE_INTEGER, 2 * LATEST);
  return tablesOf(
    'Payouts on their way',
    ['Payout', 'State', 'Created'],
    [
      ...open.map(({ payout }): HtmlValue[] => [
        itemLink({ kind: 'payout', wallet: name, id: payout.payoutId }, payout.payoutId),
        badge('plain', PAYOUT_NAMES[payout.state]),
        timeAt(payout.created),
      ]),
    ],
  );
}

type Delivery = ReturnType<OpenWallet['webhooks']['deliveries']>[number];

/** Writes the state of a delivery, with its last failure and the time of its next attempt. */
export function deliveryText({ state, attempts, status, reason, due }: Delivery): Html {
  const kind = state === 'delivered' ? 'good' : state === 'failed' ? 'bad' : 'plain';
  const name = { delivered: 'Delivered', failed: 'Given up', pending: 'Waits' }[state];
  const next = due === undefined ? undefined : html`, next ${timeAt(Math.floor(due / 1000))}`;
  const facts = [
    counted(attempts, 'attempt'),
    ...(status === undefined ? [] : [`HTTP ${status}`]),
    // A status says more than that it was the reason.
    ...(reason === undefined || status !== undefined ? [] : [reason]),
  ].join(', ');
  return html`${badge(kind, name)} ${facts}${next}`;
}

function webhookTables({ name, webhooks }: OpenWallet, rights: PageRights): StoryTable[] {
  if (!rights.allows('list_webhooks')) return [];
  const listed = webhooks.list();
  const troubled = listed.flatMap(({ webhook }) =>
    (['failed', 'pending'] as const).flatMap((state) =>
      webhooks.deliveries(webhook.id, { state, limit: LATEST }).map((delivery) => ({ webhook, delivery })),
    ),
  );
  return [
    ...tablesOf(
      'Webhooks',
      ['Webhook', 'State', 'Not sent yet', 'To be tried again', ''],
      [
        ...listed.map(({ webhook, backlog, pending }): HtmlValue[] => [
          html`<bdi>${webhook.url}</bdi>`,
          webhook.disabled === undefined
            ? badge('good', 'Enabled')
            : badge('bad', `Disabled: ${webhook.disabled}`),
          countUpTo(backlog),
          countUpTo(pending),
          webhook.disabled !== undefined && rights.allows('enable_webhook')
            ? actionLink({ name: 'enable_webhook', wallet: name, fields: { webhook: webhook.id } })
            : undefined,
        ]),
      ],
    ),
    ...tablesOf(
      'Deliveries that failed or wait',
      ['Event', 'Webhook', 'State', ''],
      [
        ...troubled.map(({ webhook, delivery }): HtmlValue[] => [
          String(delivery.eventId),
          html`<bdi>${webhook.url}</bdi>`,
          deliveryText(delivery),
          rights.allows('redeliver_webhook')
            ? actionLink({
                name: 'redeliver',
                wallet: name,
                fields: { webhook: webhook.id, event: String(delivery.eventId) },
              })
            : undefined,
        ]),
      ],
    ),
  ];
}

/** Number up to which rows of webhooks are counted. */
const COUNTED = 1000;

const countUpTo = (count: number): string =>
  count >= COUNTED ? `${grouped(COUNTED)} or more` : grouped(count);

async function requestTable(wallet: OpenWallet, rights: PageRights): Promise<StoryTable[]> {
  if (!rights.allows(METHOD_OF.request)) return [];
  const list = await wallet.paymentRequests.list({ states: [] }, Number.MAX_SAFE_INTEGER, LATEST);
  const { requests, viewsOf } = list;
  return tablesOf(
    'Latest payment requests',
    ['Request', 'State', 'Created'],
    [
      ...viewsOf(requests).map(({ request, status }): HtmlValue[] => [
        itemLink(
          { kind: 'request', wallet: wallet.name, id: request.requestId },
          request.reference ?? request.requestId,
        ),
        badge('plain', REQUEST_NAMES[status.state]),
        timeAt(request.created),
      ]),
    ],
  );
}

async function orderTable({ name, orders }: OpenWallet, rights: PageRights): Promise<StoryTable[]> {
  if (!rights.allows(METHOD_OF.order)) return [];
  const found = await orders.list({ limit: LATEST, before: Number.MAX_SAFE_INTEGER });
  return tablesOf(
    'Latest orders',
    ['Order', 'State', 'Accepted'],
    [
      ...found.map(({ order, state }): HtmlValue[] => [
        itemLink({ kind: 'order', wallet: name, id: order.key }, order.key),
        badge(state === 'failed' ? 'bad' : 'plain', ORDER_NAMES[state]),
        timeAt(order.created),
      ]),
    ],
  );
}
