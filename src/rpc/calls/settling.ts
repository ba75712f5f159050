import { faultOf, WalletError } from '../../model/wallet-error.js';
import type { ClusterNode } from '../../services/cluster/cluster-node.js';
import type { HeldWallet } from '../../services/cluster/held-wallet.js';
import { assertQuorum, replicationFault } from '../../services/cluster/cluster-faults.js';
import type { WalletManager } from '../../services/manager/wallet-manager.js';
import type { WalletScope } from '../../services/manager/wallet-scope.js';
import { usesWallets, type WalletMethod } from '../method.js';

/** Returns the holdings of the wallets that the answer of a method may tell of. */
function holdingsOf(server: WalletManager, scope: WalletScope, { actsOn }: WalletMethod): HeldWallet[] {
  const wallets = actsOn === 'wallets' && scope.name === undefined ? server.openWallets() : [scope.find()];
  return wallets.map((wallet) => wallet?.held).filter((held) => held !== undefined);
}

/**
 * Checks that a wallet that is not open here has no other holder, because this process may have lost the wallet after
 * it took the call. A client that may not know of the wallet does not learn that it has a holder.
 * @throws WalletError `wallet_elsewhere`
 */
async function assertNowhereElse(cluster: ClusterNode, scope: WalletScope, name: string): Promise<void> {
  if (!scope.mayKnow(name)) return;
  const place = await cluster.place(name);
  if (place === 'here') return;
  if (place !== 'changing' && 'release' in place) place.release();
  const holder = place !== 'changing' && 'url' in place ? place.url : 'no process at this moment';
  throw new WalletError({ kind: 'wallet_elsewhere', name, holder });
}

/**
 * Converts the error of a failed call to the error for the client. If a wallet leaves this process while a call changes
 * it, its next holder may have the change: the error `wallet_elsewhere` would wrongly say that nothing has run.
 */
function outcomeOf(error: unknown, { meta }: WalletMethod): unknown {
  if (faultOf(error)?.kind !== 'wallet_elsewhere' || meta.family === 'view') return error;
  return new WalletError(
    { kind: 'not_replicated', reason: 'the wallet left this process during the call' },
    { cause: error },
  );
}

/**
 * Runs a call. In a cluster, the answer or the error of the call waits until a quorum has stored the whole content of
 * the wallets: another process may take a wallet over at any moment, and must know all that clients know. This includes
 * reads, since a client may read the unfinished change of another client. Without a quorum, no call runs.
 * @throws errors of the call; WalletError `not_replicated`, `wallet_elsewhere` in place of an answer or another error.
 */
export async function settling<T>(
  server: WalletManager,
  scope: WalletScope,
  method: WalletMethod,
  run: () => Promise<T>,
): Promise<T> {
  const { cluster } = server.settings;
  if (cluster === undefined || !usesWallets(method)) return run();
  assertQuorum(cluster.quorum);
  const before = holdingsOf(server, scope, method);
  const ends = before.map((held) => held.begin());
  try {
    return await runSettled(server, scope, method, { run, before, cluster });
  } catch (error) {
    throw before.length > 0 ? outcomeOf(error, method) : error;
  } finally {
    for (const end of ends) end();
  }
}

interface SettledRun<T> {
  readonly run: () => Promise<T>;
  /** Holdings at the beginning of the call. */
  readonly before: readonly HeldWallet[];
  readonly cluster: ClusterNode;
}

/** Runs a call, and waits for the wallets of its answer or of its error. */
async function runSettled<T>(
  server: WalletManager,
  scope: WalletScope,
  method: WalletMethod,
  { run, before, cluster }: SettledRun<T>,
): Promise<T> {
  let isUnknown = false;
  try {
    return await run();
  } catch (error) {
    const failed = faultOf(error);
    if (failed?.kind === 'wallet_not_open') await assertNowhereElse(cluster, scope, failed.name);
    // A flush of the store waits for the quorum, too.
    const fault = replicationFault(error, scope.name ?? '');
    isUnknown = fault.fault.kind === 'not_replicated';
    throw fault;
  } finally {
    // The call may have opened or closed a wallet. A call that has waited in vain does not wait a second time.
    const holdings = isUnknown
      ? []
      : new Set([...before.filter(({ isEnded }) => !isEnded), ...holdingsOf(server, scope, method)]);
    for (const held of holdings) await held.settled();
  }
}
