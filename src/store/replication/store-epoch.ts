import { existsSync } from 'node:fs';
import type { MetaKey } from '../tables/meta.js';
import { detectingDamage, openSnapshot, type StoreKey } from '../file/database.js';

const EPOCH: MetaKey = 'epoch';

/**
 * Reads the number of the lease under which a cluster last held a store that this process has not open. Nothing in the
 * store changes; its log stays.
 * @returns undefined if there is no store, or if no cluster has held it.
 * @throws WalletError `wallet_corrupt` for a damaged file or a wrong key, `wallet_io`.
 */
export function readStoreEpoch(path: string, key: StoreKey): number | undefined {
  if (!existsSync(path)) return undefined;
  return detectingDamage(path, () => {
    const db = openSnapshot(path, key);
    try {
      const row = db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?').get(EPOCH);
      return row === undefined ? undefined : Number(row.value);
    } finally {
      db.close();
    }
  });
}
