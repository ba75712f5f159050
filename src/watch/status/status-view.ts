import type { EventJson } from '../../services/events/event-json.js';
import type { OpenWallet } from '../../services/open-wallet.js';
import { workSlices } from '../../util/event-loop.js';
import { EVENT_TYPES, type EventType } from '../../model/events.js';
import { readable, type DaySumReader, type WalletFactReader, type WalletFacts } from '../wallet-facts.js';
import type { DaemonStatus } from '../../services/failover/daemon-failover.js';
import { NO_SUMS, totalSums, type PaymentSums } from '../../services/history/payment-sums.js';
import type { ClusterNode } from '../../services/cluster/cluster-node.js';
import type { WalletManager } from '../../services/manager/wallet-manager.js';
import type { WorkStatus } from '../../services/work/work-verification.js';
import type { RequestState } from '../../model/payment-request.js';
import type { DaemonHealth } from '../daemon-health.js';
import type { NotReady, Readiness, StartProgress, UnopenedWallet } from '../readiness.js';
import type { SyncProgress, WalletProgress } from '../sync-progress.js';
import { readPayouts, type PayoutsView } from './payout-view.js';

/** Part of an open wallet with the events of the wallet. */
export interface EventfulWallet {
  readonly eventLog: Pick<OpenWallet['eventLog'], 'lastId' | 'latest'>;
}

/** Latest events of several wallets, newest first. */
interface RecentEvents {
  readonly events: readonly EventJson[];
  /** Latest event of each payment and transfer. */
  readonly payments: readonly EventJson[];
  /** Id of the latest event of all wallets. */
  readonly lastId: number;
}

/** Largest number of events, and of payments, in the list. */
const SHOWN = 10;
/** Number of events of a wallet among which payments are searched: a payment has several events. */
const SEARCHED = 50;
/** Largest number of wallets whose events are read; the wallets with the latest events are read. */
const MAX_WALLETS = 32;

const PAYMENT_TYPES = EVENT_TYPES.filter((type) => /^(payment|transfer)\./.test(type));

