import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { WalletError } from '../wallet/fault.js';

/** Holds a wallet for this process. */
export interface WalletLock {
  release(): void;
}

/** Paths that this process holds; locks of the operating system do not exclude their own process. */
const held = new Set<string>();

/**
 * Takes a wallet for this process alone. The lock is the operating system's on an empty SQLite file: it goes
 * with the process, however that ends.
 * @throws WalletError `wallet_locked`
 */
export function lockWallet(path: string, name: string): WalletLock {
  if (held.has(path)) throw new WalletError({ kind: 'wallet_locked', name });
  const db = new Database(path, { timeout: 0 });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    throw new WalletError({ kind: 'wallet_locked', name }, { cause });
  }
  held.add(path);
  return {
    release() {
      if (!held.delete(path)) return;
      db.exec('ROLLBACK');
      db.close();
      rmSync(path, { force: true });
    },
  };
}
