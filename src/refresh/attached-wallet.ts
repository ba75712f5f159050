import type { PoolViewer } from './feeds/pool-feed.js';
import type { WalletScanner } from './scan/wallet-scanner.js';

/** A refresh under way. */
export interface RunningRefresh {
  readonly number: number;
  cancel(): void;
  acknowledge(): void;
}

/** One wallet on the refresh thread. */
export class AttachedWallet {
  readonly scanner: WalletScanner;
  /** Pool transactions that were scanned, by hash in hex. */
  seenInPool = new Set<string>();
  newestPool: PoolViewer['newestPool'];
  refresh: RunningRefresh | undefined;
  readonly #closing = new AbortController();

  constructor(scanner: WalletScanner) {
    this.scanner = scanner;
  }

  /** Has all pool transactions scanned again. A scan under way does not mark its transactions as seen. */
  forgetPool(): void {
    this.seenInPool = new Set();
  }

  /** Aborted when the wallet is closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Ends all scans and zeroes the keys. */
  close(): void {
    this.refresh?.cancel();
    this.#closing.abort(new Error('the wallet is closed'));
    this.scanner.wipe();
  }
}
