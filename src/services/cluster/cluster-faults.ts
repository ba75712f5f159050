import { ClusterUnreachable, Fenced, MemberGone, NotReplicated, WalletKnown } from '../../cluster/errors.js';
import { WalletError } from '../../model/wallet-error.js';
import type { Quorum } from '../../cluster/cluster.js';
import { NotReplicatedError, SinkEndedError } from '../../store/replication/replication.js';

/**
 * Returns the fault that clients receive for an error of the cluster. @throws any other error unchanged.
 * @param name name of the wallet.
 */
export function replicationFault(error: unknown, name: string): WalletError {
  if (error instanceof WalletError) return error;
  if (error instanceof WalletKnown) return new WalletError({ kind: 'wallet_exists', name }, { cause: error });
  if (error instanceof MemberGone)
    return new WalletError({ kind: 'bad_cluster_request', reason: error.message }, { cause: error });
  if (error instanceof Fenced || error instanceof SinkEndedError)
    return new WalletError({ kind: 'wallet_elsewhere', name, holder: 'another process' }, { cause: error });
  if (error instanceof NotReplicated)
    return new WalletError({ kind: 'not_replicated', reason: error.reason }, { cause: error });
  if (error instanceof NotReplicatedError || error instanceof ClusterUnreachable)
    return new WalletError({ kind: 'not_replicated', reason: error.message }, { cause: error });
  throw error;
}

/**
 * Checks that this process may answer for its wallets, because no other process can have taken them over unnoticed.
 * @throws WalletError `not_replicated`
 */
export function assertQuorum({ isLost, silentMs }: Quorum): void {
  if (!isLost) return;
  const seconds = Math.round(silentMs / 1000);
  throw new WalletError({
    kind: 'not_replicated',
    reason: `no standby of the database has confirmed anything for ${seconds} s, and another process may have the wallet`,
  });
}
