import type { SecretKey, Hash } from '../monero/crypto/types.js';
import type { SubaddressIndex } from '../monero/cryptonote/types.js';
import type { DaemonCallReport } from '../daemon/call-report.js';
import { type DaemonErrorKind, DaemonError, NewerBlock } from '../daemon/errors.js';
import type { DaemonConfig } from '../daemon/http-daemon.js';
import type { LocatedOutput, SpendingKeys } from '../monero/wallet/scan/key-images.js';
import type { PackedSubaddresses } from '../monero/wallet/scan/packed-subaddresses.js';
import type { Lookahead } from '../monero/wallet/scan/subaddress-table.js';
import type { RefreshFrom } from './feeds/chain-position.js';
import type { BlockProof, BlockProofRequest } from './feeds/page-proofs.js';
import type { PoolView } from './feeds/pool-feed.js';
import type { BatchFindings, TxBatch } from './scan/wallet-scanner.js';
import type { ScannerState, PackedKeyImages } from './scan/scanner-state.js';
import type { ExpectedChain } from './scan/chain-block.js';
import { chunks, joinBytes } from '../util/bytes.js';
import type { BlockRef } from '../monero/wallet/scan/findings.js';
import type { PackedFindings } from './packed-findings.js';

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
      /** View key with which the prefetched pages are scanned; absent: the pages are not scanned. */
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
  | {
      readonly type: 'scanPool';
      readonly call: number;
      readonly wallet: WalletId;
      readonly from: Required<Pick<RefreshFrom, 'asOf' | 'made'>>;
    }
  | {
      readonly type: 'proveBlocks';
      readonly call: number;
      readonly wallet: WalletId;
      readonly blocks: BlockProofRequest;
    }
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
   * Requests a checkpoint of the wallet's store. The run waits until the checkpoint is acknowledged by `committed`,
   * like a page.
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
      readonly type: 'provenBlocks';
      readonly call: number;
      readonly result: BlockProof | RefreshFailure;
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
      /** True if the scanner is ahead of the store after the failure. */
      readonly isAhead?: boolean;
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
  /** True for a daemon error with an answer that does not come from a daemon; absent: false. */
  readonly isForeign?: boolean;
  /** Block of the kind `newer_fork`, and the newest version whose rules are known. */
  readonly newer?: Pick<NewerBlock, 'block' | 'newestFork'>;
  readonly message: string;
  readonly stack?: string;
}

/** Splits packed hashes into views of the same memory. @throws RangeError when the length is not a multiple of 32. */
export const unpackHashes = (packed: Uint8Array): Hash[] => chunks(packed, 32) as Hash[];

/** Heights and hashes of blocks, with the hashes packed into one byte string. */
interface PackedBlocks {
  readonly heights: readonly number[];
  /** Hashes of the blocks, 32 bytes each. */
  readonly hashes: Uint8Array;
}

export const packBlocks = (blocks: readonly BlockRef[]): PackedBlocks => ({
  heights: blocks.map(({ height }) => height),
  hashes: joinBytes(blocks.map(({ hash }) => hash)),
});

/** Unpacks references to blocks; their hashes are views of the packed memory. */
export function unpackBlocks({ heights, hashes }: PackedBlocks): BlockRef[] {
  const split = unpackHashes(hashes);
  return heights.flatMap((height, i) => {
    const hash = split[i];
    return hash === undefined ? [] : [{ height, hash }];
  });
}

/** Thrown by a refresh whose wallet is closed, or whose daemon is replaced. */
export class RefreshCancelled extends Error {
  override readonly name = 'RefreshCancelled';
}

/** Converts a failure that the refresh thread reported back into an error. */
export function toError({ kind, message, stack, code, newer, isForeign = false }: RefreshFailure): Error {
  if (kind === 'cancelled') return new RefreshCancelled(message);
  if (newer !== undefined) return new NewerBlock(newer.block, newer.newestFork);
  if (kind !== undefined) return new DaemonError(kind, message, { code, isForeign });
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/**
 * Converts an error into a value that can be posted to another thread.
 * @param signal signal of the call; if it is aborted, the failure is `cancelled`.
 */
export function toFailure(error: unknown, signal?: AbortSignal): RefreshFailure {
  if (signal?.aborted === true) return { kind: 'cancelled', message: 'cancelled' };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof NewerBlock) {
    const { kind, block, newestFork } = error;
    return { kind, message, newer: { block, newestFork } };
  }
  if (error instanceof DaemonError) {
    const { kind, code, isForeign } = error;
    return { kind, message, ...(code === undefined ? {} : { code }), ...(isForeign ? { isForeign } : {}) };
  }
  return { message, ...(error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {}) };
}

export type CallAnswer = Extract<RefreshReport, { readonly call: number }>;

/** A request to the refresh thread that returns a result and is not a refresh. */
export interface Call {
  readonly wallet: WalletId;
  /** Handles an answer. @returns true if it was the last answer to the call. */
  readonly take: (answer: CallAnswer) => boolean;
  readonly reject: (error: Error) => void;
}

/** Calls that the refresh thread has not answered yet, by number. */
export class ThreadCalls {
  readonly #open = new Map<number, Call>();

  add(number: number, call: Call): void {
    this.#open.set(number, call);
  }

  walletOf(number: number): WalletId | undefined {
    return this.#open.get(number)?.wallet;
  }

  /** Passes an answer to its call, unless the call was dropped. */
  answer(answer: CallAnswer): void {
    if (this.#open.get(answer.call)?.take(answer)) this.#open.delete(answer.call);
  }

  /** Rejects the pending calls of a wallet. @param wallet undefined: of all wallets. */
  drop(wallet: WalletId | undefined, error: Error): void {
    for (const [number, call] of this.#open)
      if (wallet === undefined || call.wallet === wallet) {
        this.#open.delete(number);
        call.reject(error);
      }
  }
}
