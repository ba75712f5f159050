import type { PageRequest } from '../../http/pages/pages.js';
import { openPayouts } from './payout-view.js';
import type { WalletFacts } from '../wallet-facts.js';
import { openRequests } from './words.js';

/** Columns by which the wallets can be sorted. */
export const SORTS = [
  'state',
  'name',
  'blocks',
  'requests',
  'payouts',
  'payments',
  'webhooks',
  'store',
] as const;
export type WalletSort = (typeof SORTS)[number];

/** Groups of wallets that can be listed. */
export const FILTERS = ['all', 'trouble', 'behind', 'waiting'] as const;
export type WalletFilter = (typeof FILTERS)[number];

/** Wallets that a page lists. */
export interface WalletQuery {
  /** Text that the names contain, without regard to case; empty: any name. */
  readonly text: string;
  readonly filter: WalletFilter;
  readonly sort: WalletSort;
  /** Number of the page, from 1 on. */
  readonly page: number;
}

/** Page of the table of wallets. */
export interface WalletPage {
  readonly query: WalletQuery;
  readonly rows: readonly WalletFacts[];
  /** Number of wallets that match. */
  readonly count: number;
  /** Number of pages, at least 1. */
  readonly pages: number;
  /** Number of all wallets by group. */
  readonly counts: Readonly<Record<WalletFilter, number>>;
}

/** Number of wallets on a page. */
export const PAGE_ROWS = 12;
/** Longest text that is searched in names [characters]. */
const MAX_TEXT = 200;

const oneOf = <T extends string>(values: readonly [T, ...T[]], text: string | undefined): T =>
  values.find((value) => value === text) ?? values[0];

/** Reads the query of the table in the parameters of an address; unknown values stand for the first ones. */
export function walletQuery(query: PageRequest['query']): WalletQuery {
  const page = /^[1-9]\d{0,5}$/.test(query['page'] ?? '') ? Number(query['page']) : 1;
  return {
    text: (query['wallets'] ?? '').trim().slice(0, MAX_TEXT),
    filter: oneOf(FILTERS, query['show']),
    sort: oneOf(SORTS, query['sort']),
    page,
  };
}

/** Returns the parameters of an address with a query; parameters with their usual values are left out. */
export function walletParams({ text, filter, sort, page }: WalletQuery): string {
  const params = new URLSearchParams({
    ...(text === '' ? {} : { wallets: text }),
    ...(filter === 'all' ? {} : { show: filter }),
    ...(sort === 'state' ? {} : { sort }),
    ...(page === 1 ? {} : { page: String(page) }),
  }).toString();
  return params === '' ? '' : `?${params}`;
}

/** True for a wallet in whose state somebody has to do something. */
export const isTroubled = (wallet: WalletFacts): boolean =>
  wallet.isDamaged ||
  wallet.newerBlock !== undefined ||
  wallet.heldPayments > 0 ||
  wallet.lowAccounts > 0 ||
  wallet.disabledWebhooks > 0 ||
  wallet.webhookRetries > 0;

/** True for a wallet with payments, payouts or deliveries that are on their way. */
export const isWaiting = (wallet: WalletFacts): boolean =>
  wallet.pendingPayments > 0 || openPayouts(wallet) > 0 || wallet.webhookEvents + wallet.webhookRetries > 0;

const isBehind = ({ blocks, blocksAgain, daemonHeight }: WalletFacts): boolean =>
  blocks > 0 || blocksAgain > 0 || daemonHeight === undefined;

const IN_GROUP: Readonly<Record<WalletFilter, (wallet: WalletFacts) => boolean>> = {
  all: () => true,
  trouble: isTroubled,
  behind: isBehind,
  waiting: isWaiting,
};

/** Figures by which the wallets are sorted, the greatest first; then by name. */
const FIGURES: Readonly<Record<WalletSort, (wallet: WalletFacts) => number>> = {
  state: (wallet) =>
    wallet.isDamaged
      ? Infinity
      : Number(isTroubled(wallet)) * 1e12 + wallet.blocks + Number(isBehind(wallet)),
  name: () => 0,
  blocks: ({ blocks }) => blocks,
  requests: ({ requests }) => openRequests(requests),
  payouts: openPayouts,
  payments: ({ pendingPayments }) => pendingPayments,
  webhooks: ({ webhookEvents, webhookRetries }) => webhookEvents + webhookRetries,
  store: ({ storeBytes, logBytes }) => storeBytes + logBytes,
};

/** Returns the page of wallets that a query asks for; the last page in place of one beyond it. */
export function walletPage(wallets: readonly WalletFacts[], query: WalletQuery): WalletPage {
  const text = query.text.toLowerCase();
  const found = wallets.filter(
    (wallet) => IN_GROUP[query.filter](wallet) && wallet.name.toLowerCase().includes(text),
  );
  const figure = FIGURES[query.sort];
  const sorted = found
    .map((wallet) => ({ wallet, figure: figure(wallet) }))
    .sort((a, b) => (a.figure === b.figure ? byName(a.wallet, b.wallet) : b.figure - a.figure));
  const pages = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
  const page = Math.min(query.page, pages);
  const counted = (filter: WalletFilter): number => wallets.filter(IN_GROUP[filter]).length;
  return {
    query: { ...query, page },
    rows: sorted.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS).map(({ wallet }) => wallet),
    ...{ count: found.length, pages },
    counts: {
      ...{ all: wallets.length, trouble: counted('trouble') },
      ...{ behind: counted('behind'), waiting: counted('waiting') },
    },
  };
}

const byName = ({ name: a }: WalletFacts, { name: b }: WalletFacts): number => (a < b ? -1 : a > b ? 1 : 0);
