import type { Hash } from '../../monero/crypto/types.js';
import type { PageRights } from '../../http/pages/page-rights.js';
import { isWaiting, termsHash } from '../../model/payout.js';
import { faultOf, WalletError } from '../../model/wallet-error.js';
import type { HistoryEntry } from '../../services/history/history-rows.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import { bytes32, toHex, tryFromHex } from '../../util/bytes.js';
import { html, type Html } from '../html.js';
import { badge, clientText, itemLink, timeAt, wrapped } from '../status/page-parts.js';
import { blockText, PAYOUT_NAMES, payoutReasonText, waitingText } from '../status/payout-words.js';
import { coinsText, counted, grouped, ORDER_NAMES } from '../status/words.js';
import { METHOD_OF, type Item } from './items.js';
import { requestStory } from './request-story.js';
import {
  allowed,
  known,
  MAX_EVENTS,
  MAX_ROWS,
  optionalText,
  optionalTime,
  tablesOf,
  told,
  transactionLink,
  type ReadStory,
  type Story,
} from './story.js';
import { walletStory } from './wallet-story.js';

/**
 * Reads everything that is known of a thing of an open wallet.
 * @returns undefined if there is no such thing, or if the client may not see it.
 * @throws WalletError for a store that is damaged or was closed.
 */
export async function readStory(
  wallet: OpenWallet,
  item: Item,
  rights: PageRights,
): Promise<Story | undefined> {
  if (!rights.reaches(wallet.name) || !rights.allows(METHOD_OF[item.kind])) return undefined;
  try {
    return await READERS[item.kind](wallet, item, rights);
  } catch (error) {
    if (!MISSING.has(faultOf(error)?.kind ?? '')) throw error;
    return undefined;
  }
}

/** Kinds of the faults of ids that name nothing. */
const MISSING: ReadonlySet<string> = new Set([
  ...(['request_missing', 'order_missing', 'payout_missing', 'wrong_tx_hash', 'wrong_address'] as const),
]);

async function orderStory(wallet: OpenWallet, item: Item, rights: PageRights): Promise<Story> {
  const { order, state, positions } = wallet.orders.get(item.id);
  const attempts = positions.flatMap((position) =>
    position.attempts.map((tx) => ({ tx, isCurrent: tx === position.current })),
  );
  const hashes = attempts.flatMap(({ tx }) => tx.made.signed?.txHash ?? []);
  const story = await wallet.eventLog.about({ hashes }, { since: order.created, limit: MAX_EVENTS });
  return {
    item,
    state: badge(state === 'mined' ? 'good' : state === 'failed' ? 'bad' : 'plain', ORDER_NAMES[state]),
    facts: known(
      ['Made by', order.method],
      ['Accepted', timeAt(order.created)],
      ['Transactions', grouped(positions.length)],
    ),
    tables: tablesOf(
      'Transactions',
      ['Amount', 'State', 'To', 'Fee', 'Hash'],
      attempts.map(({ tx, isCurrent }) => [
        coinsText(tx.made.destinations.reduce((total, { amount }) => total + amount, 0n)),
        html`${badge(tx.state === 'failed' ? 'bad' : tx.state === 'mined' ? 'good' : 'plain', ORDER_NAMES[tx.state])}
        ${tx.height === undefined ? undefined : `block ${grouped(tx.height)}`}
        ${isCurrent ? undefined : 'replaced by a later attempt'}`,
        html`${tx.made.destinations.slice(0, MAX_PAYEES).map(({ address }) => wrapped(address))}
        ${morePayees(tx.made.destinations.length)}`,
        coinsText(tx.made.fee),
        tx.made.signed === undefined ? 'not signed here' : transactionLink(wallet, tx.made.signed.txHash),
      ]),
    ),
    hints:
      state === 'failed'
        ? [
            'Nothing was paid. Only the call that made it can pay it anew: the same one, with its key and retry_failed.',
          ]
        : [],
    actions: [],
    ...(await told(wallet, story, rights)),
  };
}

/** Largest number of payees that a row lists. */
const MAX_PAYEES = 3;

const morePayees = (count: number): string | undefined =>
  count > MAX_PAYEES ? `and ${grouped(count - MAX_PAYEES)} more` : undefined;

