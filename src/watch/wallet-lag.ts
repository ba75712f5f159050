import type { BlockVersion } from '../daemon/errors.js';
import { readable } from './readable.js';

/** Parts of an open wallet that determine how many blocks it lacks. */
export interface FollowingWallet {
  readonly store: { height(): number; readonly isDamaged: boolean };
  readonly sync: {
    /** Number of blocks of the daemon; 0 before the first refresh. */
    readonly daemonHeight: number;
    readonly newerBlock?: BlockVersion | undefined;
  };
}

/** Blocks of a wallet in comparison with the daemon. */
export interface WalletLag {
  /** Number of blocks that the wallet knows; 0 if its store cannot be read. */
  readonly height: number;
  /** Number of blocks of the daemon; undefined while it is unknown. */
  readonly daemonHeight: number | undefined;
  /** Number of blocks that the wallet lacks; 0 while it is unknown. */
  readonly blocks: number;
  readonly isDamaged: boolean;
  /** Block of a newer version than the known ones, at which the last refresh of the wallet ended. */
  readonly newerBlock?: BlockVersion | undefined;
}

/**
 * Compares the blocks of a wallet with the chain of the daemon. Reads the store only if it has changed since the last
 * call.
 * @param latest number of blocks in a recent answer of the daemon; undefined: that of the wallet's last refresh.
 */
export function lagOf({ store, sync }: FollowingWallet, latest?: number): WalletLag {
  const height = readable(() => store.height());
  const known = latest ?? sync.daemonHeight;
  const daemonHeight = known === 0 ? undefined : known;
  const blocks = height === undefined ? 0 : Math.max(0, (daemonHeight ?? 0) - height);
  const { newerBlock } = sync;
  return { height: height ?? 0, daemonHeight, blocks, isDamaged: store.isDamaged, newerBlock };
}
