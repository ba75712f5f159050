import type { SecretKey } from '../monero/crypto/types.js';
import type { SubaddressIndex } from '../monero/cryptonote/types.js';
import type { DaemonCallReport } from '../daemon/call-report.js';
import type { DaemonErrorKind } from '../daemon/errors.js';
import type { BlockVersion } from '../daemon/newer-block.js';
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

/** Number of an open wallet, unique within the process. */
export type WalletId = number;

/** {@link RefreshFrom} as posted to the refresh thread, with packed hashes. */
export type PackedFrom = Omit<RefreshFrom, 'history'> & { readonly history: PackedBlocks };

/** Start parameters of a refresh thread. */
export interface RefreshThreadData {
  /** Number of threads that scan at once, the refresh thread included. */
  readonly threads: number;
  /** Shared memory of the `RequestActivity` of the process. */
  readonly requests: SharedArrayBuffer;
}

/** A message to the refresh thread. */
export type RefreshRequest =
  | { readonly type: 'daemon'; readonly config: DaemonConfig | undefined; readonly chain: ExpectedChain }
  | {
      readonly type: 'prefetch';
      readonly startHeight: number;
      /** View key with which the prefetched pages are scanned; absent: they are not scanned. */
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
      /** The last address in use of each account; the lookahead continues after it. */
      readonly handedOut: readonly SubaddressIndex[];
    }
  | {
      readonly type: 'importKeyImages';
      readonly wallet: WalletId;
      readonly keyImages: PackedKeyImages;
    }
  /** Makes the wallet's next scan of the pool scan all transactions again. */
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
      /** Confirms that the main thread has committed a page or made a checkpoint. */
      readonly type: 'committed';
      readonly wallet: WalletId;
      readonly run: number;
    };

/** A message from the refresh thread. The pages of one run arrive in chain order. */
export type RefreshReport =
  | {
      readonly type: 'page';
      readonly wallet: WalletId;
      readonly run: number;
      readonly findings: PackedFindings;
      /** Number of blocks of the daemon's chain. */
      readonly daemonHeight: number;
      /** True for blocks that were read again. */
      readonly isAgain: boolean;
    }
  /**
   * Requests a checkpoint of the wallet's store. The run waits until it is acknowledged by `committed`, as a page is.
   */
  | { readonly type: 'checkpoint'; readonly wallet: WalletId; readonly run: number }
  | ({ readonly type: 'pool'; readonly wallet: WalletId; readonly run: number } & PoolView)
  | {
      readonly type: 'subaddresses';
      readonly call: number;
      readonly keys: PackedSubaddresses;
      /** True for the last answer to the call. */
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
      /** Key images, 32 bytes for each output. */
      readonly images: Uint8Array;
    }
  | {
      readonly type: 'done';
      readonly wallet: WalletId;
      readonly run: number;
      readonly failure?: RefreshFailure;
      /** Failure of the daemon when the pool was read; the blocks have been scanned. */
      readonly poolFailure?: RefreshFailure;
    };

/** Reports the end of a call of the refresh thread to the daemon. */
export interface DaemonCallEnded {
  readonly type: 'daemonCall';
  readonly report: DaemonCallReport;
  /** Address of the daemon, as configured. */
  readonly daemon: string;
}

/** An error as a plain value that can be posted to another thread. */
export interface RefreshFailure {
  /** Kind of a daemon error, or `cancelled`; absent for an unexpected error, that is a bug. */
  readonly kind?: DaemonErrorKind | 'cancelled';
  /** System error code of the cause of a daemon error, such as `ECONNREFUSED`. */
  readonly code?: string;
  /** True for a daemon error with an answer that is not one of a daemon; absent: false. */
  readonly isForeign?: boolean;
  /** Block of the kind `newer_fork`. */
  readonly block?: BlockVersion;
  readonly message: string;
  readonly stack?: string;
}