async function payoutStory(wallet: OpenWallet, item: Item, rights: PageRights): Promise<Story> {
  const view = wallet.payouts.get(item.id);
  const { payout, payment, waitingFor, unlocking, confirmations, actions } = view;
  const hashes = payment?.txHash === undefined ? [] : [payment.txHash];
  const story = await wallet.eventLog.about(
    { hashes, payout: payout.sequence },
    { since: payout.created, limit: MAX_EVENTS },
  );
  const name = { wallet: wallet.name, fields: { id: payout.payoutId } };
  const isBad = ['failed', 'rejected', 'expired'].includes(payout.state);
  return {
    item,
    state: badge(payout.state === 'confirmed' ? 'good' : isBad ? 'bad' : 'plain', PAYOUT_NAMES[payout.state]),
    facts: known(
      ['Reference', optionalText(payout.reference)],
      ['Owed', coinsText(payout.amount)],
      ['Received by the payee', payment && coinsText(payment.amount)],
      ['Share of the fee', payment && coinsText(payment.fee)],
      ['Address', wrapped(payout.address)],
      ['Waits', waitingFor && clientText(waitingText(waitingFor, unlocking))],
      ['Reason', payout.reason && payoutReasonText(payout.reason)],
      ['Account', grouped(payout.account)],
      ['Created', timeAt(payout.created)],
      ['Created by', optionalText(payout.creator)],
      ['In this state since', timeAt(payout.changed)],
      ['Not sent before', optionalTime(payout.notBefore)],
      ['Not sent from', optionalTime(payout.expires)],
      ['Transaction', payment?.txHash && transactionLink(wallet, payment.txHash)],
      ['Block', blockText(view)],
      ['Confirmations', payment === undefined ? undefined : grouped(confirmations)],
      ['Metadata', optionalText(payout.metadata)],
    ),
    tables: tablesOf(
      'What people did',
      ['Action', 'Time', 'By', 'From'],
      [
        ...actions.map(({ action, client, time }) => [
          ACTION_NAMES[action],
          timeAt(time),
          client.credential === undefined ? 'a login with all rights' : clientText(client.credential),
          client.address ?? '',
        ]),
      ],
    ),
    hints: [],
    actions: allowed(rights, [
      ...(payout.state === 'awaiting_approval'
        ? [
            {
              ...name,
              name: 'approve_payout' as const,
              method: 'approve_payouts',
              fields: { id: payout.payoutId, terms: toHex(termsHash(payout)) },
            },
            { ...name, name: 'reject_payout' as const, method: 'reject_payouts' },
          ]
        : []),
      ...(payout.state === 'queued'
        ? [
            {
              ...name,
              name: 'send_payouts' as const,
              method: 'send_payouts',
              fields: { id: payout.payoutId, account: String(payout.account) },
            },
          ]
        : []),
      ...(isWaiting(payout.state)
        ? [{ ...name, name: 'cancel_payout' as const, method: 'cancel_payouts' }]
        : []),
    ]),
    ...(await told(wallet, story, rights)),
  };
}

const ACTION_NAMES = {
  ...{ created: 'Created', approved: 'Approved', rejected: 'Rejected', cancelled: 'Cancelled' },
  sent: 'Asked to send it at once',
} as const;

const ENTRY_NAMES: Readonly<Record<HistoryEntry['type'], string>> = {
  ...{ in: 'Received', block: 'Mined by this wallet', pool: 'Received, in the mempool' },
  ...{ out: 'Sent', pending: 'Sent, not in a block yet', failed: 'Failed' },
};

