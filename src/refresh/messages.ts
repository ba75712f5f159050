import type { SecretKey } from '../monero/crypto/types.js';
import type { SubaddressIndex } from '../monero/cryptonote/types.js';
import type { DaemonCallReport } from '../daemon/call-report.js';
import type { DaemonErrorKind } from '../daemon/errors.js';
import type { DaemonConfig } from '../daemon/http-daemon.js';
import type { LocatedOutput, SpendingKeys } from '../monero/wallet/scan/key-images.js';
import type { PackedSubaddresses } from '../monero/wallet/scan/packed-subaddresses.js';
import type { Lookahead } from '../monero/wallet/scan/subaddress-table.js';
import type { RefreshFrom } from './feeds/chain-position.js';
import type { PoolView } from './feeds/pool-feed.js';
import type { BatchFindings, TxBatch } from './scan/transaction-scan.js';
import type { ScannerState } from './scan/scanner-state.js';
import type { PackedFindings } from './commit/packed-findings.js';
import type { PackedBlocks } from './commit/packed-hashes.js';
import type { PackedKeyImages } from './scan/packed-key-images.js';
import type { ExpectedChain } from './scan/chain-block.js';

/** Number of an open wallet; unique within the process. */
export type WalletId = number;

/** {@link RefreshFrom} as it crosses threads. */
export type PackedFrom = Omit<RefreshFrom, 'history'> & { readonly history: PackedBlocks };

/** Data of a new refresh thread. */
export interface RefreshThreadData {
  /** Threads that scan at once, the refresh thread among them. */
  readonly threads: number;
  /** Memory of the `RequestActivity` of the process. */
  readonly requests: SharedArrayBuffer;
}

/** A message to the refresh thread. */
export type RefreshRequest =
  | { readonly type: 'daemon'; readonly config: DaemonConfig | undefined; readonly chain: ExpectedChain }
  | {
      readonly type: 'prefetch';
      readonly startHeight: number;
      /** Absent: the pages are not scanned. */
      readonly viewSecret?: SecretKey;
    }
  | { readonly type: 'attach'; readonly wallet: WalletId; readonly state: ScannerState }
  | { readonly type: 'detach'; readonly wallet: WalletId }
  | { readonly type: 'expand'; readonly wallet: WalletId; readonly index: SubaddressIndex }
  | {
      readonly type: 'lookahead';
      readonly call: number;
      readonly wallet: WalletId;
      readonly lookahead: Lookahead;
      /** The last used address of each account. */
      readonly handedOut: readonly SubaddressIndex[];
    }
  | {
      readonly type: 'importKeyImages';
      readonly wallet: WalletId;
      readonly keyImages: PackedKeyImages;
    }
  /** Has the wallet scan all transactions of the pool again. */
  | { readonly type: 'forgetPool'; readonly wallet: WalletId }
  | {
      readonly type: 'scanTransactions';
      readonly call: number;
      readonly state: ScannerState;
      readonly batch: TxBatch;
    }
  | { readonly type: 'scanPool'; readonly call: number; readonly wallet: WalletId; readonly asOf: number }
  | {
      readonly type: 'keyImages';
      readonly call: number;
      readonly keys: SpendingKeys;
      readonly outputs: readonly LocatedOutput[];
    }
  | { readonly type: 'refresh'; readonly wallet: WalletId; readonly run: number; readonly from: PackedFrom }
  | { readonly type: 'cancel'; readonly wallet: WalletId; readonly run: number }
  | {
      /** Acknowledges a page or a checkpoint. */
      readonly type: 'committed';
      readonly wallet: WalletId;
      readonly run: number;
    };

/** A message from the refresh thread; the pages of one run arrive in order. */
export type RefreshReport =
  | {
      readonly type: 'page';
      readonly wallet: WalletId;
      readonly run: number;
      readonly findings: PackedFindings;
      /** Number of blocks of the daemon. */
      readonly daemonHeight: number;
    }
  /** The run waits until a checkpoint of the store is acknowledged as a page is. */
  | { readonly type: 'checkpoint'; readonly wallet: WalletId; readonly run: number }
  | ({ readonly type: 'pool'; readonly wallet: WalletId; readonly run: number } & PoolView)
  | {
      readonly type: 'subaddresses';
      readonly call: number;
      readonly keys: PackedSubaddresses;
      /** The call is answered in full. */
      readonly last: boolean;
    }
  | {
      readonly type: 'scannedTransactions';
      readonly call: number;
      readonly result: BatchFindings | RefreshFailure;
    }
  | {
      readonly type: 'scannedPool';
      readonly call: number;
      readonly result: PoolView | RefreshFailure;
    }
  | {
      readonly type: 'keyImages';
      readonly call: number;
      /** 32 bytes per output. */
      readonly images: Uint8Array;
    }
  | {
      readonly type: 'done';
      readonly wallet: WalletId;
      readonly run: number;
      readonly failure?: RefreshFailure;
    };

/** A call of the refresh thread to the daemon has ended. */
export interface DaemonCallEnded {
  readonly type: 'daemonCall';
  readonly report: DaemonCallReport;
  /** Address as configured. */
  readonly daemon: string;
}

/** An error as it crosses threads. */
export interface RefreshFailure {
  /** Absent for a bug. */
  readonly kind?: DaemonErrorKind | 'cancelled';
  /** System name of the cause of a daemon error, such as `ECONNREFUSED`. */
  readonly code?: string;
  readonly message: string;
  readonly stack?: string;
}
