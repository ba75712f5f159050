import type { Hash } from '../../monero/crypto/types.js';

/** Notices of open wallets, by the name of the wallet (empty in memory). Listeners must not throw. */
export interface WalletEvents {
  /** Transactions that pay the wallet were seen for the first time, in the pool or in blocks; at least one. */
  readonly onIncoming: (name: string, txHashes: readonly Hash[]) => void;
  /**
   * Blocks were read.
   * @param height blocks known. @param daemonHeight blocks that the daemon holds. @param scanned blocks just read.
   */
  readonly onProgress: (name: string, height: number, daemonHeight: number, scanned: number) => void;
  readonly onClosed: (name: string) => void;
  /** Events were appended to the store and committed. */
  readonly onEvents?: (name: string) => void;
}
