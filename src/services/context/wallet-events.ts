import type { Hash } from '../../monero/crypto/types.js';
import type { ReplacedBlocks } from '../../monero/wallet/scan/findings.js';

/** Notifications of open wallets, each with the name of the wallet (empty in memory). Listeners must not throw. */
export interface WalletEvents {
  /**
   * Called when transactions that pay the wallet are seen for the first time, in the pool or in blocks; at least one.
   */
  readonly onIncoming: (name: string, txHashes: readonly Hash[]) => void;
  /**
   * Called when blocks were scanned.
   * @param height number of blocks that the wallet knows. @param daemonHeight number of blocks that the daemon has.
   * @param scanned number of blocks scanned since the last call.
   */
  readonly onProgress: (name: string, height: number, daemonHeight: number, scanned: number) => void;
  /** Called when a reorganisation replaced blocks of the wallet, after their replacements were committed. */
  readonly onReorganised?: (name: string, blocks: ReplacedBlocks) => void;
  readonly onClosed: (name: string) => void;
  /** Called when events were appended to the store and committed. */
  readonly onEvents?: (name: string) => void;
  /** Called when a payment request was created, cancelled or extended. @param token random name of its pay page. */
  readonly onRequest?: (name: string, token: Uint8Array) => void;
}
