import type { Logger } from 'pino';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import type { ObserveDaemons } from '../../daemon/call-report.js';
import type { PendingRequests } from '../../util/pending-requests.js';
import type { EventSettings } from '../../store/events/event-log.js';
import type { Rng } from '../../util/random.js';
import type { ExportFormat } from '../../monero/wallet/exchange/exported-outputs.js';
import type { ClusterNode } from '../cluster/cluster-node.js';
import type { ListedDaemon } from '../context/daemon-list.js';
import type { PayoutSettings, RequestSettings, WalletEvents } from '../context/wallet-context.js';
import type { OpenAlias } from '../context/openalias.js';
import type { WalletDirectory } from '../context/wallet-directory.js';
import type { NoticeRunner } from '../events/tx-notices.js';
import type { WorkParts, WorkVerification } from '../work/work-verification.js';
import type { WebhookSettings } from '../webhooks/webhook-sending.js';

/** Settings of the server process that concern wallets. */
export interface ServerSettings {
  readonly network: NetworkType;
  /** Directory in which clients create and open wallets; absent: clients cannot create or open wallets. */
  readonly directory?: WalletDirectory;
  /** Directory for backups; absent: `backup_wallet` is refused. */
  readonly backupDirectory?: string;
  /** Refresh period of newly opened wallets [s]; 0: they are refreshed on request only; absent: 20. */
  readonly refreshPeriod?: number;
  readonly kdfRounds: number;
  /** Version of the format in which outputs are exported. */
  readonly exportFormat: ExportFormat;
  readonly restricted: boolean;
  readonly threads: number;
  /** Listed daemons in the order of preference; empty: offline. */
  readonly daemons: readonly ListedDaemon[];
  /** True if blocks of a daemon that is not trusted are requested whole and verified; see {@link DaemonConfig}. */
  readonly wholeBlocks: boolean;
  /** Number of daemons that must name the same block before it counts; absent: the serving one is enough. */
  readonly daemonQuorum?: number;
  /** Checks of the daemons' proof of work; absent: none. */
  readonly work?: (parts: WorkParts) => WorkVerification;
  /** True if calls that need a trusted daemon are accepted while the server is offline; absent: false. */
  readonly trustedOffline?: boolean;
  /** Called at the end of each call to the serving daemon, on any thread. */
  readonly onDaemonCall?: ObserveDaemons;
  /**
   * Newest version of blocks whose rules the server knows: 16, or that of the last fork of `--fork-rules`. Refreshes, checks
   * of proof of work, payments and metrics all follow this value.
   */
  readonly newestFork: number;
  /** True if blocks with a version newer than all known versions are accepted. */
  readonly anyFork: boolean;
  readonly rng: Rng;
  /** Pending requests of this process. */
  readonly pendingRequests: PendingRequests;
  readonly openAlias: OpenAlias;
  readonly events: WalletEvents;
  /** Source of event ids for all wallets, and thresholds of `payment.confirmed`. */
  readonly eventSettings: EventSettings;
  readonly requestSettings: RequestSettings;
  readonly payoutSettings: PayoutSettings;
  /** Age at which events are deleted [ms]. */
  readonly eventRetentionMs: number;
  readonly webhooks: WebhookSettings;
  /** Starts the commands of `--tx-notify`; absent if the option is not set. */
  readonly noticeRunner?: NoticeRunner;
  /** This process as a member of a cluster; absent without a cluster. */
  readonly cluster?: ClusterNode;
  readonly log: Logger;
  /** Log categories at the start. */
  readonly logCategories: string;
  /** Ends the process. */
  readonly stop: () => void;
}
