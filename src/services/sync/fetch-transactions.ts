import type { Hash } from '../../monero/crypto/types.js';
import type { DaemonTransaction } from '../../daemon/daemon.js';
import { MAX_TRANSACTIONS_AT_ONCE } from '../../daemon/transaction-queries.js';
import { toHex } from '../../util/bytes.js';
import { pagesOf } from '../../util/paged.js';
import type { WalletError } from '../../model/wallet-error.js';
import type { DaemonAccess } from '../context/daemon-access.js';

/**
 * Fetches transactions without their proofs in the order of their hashes, those of one request at a time, so that the
 * caller need not hold all of them.
 * @param unknown creates the error for a transaction that the daemon does not know.
 * @returns the transactions of each request. @throws DaemonError; the error of `unknown`.
 */
export async function* fetchTransactions(
  daemon: Pick<DaemonAccess, 'client'>,
  hashes: readonly Hash[],
  unknown: (hash: Hash) => WalletError,
): AsyncGenerator<readonly DaemonTransaction[], void, void> {
  for await (const part of pagesOf(hashes, MAX_TRANSACTIONS_AT_ONCE)) {
    const { transactions } = await daemon.client().getTransactions(part, { prune: true });
    const byHash = new Map(transactions.map((tx) => [toHex(tx.hash), tx]));
    yield part.map((hash) => {
      const tx = byHash.get(toHex(hash));
      if (tx === undefined) throw unknown(hash);
      return tx;
    });
  }
}
