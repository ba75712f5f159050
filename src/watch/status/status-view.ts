import type { EventJson } from '../../services/events/event-json.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import { workSlices } from '../../util/event-loop.js';
import { EVENT_TYPES } from '../../model/events.js';
import { readable, type DaySumReader, type WalletFactReader, type WalletFacts } from '../wallet-facts.js';
import { totalSums, type PaymentSums } from '../../services/history/payment-sums.js';
import type { ClusterNode } from '../../services/cluster/cluster-node.js';
import type { WalletManager } from '../../services/manager/wallet-manager.js';
import type { WorkStatus } from '../../services/work/work-verification.js';
import type { RequestState } from '../../model/payment-request.js';
import type { DaemonHealth } from '../daemon-health.js';
import type { PageRights } from '../../http/pages/page-rights.js';
import { unixSeconds, type TimeOfDay } from '../../util/clock.js';
import { METHOD_OF } from '../desk/items.js';
import type { BuildInfo } from '../metrics/gauges.js';
import { diskSpace, type Readiness, type StartProgress } from '../readiness.js';
import { concernsOf } from './attention.js';
import { MAX_LISTED } from './status-content.js';
import type { ClusterView, DaemonView, ListedWallet, RecentEvents, StatusView } from './status-content.js';
import { waitingPayments } from './waiting-payments.js';
import { forkNotices } from '../fork-notices.js';
import { walletPage, type WalletQuery } from './wallet-table.js';
import { MATTERING } from './words.js';
import type { SyncProgress } from '../sync-progress.js';
import { readPayouts } from './payout-view.js';

/** Part of an open wallet with the events of the wallet. */
export interface EventfulWallet {
  readonly eventLog: Pick<OpenWallet['eventLog'], 'lastId' | 'latest'>;
}

/** Largest numbers of events, and of payments, in their lists. */
const SHOWN = 5;
const SHOWN_PAYMENTS = 3;
/** Number of events of a wallet among which payments are searched: a payment has several events. */
const SEARCHED = 30;
/** Largest number of wallets whose events are read; the wallets with the latest events are read. */
const MAX_WALLETS = 32;
/** Number of replaced blocks from which a reorganisation matters: chains often replace their newest block. */
const DEEP = 2;

const PAYMENT_TYPES = EVENT_TYPES.filter((type) => /^(payment|transfer)\./.test(type));

const matters = ({ type, data }: EventJson): boolean =>
  type !== 'wallet.reorganised' || Number(data['depth']) >= DEEP;

/** Reads the latest payments and events that matter. Leaves out wallets that cannot be read. */
export class RecentEventReader {
  readonly #known = new WeakMap<EventfulWallet, { readonly lastId: number; readonly lists: WalletEvents }>();