async function transactionStory(wallet: OpenWallet, item: Item, rights: PageRights): Promise<Story> {
  const bytes = tryFromHex(item.id);
  if (bytes?.length !== 32) throw new WalletError({ kind: 'wrong_tx_hash', reason: 'it is no hash' });
  const hash: Hash = bytes32(bytes, 'Hash');
  const { accounts, order, payouts, requests } = wallet.store.read((r) => {
    const outgoing = r.outgoing.byHash(hash);
    const received = r.payments.byTx(hash);
    const pooled = r.pool.has(hash) ? r.pool.list().filter(({ txHash }) => toHex(txHash) === item.id) : [];
    const places = [
      ...received.map(({ subaddress }) => subaddress),
      ...pooled.flatMap(({ outputs }) => outputs.map(({ subaddress }) => subaddress)),
    ];
    return {
      accounts: new Set([
        ...places.map(({ major }) => major),
        ...(outgoing === undefined ? [] : [outgoing.account]),
      ]),
      order: r.orders.keyOf(hash),
      payouts: r.payouts.idsPaidBy(hash),
      requests: r.requests.isEmpty
        ? []
        : [...new Set(places.flatMap((place) => r.requests.byAddress(place)?.requestId ?? []))],
    };
  });
  const entries = [...accounts].flatMap((account) => wallet.history.byTransaction(hash, account));
  const [first] = entries;
  if (first === undefined) throw new WalletError({ kind: 'wrong_tx_hash', reason: 'no such transaction' });
  const story = await wallet.eventLog.about({ hashes: [hash] }, { since: 0, limit: MAX_EVENTS });
  const link = (kind: Item['kind'], id: string): Html => itemLink({ kind, wallet: wallet.name, id }, id);
  const isFailed = first.type === 'failed';
  return {
    item,
    state: badge(
      isFailed ? 'bad' : first.confirmations > 0 ? 'good' : 'plain',
      isFailed
        ? 'Failed'
        : first.confirmations > 0
          ? counted(first.confirmations, 'confirmation')
          : 'Not in a block',
    ),
    facts: known(
      ['Block', first.height === 0 ? undefined : grouped(first.height)],
      ['Time', timeAt(first.timestamp)],
      ['Fee', first.fee === 0n ? undefined : coinsText(first.fee)],
      [
        'Payment id',
        first.paymentId?.some((byte) => byte !== 0) === true ? toHex(first.paymentId) : undefined,
      ],
      ['Unlock time', first.unlockTime === 0n ? undefined : String(first.unlockTime)],
      ['Double spend', first.doubleSpendSeen ? 'seen in the mempool' : undefined],
      ['Note', optionalText(first.note)],
      [
        'Order',
        order === undefined || payouts.length > 0 || !rights.allows(METHOD_OF.order)
          ? undefined
          : link('order', order),
      ],
      [
        'Payouts',
        payouts.length === 0
          ? undefined
          : html`${payouts.slice(0, MAX_ROWS).map((id) => html`${link('payout', id)} `)}`,
      ],
      [
        'Payment requests',
        requests.length === 0 ? undefined : html`${requests.map((id) => html`${link('request', id)} `)}`,
      ],
    ),
    tables: tablesOf(
      'Amounts',
      ['Kind', 'Amount', 'Account', 'Address'],
      entries.flatMap((entry) => [
        [
          ENTRY_NAMES[entry.type],
          coinsText(entry.amount),
          grouped(entry.subaddress.major),
          ...(['in', 'block', 'pool'].includes(entry.type)
            ? [link('address', entry.address)]
            : [
                html`${entry.destinations.slice(0, MAX_PAYEES).map(({ address, amount }) => html`<p>${coinsText(amount)} to ${wrapped(address)}</p>`)}
                ${morePayees(entry.destinations.length)}`,
              ]),
        ],
      ]),
    ),
    ...{ hints: [], actions: [] },
    ...(await told(wallet, story, rights)),
  };
}

async function addressStory(wallet: OpenWallet, item: Item, rights: PageRights): Promise<Story> {
  const index = wallet.accounts.ownIndex(item.id);
  if (index === undefined)
    throw new WalletError({ kind: 'wrong_address', reason: 'no address of this wallet' });
  const [label = ''] = wallet.accounts.labelsOf([index]);
  const request = wallet.store.read((r) => (r.requests.isEmpty ? undefined : r.requests.byAddress(index)));
  const story = await wallet.eventLog.about(
    { subaddress: index },
    { since: request?.created ?? 0, limit: MAX_EVENTS },
  );
  return {
    item,
    state: undefined,
    facts: known(
      ['Account', grouped(index.major)],
      ['Index', grouped(index.minor)],
      ['Label', optionalText(label)],
      [
        'Payment request',
        request &&
          itemLink({ kind: 'request', wallet: wallet.name, id: request.requestId }, request.requestId),
      ],
    ),
    ...{ tables: [], hints: [], actions: [] },
    ...(await told(wallet, story, rights)),
  };
}

const READERS: Readonly<Record<Item['kind'], ReadStory>> = {
  ...{ request: requestStory, order: orderStory, payout: payoutStory },
  ...{ transaction: transactionStory, address: addressStory, wallet: walletStory },
};
