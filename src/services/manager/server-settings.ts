import type { Logger } from 'pino';
import type { NetworkType } from '../../cryptonote/types.js';
import type { DaemonConfig } from '../../daemon/http-daemon.js';
import type { PendingRequests } from '../../util/pending-requests.js';
import type { Rng } from '../../util/random.js';
import type { ExportFormat } from '../../wallet/exchange/exported-outputs.js';
import type { WalletEvents } from '../context/wallet-events.js';
import type { OpenAlias } from '../context/openalias.js';
import type { WalletDirectory } from '../context/wallet-directory.js';

/** What the process was told, as far as wallets are concerned. */
export interface ServerSettings {
  readonly network: NetworkType;
  /** Absent: clients cannot create or open wallets. */
  readonly directory?: WalletDirectory;
  readonly kdfRounds: number;
  /** In which outputs are told to offline wallets. */
  readonly exportFormat: ExportFormat;
  readonly restricted: boolean;
  readonly threads: number;
  /** Absent: offline. */
  readonly daemon?: DaemonConfig;
  readonly daemonTrusted: boolean;
  /** Blocks whose version is newer than any known are read all the same. */
  readonly anyFork: boolean;
  readonly rng: Rng;
  /** Who waits for an answer of this process. */
  readonly pendingRequests: PendingRequests;
  readonly openAlias: OpenAlias;
  readonly events: WalletEvents;
  readonly log: Logger;
  /** Categories of the log at the start. */
  readonly logCategories: string;
  /** Ends the process. */
  readonly stop: () => void;
}