  async read(wallets: readonly EventfulWallet[]): Promise<RecentEvents> {
    const known = await workSlices.map(wallets, (wallet) => ({
      wallet,
      id: readable(() => wallet.eventLog.lastId) ?? 0,
    }));
    const latest = known
      .filter(({ id }) => id > 0)
      .sort((a, b) => b.id - a.id)
      .slice(0, MAX_WALLETS);
    const lists = await workSlices.map(latest, ({ wallet, id }) => readable(() => this.#of(wallet, id)));
    const merged = (list: keyof WalletEvents): EventJson[] =>
      lists.flatMap((read) => read?.[list] ?? []).sort((a, b) => b.id - a.id);
    return {
      events: merged('events').slice(0, SHOWN),
      payments: latestOfEach(merged('payments')).slice(0, SHOWN_PAYMENTS),
      lastId: latest[0]?.id ?? 0,
    };
  }

  /** Reads the lists of a wallet, unless it has no event since the last call. @param lastId id of its latest event. */
  #of(wallet: EventfulWallet, lastId: number): WalletEvents {
    const known = this.#known.get(wallet);
    if (known?.lastId === lastId) return known.lists;
    const lists = {
      events: wallet.eventLog.latest(SEARCHED, MATTERING).filter(matters),
      payments: wallet.eventLog.latest(SEARCHED, PAYMENT_TYPES),
    };
    this.#known.set(wallet, { lastId, lists });
    return lists;
  }
}

/** Latest events of one wallet, newest first. */
interface WalletEvents {
  readonly events: readonly EventJson[];
  readonly payments: readonly EventJson[];
}

/** Keeps only the newest event of each payment and transfer. @param events newest first. */
function latestOfEach(events: readonly EventJson[]): EventJson[] {
  const seen = new Set<string>();
  return events.filter(({ wallet, type, data }) => {
    const key = JSON.stringify([wallet, type.split('.')[0], data['tx_hash'], data['address'] ?? '']);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

export interface StatusParts {
  readonly server: Pick<WalletManager, 'openWallets' | 'daemonAddress'> & {
    readonly settings: { readonly cluster?: Pick<ClusterNode, 'isReachable' | 'members' | 'entries'> };
    readonly failover: Pick<WalletManager['failover'], 'statuses'>;
    readonly work?: { readonly status: WorkStatus } | undefined;
  };
  readonly health: DaemonHealth;
  readonly readiness: Pick<Readiness, 'reasons'>;
  readonly sync: SyncProgress;
  readonly start: () => StartProgress;
  readonly facts: Pick<WalletFactReader, 'read'>;
  readonly daySums: Pick<DaySumReader, 'read'>;
  readonly recent: Pick<RecentEventReader, 'read'>;
  readonly build: BuildInfo;
  /** Wallet directory, whose free space is shown. */
  readonly directory: string;
  readonly clock: TimeOfDay;
}

/**
 * Reads the content of the status page for a client; yields to the event loop between wallets. Without the right to
 * balances, reads no sums.
 */
export async function readStatus(
  {
    server,
    health,
    readiness,
    sync,
    start,
    facts: reader,
    daySums,
    recent,
    build,
    directory,
    clock,
  }: StatusParts,
  rights: PageRights,
  query: WalletQuery,
): Promise<StatusView> {
  // The readiness is checked first, because it requests the state of the daemon, which the other parts show.
  const [reasons, disk] = await Promise.all([readiness.reasons(), diskSpace(directory)]);
  const open = server.openWallets().filter(({ name }) => rights.reaches(name));
  const latest = health.info?.height;
  const facts = await workSlices.map(open, (wallet) => reader.read(wallet, latest));
  const { rows, ...table } = walletPage(facts, query);
  const byName = new Map(open.map((wallet) => [wallet.name, wallet]));
  const wallets = await workSlices.map(rows, (wallet): ListedWallet => {
    const found = rights.seesBalances ? byName.get(wallet.name) : undefined;
    return {
      ...wallet,
      progress: sync.of(wallet.name),
      money: found && readable(() => moneyOf(found)),
    };
  });
  const sum = (count: (wallet: WalletFacts) => number): number =>
    facts.reduce((total, wallet) => total + count(wallet), 0);
  const view = {
    reasons,
    daemon: daemonView(server, health, unixSeconds(clock)),
    work: server.work?.status,
    cluster: server.settings.cluster && clusterView(server.settings.cluster, rights),
    ...{ disk, build, table, wallets },
    unopened: start()
      .unopened.filter(({ name }) => rights.reaches(name))
      .slice(0, MAX_LISTED),
    names: facts.map(({ name }) => name).sort(),
    storeBytes: sum(({ storeBytes, logBytes }) => storeBytes + logBytes),
    requests: rights.allows(METHOD_OF.request) ? totalRequests(facts) : undefined,
    payouts: rights.allows(METHOD_OF.payout) ? await readPayouts(open, facts) : undefined,
    waiting: await waitingPayments(open, facts),
    webhooks: {
      enabled: sum(({ enabledWebhooks }) => enabledWebhooks),
      disabled: sum(({ disabledWebhooks }) => disabledWebhooks),
      events: sum(({ webhookEvents }) => webhookEvents),
      retries: sum(({ webhookRetries }) => webhookRetries),
    },
    today: rights.seesBalances ? await dayTotal(open, daySums) : undefined,
    uptime: process.uptime(),
    ...(await recent.read(open)),
  };
  return { ...view, concerns: concernsOf({ ...view, facts, now: unixSeconds(clock) }) };
}

function daemonView(
  { daemonAddress: address, failover }: StatusParts['server'],
  { hasAnswered, outage, info, sinceNewBlock, nextFork, newestFork, newForks }: DaemonHealth,
  now: number,
): DaemonView {
  return {
    ...{ address, hasAnswered, outage, sinceNewBlock, nextFork, newestFork },
    forks: forkNotices(newForks, { newestFork, now }),
    height: info?.height,
    network: info?.network,
    lag: info && Math.max(0, info.targetHeight - info.height),
    synchronized: info?.synchronized,
    ...{ software: info?.software, peers: info?.peers },
    listed: failover.statuses,
  };
}

/** Adds up the money of the accounts of a wallet. @throws WalletError */
function moneyOf({ balances }: Pick<OpenWallet, 'balances'>): NonNullable<ListedWallet['money']> {
  const all = [...balances.ofAccounts(false).values()];
  return {
    total: all.reduce((sum, { total }) => sum + total, 0n),
    unlocked: all.reduce((sum, { unlocked }) => sum + unlocked, 0n),
  };
}

async function dayTotal(
  open: readonly OpenWallet[],
  daySums: Pick<DaySumReader, 'read'>,
): Promise<PaymentSums> {
  const sums: PaymentSums[] = [];
  for (const wallet of open) sums.push(await daySums.read(wallet));
  return totalSums(sums);
}

function clusterView(
  { isReachable, members, entries }: Pick<ClusterNode, 'isReachable' | 'members' | 'entries'>,
  rights: PageRights,
): ClusterView {
  const namesOf = (isListed: (entry: (typeof entries)[number]) => boolean): string[] =>
    entries.filter((entry) => isListed(entry) && rights.reaches(entry.name)).map(({ name }) => name);
  return {
    isReachable,
    members: members.map(({ url, isAlive, isSelf }) => {
      const names = namesOf(({ holder, isLapsed }) => holder === url && !isLapsed);
      return { url, isAlive, isSelf, wallets: names.slice(0, MAX_LISTED), count: names.length };
    }),
    orphans: namesOf(
      ({ holder, hasFalseHolder, isLapsed }) => hasFalseHolder === true || (holder !== undefined && isLapsed),
    ).slice(0, MAX_LISTED),
  };
}

/** Adds up the numbers of payment requests by state. */
function totalRequests(facts: readonly WalletFacts[]): ReadonlyMap<RequestState, number> {
  const total = new Map<RequestState, number>();
  for (const { requests } of facts)
    for (const [state, count] of requests) total.set(state, (total.get(state) ?? 0) + count);
  return total;
}
