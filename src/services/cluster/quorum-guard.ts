import { WalletError } from '../../model/wallet-error.js';
import type { Quorum } from '../../cluster/cluster.js';

/**
 * Checks that this process may answer for its wallets: that no other one can have taken them over unnoticed.
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
