import type { Logger } from 'pino';
import type { NetworkType } from '../../monero/cryptonote/types.js';
import type { ObserveDaemons } from '../../daemon/call-report.js';
import type { PendingRequests } from '../../util/pending-requests.js';
import type { EventSettings } from '../../store/events/event-log.js';
import type { Rng } from '../../util/random.js';
import type { ExportFormat } from '../../monero/wallet/exchange/exported-outputs.js';
import type { ListedDaemon } from '../context/daemon-list.js';
import type { WalletEvents } from '../context/wallet-events.js';
import type { OpenAlias } from '../context/openalias.js';
import type { WalletDirectory } from '../context/wallet-directory.js';
import type { NoticeRunner } from '../events/tx-notices.js';
import type { WebhookSettings } from '../webhooks/webhook-sending.js';

/** Settings of the process that concern wallets. */
export interface ServerSettings {
  readonly network: NetworkType;
  /** Absent: clients cannot create or open wallets. */
  readonly directory?: WalletDirectory;
  /** Directory of backups; absent: `backup_wallet` is refused. */
  readonly backupDirectory?: string;
  readonly kdfRounds: number;
  /** Version of exported outputs. */
  readonly exportFormat: ExportFormat;
  readonly restricted: boolean;
  readonly threads: number;
  /** Daemons in the order of preference; empty: offline. */
  readonly daemons: readonly ListedDaemon[];
  /** Whether calls that need a trusted daemon are accepted while there is none. Absent: they are not. */
  readonly trustedOffline?: boolean;
  /** Listener for finished calls to the daemon that serves, of all threads. */
  readonly onDaemonCall?: ObserveDaemons;
  /** Accepts blocks with a version newer than any known one. */
  readonly anyFork: boolean;
  readonly rng: Rng;
  /** Pending requests of this process. */
  readonly pendingRequests: PendingRequests;
  readonly openAlias: OpenAlias;
  readonly events: WalletEvents;
  /** Source of event ids of all wallets, and thresholds of `payment.confirmed`. */
  readonly eventSettings: EventSettings;
  /** Age from which events are deleted [ms]. */
  readonly eventRetentionMs: number;
  readonly webhooks: WebhookSettings;
  /** Runs `--tx-notify`; absent: the option is not set. */
  readonly noticeRunner?: NoticeRunner;
  readonly log: Logger;
  /** Categories of the log at the start. */
  readonly logCategories: string;
  /** Ends the process. */
  readonly stop: () => void;
}
