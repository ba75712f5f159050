import type { ForkNotice } from '../fork-notices.js';
import type { DaemonInfo, ScheduledFork } from '../../daemon/daemon.js';
import type { RequestState } from '../../model/payment-request.js';
import type { EventJson } from '../../services/events/event-json.js';
import type { DaemonStatus } from '../../services/failover/daemon-failover.js';
import type { PaymentSums } from '../../services/history/payment-sums.js';
import type { WorkStatus } from '../../services/work/work-verification.js';
import type { Item } from '../desk/items.js';
import type { BuildInfo } from '../metrics/gauges.js';
import type { DiskSpace, NotReady, UnopenedWallet } from '../readiness.js';
import type { WalletProgress } from '../sync-progress.js';
import type { WalletFacts } from '../wallet-facts.js';
import type { PayoutsView } from './payout-view.js';
import type { WaitingPayment } from './waiting-payments.js';
import type { WalletPage } from './wallet-table.js';

/** Largest number of names in a list. */
export const MAX_LISTED = 50;

/** Latest events of several wallets, newest first. */
export interface RecentEvents {
  readonly events: readonly EventJson[];
  /** Latest event of each payment and transfer. */
  readonly payments: readonly EventJson[];
  /** Id of the latest event of all wallets. */
  readonly lastId: number;
}

/** Something that somebody should look at. */
export interface Concern {
  /** True if it should be looked at now. */
  readonly isUrgent: boolean;
  /** Sentence without a full stop. */
  readonly text: string;
  /** Thing that it is about. */
  readonly item?: Item;
  /** True if the wallets in trouble show it. */
  readonly isInTable?: boolean;
}

/** A wallet, with the progress of its refresh if it is behind the daemon. */
export interface ListedWallet extends WalletFacts {
  readonly progress: WalletProgress | undefined;
  /** Money of the wallet; undefined if the client may not see it, or if the store cannot be read. */
  readonly money: { readonly total: bigint; readonly unlocked: bigint } | undefined;
}

/** State of the daemon on the status page. */
export interface DaemonView {
  /** Address `host:port` of the daemon as configured; undefined when offline. */
  readonly address: string | undefined;
  readonly hasAnswered: boolean;
  /** Duration of the current outage [s]; 0 if the last call was answered. */
  readonly outage: number;
  readonly height: number | undefined;
  /** Network that it tells; `fakechain` for a private chain. */
  readonly network: string | undefined;
  readonly synchronized: boolean | undefined;
  /** Number of blocks that the daemon lacks beside its peers; undefined while it is unknown. */
  readonly lag: number | undefined;
  /** Time since the number of its blocks last changed, as far as it was watched [s]. */
  readonly sinceNewBlock: number;
  /** Version of its program; undefined if it does not tell it. */
  readonly software: string | undefined;
  /** Numbers of its connections; undefined if it does not tell them. */
  readonly peers: DaemonInfo['peers'] | undefined;
  /** First hard fork that is ahead; undefined if it knows none. */
  readonly nextFork: ScheduledFork | undefined;
  /** Newest version of blocks whose rules the server knows. */
  readonly newestFork: number;
  /** Notices of the forks that are near or past. */
  readonly forks: readonly ForkNotice[];
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
  /** Matters that need attention, the urgent things first. */
  readonly concerns: readonly Concern[];
  readonly daemon: DaemonView;
  /** State of the checks of proof of work; undefined without `--verify-work`. */
  readonly work: WorkStatus | undefined;
  /** State of the cluster; undefined without a cluster. */
  readonly cluster: ClusterView | undefined;
  /** Space of the disk of the wallets; undefined if it cannot be read. */
  readonly disk: DiskSpace | undefined;
  readonly build: BuildInfo;
  /** Page of the table of wallets. */
  readonly table: Omit<WalletPage, 'rows'>;
  readonly wallets: readonly ListedWallet[];
  /** Wallets of `--open` that could not be opened, at most {@link MAX_LISTED}. */
  readonly unopened: readonly UnopenedWallet[];
  /** Names of the open wallets that the client may see. */
  readonly names: readonly string[];
  /** Size of their stores [bytes]. */
  readonly storeBytes: number;
  /** Number of payment requests by state; undefined if the client may not see them. */
  readonly requests: ReadonlyMap<RequestState, number> | undefined;
  /** Payouts; undefined if there are none, or if the client may not see them. */
  readonly payouts: PayoutsView | undefined;
  /** Payments in no block, the oldest first. */
  readonly waiting: readonly WaitingPayment[];
  readonly webhooks: WebhookFigures;
  /** Sums of these wallets; undefined if the client may not see them. */
  readonly today: PaymentSums | undefined;
  /** Time since the start of the process [s]. */
  readonly uptime: number;
}

/** Figures of the webhooks of all wallets. */
export interface WebhookFigures {
  readonly enabled: number;
  readonly disabled: number;
  /** Number of events that wait for their first attempt. */
  readonly events: number;
  /** Number of deliveries that wait for another attempt. */
  readonly retries: number;
}
