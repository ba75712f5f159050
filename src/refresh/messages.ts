import type { Hash } from '../crypto/types.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import type { DaemonErrorKind } from '../daemon/errors.js';
import type { DaemonConfig } from '../daemon/http-daemon.js';
import type { LocatedOutput, SpendingKeys } from '../wallet/scan/key-images.js';
import type { BlockRef, PageFindings, SubaddressKey, TxFindings } from '../wallet/model/records.js';
import type { Lookahead } from '../wallet/scan/subaddress-table.js';
import type { ScannerState } from './scanner-state.js';
import type { PoolFinding, UnminedTx } from './wallet-scanner.js';
import type { NamedKey } from './watch-list.js';
import type { ExpectedChain, LooseBlock } from './chain-block.js';

/** Numbers an open wallet, for as long as the process runs. */
export type WalletId = number;

/** Where a refresh goes on from. */
export interface RefreshFrom {
  /** Blocks the wallet holds, newest first, thinning out; empty for a wallet that holds none. */
  readonly history: readonly BlockRef[];
  /** First height to look at where `history` is empty or lies below it. */
  readonly startHeight: number;
  /** Time since which the daemon must have been asked [ms, Unix time with fractions]; absent: now. */
  readonly asOf?: number;
}

/** Transactions to look through out of turn. */
export interface TxBatch {
  /** By ascending height, each height once. */
  readonly mined: readonly LooseBlock[];
  readonly unmined: readonly UnminedTx[];
}

/** What concerns a wallet in a {@link TxBatch}. */
export interface BatchFindings {
  readonly mined: TxFindings;
  readonly unmined: readonly PoolFinding[];
}

/** The pool as it concerns a wallet. */
export interface PoolView {
  /** Everything that is in the pool now. */
  readonly present: readonly Hash[];
  /** Of what was not looked at before. */
  readonly findings: readonly PoolFinding[];
}

/** From the wallet's side to the refresh thread. */
export type RefreshRequest =
  | { readonly type: 'daemon'; readonly config: DaemonConfig | undefined; readonly chain: ExpectedChain }
  | { readonly type: 'attach'; readonly wallet: WalletId; readonly state: ScannerState }
  | { readonly type: 'detach'; readonly wallet: WalletId }
  | { readonly type: 'expand'; readonly wallet: WalletId; readonly index: SubaddressIndex }
  | {
      readonly type: 'lookahead';
      readonly call: number;
      readonly wallet: WalletId;
      readonly lookahead: Lookahead;
      /** The last address handed out, an account. */
      readonly handedOut: readonly SubaddressIndex[];
    }
  | { readonly type: 'learn'; readonly wallet: WalletId; readonly told: readonly NamedKey[] }
  | {
      readonly type: 'look';
      readonly call: number;
      readonly state: ScannerState;
      readonly batch: TxBatch;
    }
  | { readonly type: 'lookIntoPool'; readonly call: number; readonly wallet: WalletId }
  | {
      readonly type: 'keyImages';
      readonly call: number;
      readonly keys: SpendingKeys;
      readonly outputs: readonly LocatedOutput[];
    }
  | { readonly type: 'refresh'; readonly wallet: WalletId; readonly run: number; readonly from: RefreshFrom }
  | { readonly type: 'cancel'; readonly wallet: WalletId; readonly run: number }
  | { readonly type: 'committed'; readonly wallet: WalletId; readonly run: number };

/** From the refresh thread to the wallet's side; the pages of one run come in order. */
export type RefreshReport =
  | {
      readonly type: 'page';
      readonly wallet: WalletId;
      readonly run: number;
      readonly findings: PageFindings;
      /** Number of blocks that the daemon holds. */
      readonly daemonHeight: number;
    }
  /** Much was committed: a moment to put it in order, which is answered as a page is. */
  | { readonly type: 'rest'; readonly wallet: WalletId; readonly run: number }
  | ({ readonly type: 'pool'; readonly wallet: WalletId; readonly run: number } & PoolView)
  | {
      readonly type: 'subaddresses';
      readonly call: number;
      readonly keys: readonly SubaddressKey[];
      /** Nothing more comes for the lookahead that was asked for. */
      readonly last: boolean;
    }
  | {
      readonly type: 'looked';
      readonly call: number;
      readonly result: BatchFindings | RefreshFailure;
    }
  | {
      readonly type: 'lookedIntoPool';
      readonly call: number;
      readonly result: PoolView | RefreshFailure;
    }
  | {
      readonly type: 'keyImages';
      readonly call: number;
      /** 32 bytes an output. */
      readonly images: Uint8Array;
    }
  | {
      readonly type: 'done';
      readonly wallet: WalletId;
      readonly run: number;
      readonly failure?: RefreshFailure;
    };

/** An error as it crosses threads. */
export interface RefreshFailure {
  /** Absent for a bug. */
  readonly kind?: DaemonErrorKind | 'cancelled';
  /** Of a daemon's failure, where the system names its cause. */
  readonly code?: string;
  readonly message: string;
  readonly stack?: string;
}
