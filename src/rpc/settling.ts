import type { HeldWallet } from '../services/cluster/held-wallet.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import type { WalletScope } from '../services/manager/wallet-scope.js';
import type { WalletMethod } from './method.js';

/** Returns the holdings of the wallets that the answer of a method may tell of. */
function holdingsOf(server: WalletManager, scope: WalletScope, { actsOn }: WalletMethod): HeldWallet[] {
  const wallets = actsOn === 'wallets' && scope.name === undefined ? server.openWallets() : [scope.find()];
  return wallets.map((wallet) => wallet?.held).filter((held) => held !== undefined);
}

/**
 * Runs a call. In a cluster, its answer or its error waits until everything that the wallets contain by then is stored
 * by a quorum: another process may take a wallet over at any moment, and must know all that clients know. This includes
 * reads, since a client may read the unfinished change of another one.
 * @throws errors of the call; WalletError `not_replicated`, `wallet_elsewhere` in place of them and of an answer.
 */
export async function settling<T>(
  server: WalletManager,
  scope: WalletScope,
  method: WalletMethod,
  run: () => Promise<T>,
): Promise<T> {
  const usesWallets = method.meta.needs !== 'nothing' || method.actsOn !== undefined;
  if (server.settings.cluster === undefined || !usesWallets) return run();
  const before = holdingsOf(server, scope, method);
  const ends = before.map((held) => held.begin());
  try {
    return await run();
  } finally {
    try {
      // The call may have opened or closed a wallet.
      const holdings = new Set([
        ...before.filter(({ isEnded }) => !isEnded),
        ...holdingsOf(server, scope, method),
      ]);
      for (const held of holdings) await held.settled();
    } finally {
      for (const end of ends) end();
    }
  }
}
