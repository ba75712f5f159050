import { readable } from './readable.js';

/** The parts of an open wallet that its lag depends on. */
export interface FollowingWallet {
  readonly store: { height(): number; readonly isDamaged: boolean };
  /** `daemonHeight` is 0 before the first refresh. */
  readonly sync: { readonly daemonHeight: number };
}

export interface WalletLag {
  /** Number of blocks that the wallet knows; 0 if its store cannot be read. */
  readonly height: number;
  /** Number of blocks of the daemon; undefined while unknown. */
  readonly daemonHeight: number | undefined;
  /** Number of blocks that the wallet lacks; 0 while unknown. */
  readonly blocks: number;
  readonly isDamaged: boolean;
}

/**
 * Compares a wallet with the chain. Reads its store only if that has changed.
 * @param latest number of blocks by a recent answer of the daemon; undefined: that of the wallet's last refresh.
 */
export function lagOf({ store, sync }: FollowingWallet, latest?: number): WalletLag {
  const height = readable(() => store.height());
  const known = latest ?? sync.daemonHeight;
  const daemonHeight = known === 0 ? undefined : known;
  const blocks = height === undefined ? 0 : Math.max(0, (daemonHeight ?? 0) - height);
  return { height: height ?? 0, daemonHeight, blocks, isDamaged: store.isDamaged };
}
