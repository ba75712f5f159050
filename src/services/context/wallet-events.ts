import type { Hash } from '../../crypto/types.js';

/** What a wallet tells the rest of the process. Listeners must not throw. */
export interface WalletEvents {
  /** A transaction that pays us was seen, in the pool or in a block. */
  readonly onIncoming: (txHash: Hash) => void;
  /** @param height blocks known. @param daemonHeight blocks that the daemon holds. */
  readonly onProgress: (name: string, height: number, daemonHeight: number) => void;
}
