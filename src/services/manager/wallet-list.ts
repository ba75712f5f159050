import type { WalletEntry } from '../../cluster/lease.js';
import { workSlices } from '../../util/event-loop.js';
import type { WalletDirectory } from '../context/wallet-directory.js';
import type { OpenWallet } from '../open-wallet.js';
import type { OpenWallets } from './open-wallets.js';

/** State of an open wallet. */
export interface OpenWalletState {
  /** Number of blocks that the wallet knows. */
  readonly height: number;
  /** Number of blocks that the daemon had at the last refresh; 0 before the first refresh. */
  readonly daemonHeight: number;
  readonly viewOnly: boolean;
  readonly multisig: boolean;
  /** True if the wallet knows fewer blocks than the daemon has. */
  readonly syncing: boolean;
}

/** A wallet of the directory. */
export interface ListedWallet {
  readonly name: string;
  /** State of the wallet if it is open; absent for a closed wallet. */
  readonly open?: OpenWalletState;
  /**
   * Address of the process of the cluster that holds the wallet; absent without a cluster, and if no process holds it.
   */
  readonly holder?: string;
}

/** Ending of the name of a background wallet, which has the store of its main wallet. */
const BACKGROUND = '.background';

/**
 * Lists the wallets of a directory by name; without a directory, the open wallets. Yields to the event loop.
 * @throws WalletError `wallet_io`
 */
export async function listWallets(
  wallets: OpenWallets,
  directory: WalletDirectory | undefined,
): Promise<ListedWallet[]> {
  if (directory === undefined)
    return wallets.all().map((wallet) => ({ name: wallet.name, open: stateOf(wallet) }));
  const names = directory.names();
  const known = new Set(names);
  const listed = await workSlices.map(names, (name): ListedWallet | undefined => {
    const wallet = wallets.findByKeysFile(directory.locate(name).keys);
    if (wallet !== undefined) return { name, open: stateOf(wallet) };
    const isBackground = name.endsWith(BACKGROUND) && known.has(name.slice(0, -BACKGROUND.length));
    return isBackground ? undefined : { name };
  });
  return listed.filter((wallet) => wallet !== undefined);
}

/**
 * Lists the wallets of a cluster by name, with the state of the wallets that this process holds, and the wallets of the
 * directory that the cluster does not know, which join it when they are opened.
 * @param entries wallets of the cluster. @param local wallets of the directory.
 */
export function withClusterWallets(
  local: readonly ListedWallet[],
  entries: readonly WalletEntry[],
): ListedWallet[] {
  const unknown = new Map(local.map((wallet) => [wallet.name, wallet]));
  // A wallet that has left is only a wallet of the directory, if its files are here.
  const present = entries.filter(({ departure }) => departure === undefined);
  const known = present.map(({ name, holder, isLapsed, isHere }): ListedWallet => {
    const state = isHere ? unknown.get(name)?.open : undefined;
    unknown.delete(name);
    return {
      name,
      ...(holder === undefined || isLapsed ? {} : { holder }),
      ...(state === undefined ? {} : { open: state }),
    };
  });
  return [...known, ...unknown.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
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
