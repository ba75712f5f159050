import type { KeyImage, Hash } from '../../monero/crypto/types.js';
import type { Daemon, KeyImageStatus, DaemonTransaction } from '../../daemon/daemon.js';
import { DaemonError } from '../../daemon/errors.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import type { BlockRef } from '../../monero/wallet/scan/findings.js';
import { WalletError, faultOf } from '../../model/wallet-error.js';
import type { WalletContext } from '../context/wallet-context.js';
import { MAX_TRANSACTIONS_AT_ONCE } from '../../daemon/transaction-queries.js';
import { pagesOf } from '../../util/paged.js';
import type { DaemonAccess } from '../context/daemon-access.js';

/**
 * True if a daemon has the newest block that the wallet scanned. A daemon without this block cannot deny spends and
 * payments: a failover may have chosen a daemon that is behind, and several daemons may share one address. @throws
 * DaemonError
 */
export async function holdsNewestBlock(
  { store }: Pick<WalletContext, 'store'>,
  client: Pick<Daemon, 'getInfo' | 'getBlockHeader'>,
): Promise<boolean> {
  const [newest] = store.shortHistory();
  if (newest === undefined) return true;
  const { height, topBlockHash } = await client.getInfo();
  if (height <= newest.height) return false;
  const isTop = height === newest.height + 1;
  return equalBytes(isTop ? topBlockHash : (await client.getBlockHeader(newest.height)).hash, newest.hash);
}

/**
 * Asks the daemon for its newest block.
 * @param name name of the daemon that must answer. @returns undefined if the daemon does not answer, or if another
 * daemon serves.
 */
export async function newestBlockOf(
  { daemon, assertOpen }: Pick<WalletContext, 'daemon' | 'assertOpen'>,
  name: string | undefined,
): Promise<BlockRef | undefined> {
  assertOpen();
  if (daemon.name !== name) return undefined;
  try {
    const { height, topBlockHash } = await daemon.client().getInfo();
    assertOpen();
    return { height: height - 1, hash: topBlockHash };
  } catch (error) {
    if (error instanceof DaemonError) return undefined;
    throw error;
  }
}

/**
 * Creates the error for a daemon that denies spends or payments of a wallet, but lacks the wallet's newest block.
 * @param denied part of the error text: «reports …», «lacks …».
 */
export const lacksNewestBlock = (denied: string): WalletError =>
  new WalletError({
    kind: 'daemon_misbehaves',
    reason: `it ${denied}, and it lacks the newest block that this wallet has scanned`,
  });

/**
 * Asks the daemon again about key images whose recorded spends it denied, after it has shown the newest block that the
 * wallet scanned.
 * @returns the status of each key image; undefined if the daemon lacks the block. @throws DaemonError
 */
export async function confirmUnspent(
  context: Pick<WalletContext, 'daemon' | 'store'>,
  keyImages: readonly KeyImage[],
): Promise<readonly KeyImageStatus[] | undefined> {
  // The same client makes both calls, because a second `client()` may return the client of another daemon.
  const client = context.daemon.client();
  return (await holdsNewestBlock(context, client)) ? client.isKeyImageSpent(keyImages) : undefined;
}

/** Returns the kind of a failed call or a wrong answer of the daemon; undefined for any other error. */
export function daemonFaultOf(error: unknown): string | undefined {
  if (error instanceof DaemonError) return error.kind;
  const kind = faultOf(error)?.kind;
  return kind === 'daemon_misbehaves' ? kind : undefined;
}

/**
 * Fetches transactions without their proofs in the order of their hashes, the transactions of one request at a time, so
 * that the caller need not hold all of them.
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
