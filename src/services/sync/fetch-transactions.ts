import type { Hash } from '../../monero/crypto/types.js';
import type { DaemonTransaction } from '../../daemon/daemon.js';
import { toHex } from '../../util/bytes.js';
import type { WalletError } from '../../monero/wallet/model/wallet-error.js';
import type { DaemonAccess } from '../context/daemon-access.js';

/** Number of transactions in one call to the daemon: the limit of a restricted daemon. */
const TXS_PER_CALL = 100;

/**
 * Fetches transactions in the order of their hashes, some in each call.
 * @param unknown creates the error for a transaction that the daemon does not know.
 * @param prune true: without their proofs. @returns the transactions of each call. @throws DaemonError; the error of
 * `unknown`.
 */
export async function* fetchTransactions(
  daemon: Pick<DaemonAccess, 'client'>,
  hashes: readonly Hash[],
  unknown: (hash: Hash) => WalletError,
  prune = true,
): AsyncGenerator<readonly DaemonTransaction[], void, void> {
  for (let start = 0; start < hashes.length; start += TXS_PER_CALL) {
    const part = hashes.slice(start, start + TXS_PER_CALL);
    const { transactions } = await daemon.client().getTransactions(part, { prune });
    const byHash = new Map(transactions.map((tx) => [toHex(tx.hash), tx]));
    yield part.map((hash) => {
      const tx = byHash.get(toHex(hash));
      if (tx === undefined) throw unknown(hash);
      return tx;
    });
  }
}
