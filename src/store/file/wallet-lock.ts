import { closeSync, constants, fstatSync, openSync, statSync, type BigIntStats } from 'node:fs';
import { basename } from 'node:path';
import Database from 'better-sqlite3';
import { WalletError } from '../../wallet/model/wallet-error.js';
import { assertRegular, codeOf, namingTrouble } from './file-trouble.js';

/** Holds a wallet for this process. */
export interface WalletLock {
  release(): void;
}

/**
 * Lock files that this process holds, by path and by device and inode: locks of the operating system do not exclude
 * their own process.
 */
const held = new Set<string>();

const identityOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/**
 * Wait for another process that tries the lock at the same moment [ms]. Both read the file first, and neither gets
 * the lock while the other reads: without a wait both would be refused.
 */
const CONTENTION_MS = 10;

/**
 * Takes a wallet for this process alone. The lock is the operating system's on an empty SQLite file: it goes
 * with the process, however that ends. The file stays: a process that locks a file just before it is removed would
 * hold the wallet together with one that makes it anew.
 * @throws WalletError `wallet_locked`, `wallet_io`
 */
export function lockWallet(path: string, name: string): WalletLock {
  const file = held.has(path) ? undefined : namingTrouble(path, () => makeLockFile(path));
  if (file === undefined) throw new WalletError({ kind: 'wallet_locked', name });
  const db = namingTrouble(path, () => new Database(path, { timeout: CONTENTION_MS }));
  try {
    // Nothing is written: no file beside it.
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    const code = codeOf(cause);
    if (code.startsWith('SQLITE_BUSY')) throw new WalletError({ kind: 'wallet_locked', name }, { cause });
    if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
      throw new WalletError(
        { kind: 'wallet_io', file: basename(path), reason: 'it is no lock of this program: remove it' },
        { cause },
      );
    return namingTrouble(path, () => {
      throw cause;
    });
  }
  held.add(file).add(path);
  return {
    release() {
      if (!held.delete(file)) return;
      held.delete(path);
      db.exec('ROLLBACK');
      db.close();
    },
  };
}

/** @returns the file's identity; undefined while this process holds it, as closing it would release the lock. */
function makeLockFile(path: string): string | undefined {
  const standing = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (standing !== undefined) {
    assertRegular(path, standing);
    if (held.has(identityOf(standing))) return undefined;
  }
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK, 0o600);
  try {
    const stat = fstatSync(file, { bigint: true });
    assertRegular(path, stat);
    return identityOf(stat);
  } finally {
    closeSync(file);
  }
}
