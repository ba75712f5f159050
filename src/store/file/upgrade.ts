import { ThreadClient } from '../../util/thread-client.js';
import { WalletError } from '../../model/wallet-error.js';
import { openDatabase, UpgradeNeeded, type StoreDatabase, type StoreKey } from './database.js';
import type { UpgradeJobs, UpgradeRefusal } from './upgrade-thread.js';

/** One thread upgrades one store after the other: each upgrade sorts the rows of its store in memory. */
const threads = new ThreadClient<UpgradeJobs, UpgradeRefusal>(
  new URL('./upgrade-thread.js', import.meta.url),
  { threads: 1, toError: ({ fault }) => new WalletError(fault) },
);

/**
 * Opens a database as {@link openDatabase}. Migrations that it lacks are applied on another thread before, since a
 * migration may read every row. Nothing else may have the file open. Each migration is a transaction: after a crash the
 * next opening continues.
 * @throws WalletError `wallet_corrupt`, `wallet_io`
 */
export async function openUpgraded(
  path: string,
  storeKey: StoreKey,
  isReplicated: boolean,
): Promise<StoreDatabase> {
  try {
    return openDatabase(path, storeKey, { isReplicated, upgrades: false });
  } catch (error) {
    if (!(error instanceof UpgradeNeeded)) throw error;
  }
  const key = Uint8Array.from(storeKey.key);
  const upgrade = await threads.run('upgrade', { path, key: { ...storeKey, key }, isReplicated }, [key]);
  const db = openDatabase(path, storeKey, { isReplicated });
  db.upgrade = upgrade;
  return db;
}
