import type { PoolViewer } from './feeds/pool-feed.js';
import type { WalletScanner } from './scan/wallet-scanner.js';

/** A refresh of one wallet that runs on the refresh thread. `number` is the number of its run on the main thread. */
export interface RunningRefresh {
  readonly number: number;
  cancel(): void;
  acknowledge(): void;
}

/**
 * State of one open wallet on the refresh thread: its scanner, its refresh, and the pool transactions that it has
 * scanned.
 */
export class AttachedWallet {
  readonly scanner: WalletScanner;
  /** Hashes [hex] of the pool transactions that this wallet has scanned. */
  seenInPool = new Set<string>();
  newestPool: PoolViewer['newestPool'];
  refresh: RunningRefresh | undefined;
  readonly #closing = new AbortController();

  constructor(scanner: WalletScanner) {
    this.scanner = scanner;
  }

  /**
   * Makes the next scan of the pool scan every transaction again. A scan under way does not mark its transactions as
   * scanned.
   */
  forgetPool(): void {
    this.seenInPool = new Set();
  }

  /** Signal that is aborted when the wallet is closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Ends all scans of the wallet and zeroes its keys. */
  close(): void {
    this.refresh?.cancel();
    this.#closing.abort(new Error('the wallet is closed'));
    this.scanner.wipe();
  }
}