/** Reads the latest events of wallets. Leaves out wallets that cannot be read. */
export async function recentEvents(wallets: readonly EventfulWallet[]): Promise<RecentEvents> {
  const known = await workSlices.map(wallets, ({ eventLog }) => ({
    eventLog,
    id: readable(() => eventLog.lastId) ?? 0,
  }));
  const latest = known
    .filter(({ id }) => id > 0)
    .sort((a, b) => b.id - a.id)
    .slice(0, MAX_WALLETS);
  const read = async (count: number, types: readonly EventType[]): Promise<EventJson[]> => {
    const lists = await workSlices.map(latest, ({ eventLog }) =>
      readable(() => eventLog.latest(count, types)),
    );
    return lists.flatMap((list) => list ?? []).sort((a, b) => b.id - a.id);
  };
  return {
    events: (await read(SHOWN, EVENT_TYPES)).slice(0, SHOWN),
    payments: latestOfEach(await read(SEARCHED, PAYMENT_TYPES)).slice(0, SHOWN),
    lastId: latest[0]?.id ?? 0,
  };
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

/** Largest number of wallets in the list; the wallets that lack most blocks come first. */
const MAX_LISTED = 50;

/** A wallet, with the progress of its refresh if it is behind the daemon. */
export interface ListedWallet extends WalletFacts {
  readonly progress: WalletProgress | undefined;
  readonly today: PaymentSums;
}

/** State of the daemon on the status page. */
export interface DaemonView {
  /** Address `host:port` of the daemon as configured; undefined when offline. */
  readonly address: string | undefined;
  readonly hasAnswered: boolean;
  /** Duration of the current outage [s]; 0 if the last call was answered. */
  readonly outage: number;
  readonly height: number | undefined;
  readonly synchronized: boolean | undefined;
  /** Listed daemons in the order of preference. */
  readonly listed: readonly DaemonStatus[];
}

/** Process of the cluster on the status page. */
export interface MemberView {
  readonly url: string;
  readonly isAlive: boolean;
  readonly isSelf: boolean;
  /** Names of the wallets that the process holds, at most {@link MAX_LISTED}. */
  readonly wallets: readonly string[];
  /** Number of all wallets that the process holds. */
  readonly count: number;
}

/** State of the cluster on the status page. */
export interface ClusterView {
  /** False if the database did not answer the last look, so that the other members are older. */
  readonly isReachable: boolean;
  readonly members: readonly MemberView[];
  /** Names of the wallets whose holder has ended, at most {@link MAX_LISTED}. */
  readonly orphans: readonly string[];
}

/** Content of the status page. */
export interface StatusView extends RecentEvents {
  readonly reasons: readonly NotReady[];
  readonly daemon: DaemonView;
  /** State of the checks of proof of work; undefined without `--verify-work`. */
  readonly work: WorkStatus | undefined;
  /** State of the cluster; undefined without a cluster. */
  readonly cluster: ClusterView | undefined;
  readonly wallets: readonly ListedWallet[];
  /** Wallets of `--open` that could not be opened, at most {@link MAX_LISTED}. */
  readonly unopened: readonly UnopenedWallet[];
  /** Names of all open wallets. */
  readonly names: readonly string[];
  /** Number of payment requests by state, in all open wallets. */
  readonly requests: ReadonlyMap<RequestState, number>;
  /** Payouts of all open wallets; undefined if there are none. */
  readonly payouts: PayoutsView | undefined;
  /** Sums of all open wallets. */
  readonly today: PaymentSums;
  /** Time since the start of the process [s]. */
  readonly uptime: number;
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
}

/** Reads the content of the status page; yields to the event loop between wallets. */
export async function readStatus({
  server,
  health,
  readiness,
  sync,
  start,
  facts: reader,
  daySums,
}: StatusParts): Promise<StatusView> {
  // The readiness is checked first, because it requests the state of the daemon, which the other parts show.
  const reasons = await readiness.reasons();
  const open = server.openWallets();
  const latest = health.info?.height;
  const facts = await workSlices.map(open, (wallet) => reader.read(wallet, latest));
  const today = new Map<string, PaymentSums>();
  for (const wallet of open) today.set(wallet.name, await daySums.read(wallet));
  const listed = [...facts]
    .sort((a, b) => Number(b.isDamaged) - Number(a.isDamaged) || b.blocks - a.blocks || byName(a, b))
    .slice(0, MAX_LISTED);
  return {
    reasons,
    daemon: {
      address: server.daemonAddress,
      hasAnswered: health.hasAnswered,
      outage: health.outage,
      height: latest,
      synchronized: health.info?.synchronized,
      listed: server.failover.statuses,
    },
    work: server.work?.status,
    cluster: server.settings.cluster && clusterView(server.settings.cluster),
    wallets: listed.map((wallet) => ({
      ...wallet,
      progress: sync.of(wallet.name),
      today: today.get(wallet.name) ?? NO_SUMS,
    })),
    unopened: start().unopened.slice(0, MAX_LISTED),
    names: facts.map(({ name }) => name).sort(),
    requests: totalRequests(facts),
    payouts: await readPayouts(open, facts),
    today: totalSums([...today.values()]),
    uptime: process.uptime(),
    ...(await recentEvents(open)),
  };
}

function clusterView({
  isReachable,
  members,
  entries,
}: Pick<ClusterNode, 'isReachable' | 'members' | 'entries'>): ClusterView {
  const namesOf = (isListed: (entry: (typeof entries)[number]) => boolean): string[] =>
    entries.filter(isListed).map(({ name }) => name);
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

const byName = (a: WalletFacts, b: WalletFacts): number => (a.name < b.name ? -1 : 1);

/** Adds up the numbers of payment requests by state. */
function totalRequests(facts: readonly WalletFacts[]): ReadonlyMap<RequestState, number> {
  const total = new Map<RequestState, number>();
  for (const { requests } of facts)
    for (const [state, count] of requests) total.set(state, (total.get(state) ?? 0) + count);
  return total;
}
