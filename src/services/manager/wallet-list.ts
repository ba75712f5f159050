import type { WalletDirectory } from '../context/wallet-directory.js';
import type { OpenWallet } from '../open-wallet.js';
import type { OpenWallets } from './open-wallets.js';

/** State of an open wallet. */
export interface OpenWalletState {
  /** Blocks that the wallet knows. */
  readonly height: number;
  /** Blocks that the daemon held when the wallet last asked; 0 before. */
  readonly daemonHeight: number;
  readonly viewOnly: boolean;
  readonly multisig: boolean;
  /** The wallet knows fewer blocks than the daemon. */
  readonly syncing: boolean;
}

export interface ListedWallet {
  readonly name: string;
  /** Absent for a closed wallet. */
  readonly open?: OpenWalletState;
}

/** Ending of the keys file of a background wallet, which shares the store of the wallet that it belongs to. */
const BACKGROUND = '.background';

/** Lists the wallets of a directory by name, and the open wallet of a server that has no directory. */
export function listWallets(wallets: OpenWallets, directory: WalletDirectory | undefined): ListedWallet[] {
  if (directory === undefined)
    return wallets.all().map((wallet) => ({ name: wallet.name, open: stateOf(wallet) }));
  const names = directory.names();
  const known = new Set(names);
  return names.flatMap((name) => {
    const wallet = wallets.withKeysFile(directory.locate(name).keys);
    if (wallet !== undefined) return [{ name, open: stateOf(wallet) }];
    const isBackground = name.endsWith(BACKGROUND) && known.has(name.slice(0, -BACKGROUND.length));
    return isBackground ? [] : [{ name }];
  });
}

function stateOf({ store, sync, isViewOnly, keys }: OpenWallet): OpenWalletState {
  const height = store.height();
  const daemonHeight = sync.daemonHeight;
  return {
    height,
    daemonHeight,
    viewOnly: isViewOnly,
    multisig: keys.multisig !== undefined,
    syncing: height < daemonHeight,
  };
}
