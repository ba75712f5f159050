import type { PageRights } from '../../../src/http/pages/page-rights.js';
import { NO_SUMS } from '../../../src/services/history/payment-sums.js';
import { NO_PAYOUTS } from '../../../src/services/payouts/payout-figures.js';
import type { DaemonView, ListedWallet, StatusView } from '../../../src/watch/status/status-content.js';
import { walletQuery } from '../../../src/watch/status/wallet-table.js';
import type { WalletFacts } from '../../../src/watch/wallet-facts.js';

/** Rights of a client without a credential. */
export const ALL_RIGHTS: PageRights = {
  ...{ login: 'none', seesBalances: true },
  ...{ reaches: () => true, allows: () => true },
};

/** Facts of a wallet that has all blocks, and in which nothing waits. */
export const facts = (name: string, changes: Partial<WalletFacts> = {}): WalletFacts => ({
  ...{ name, height: 100, daemonHeight: 100, blocks: 0, isDamaged: false },
  ...{
    pendingPayments: 0,
    failedPayments: 0,
    oldestPending: undefined,
    pendingAge: undefined,
    orders: undefined,
    lastEvent: 0,
  },
  ...{ enabledWebhooks: 0, disabledWebhooks: 0, webhookEvents: 0, webhookRetries: 0 },
  ...{ heldPayments: 0, lowAccounts: 0, unreadableInPool: 0, blocksAgain: 0, storeBytes: 1, logBytes: 2 },
  ...{ requests: new Map(), payouts: NO_PAYOUTS, payoutAges: new Map(), payoutObstacles: new Map() },
  ...changes,
});

/** A row of the table of wallets, behind by half of the chain by default. */
export const listed = (changes: Partial<ListedWallet> = {}): ListedWallet => ({
  ...facts('w', { height: 50, blocks: 50 }),
  ...{ progress: undefined, money: undefined },
  ...changes,
});

/** State of a node that answers. */
export const node = (changes: Partial<DaemonView> = {}): DaemonView => ({
  ...{ address: 'a:1', hasAnswered: true, outage: 0, height: 100, synchronized: true, listed: [] },
  ...{
    lag: 0,
    network: 'mainnet',
    sinceNewBlock: 60,
    software: '0.18.4.0',
    peers: { outgoing: 8, incoming: 1 },
    nextFork: undefined,
    newestFork: 16,
    forks: [],
  },
  ...changes,
});

/** Content of a page of a quiet server. */
export const quiet = (changes: Partial<StatusView> = {}): StatusView => ({
  ...{ reasons: [], concerns: [], daemon: node(), cluster: undefined, work: undefined },
  disk: { free: 5e9, total: 1e10 },
  build: { version: '1.2.3', node: 'v24.0.0', network: 'stagenet', api: '1.3' },
  table: {
    ...{ query: walletQuery({}), count: 0, pages: 1 },
    counts: { all: 0, trouble: 0, behind: 0, waiting: 0 },
  },
  ...{
    wallets: [],
    unopened: [],
    names: [],
    storeBytes: 0,
    uptime: 7300,
    events: [],
    payments: [],
    lastId: 5,
  },
  ...{ requests: new Map(), payouts: undefined, waiting: [], today: NO_SUMS },
  webhooks: { enabled: 0, disabled: 0, events: 0, retries: 0 },
  ...changes,
});
