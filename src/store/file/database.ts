import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { toHex } from '../../util/bytes.js';
import { migrate, NewerSchemaError } from '../../util/migrations.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import { codeOf, fileTrouble, namingTrouble } from './file-trouble.js';
import type { StoreCipher } from './store-cipher.js';

export type Db = Database.Database;

/** What a store is opened with. */
export interface StoreKey {
  /** 32 bytes. */
  readonly key: Uint8Array;
  readonly cipher: StoreCipher;
}

const MIGRATIONS = fileURLToPath(new URL('../../../../migrations', import.meta.url));

const DAMAGE = ['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_IOERR_SHORT_READ'];

/** Does an error say that the file itself is damaged, or opened under another key? */
export const isDamage = (cause: unknown): boolean => DAMAGE.some((code) => codeOf(cause).startsWith(code));

/**
 * Runs a task over an open database, whose pages are checked as they are read.
 * @throws WalletError `wallet_corrupt` where the file turns out to be damaged, `wallet_io` where the disk or a limit
 * is the cause, and whatever the task throws.
 */
export function noticingDamage<T>(path: string, task: () => T): T {
  try {
    return task();
  } catch (cause) {
    if (!isDamage(cause)) throw fileTrouble(path, cause);
    const reason = 'its store is damaged';
    throw new WalletError({ kind: 'wallet_corrupt', name: basename(path), reason }, { cause });
  }
}

/** Opens a database file under its key, and sets nothing else. The key is proven by the first look at a page. */
export function unlockDatabase(path: string, { key, cipher }: StoreKey, options: Database.Options = {}): Db {
  const db = new Database(path, options);
  if (path !== ':memory:') {
    db.pragma(`cipher = '${cipher}'`);
    db.pragma(`key = "x'${toHex(key)}'"`);
  }
  return db;
}

/** Another connection to an open database, which sees it as it is now for as long as it is open, and only reads. @throws WalletError `wallet_io` */
export function openStanding(path: string, key: StoreKey): Db {
  return namingTrouble(path, () => {
    const db = unlockDatabase(path, key, { readonly: true, fileMustExist: true });
    try {
      db.pragma('temp_store = MEMORY');
      db.exec('BEGIN; SELECT 1 FROM meta');
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/**
 * Opens an encrypted database: every page is ciphered and authenticated under a raw key, changes go to a log
 * that is ciphered alike, temporary data stays in memory, and a commit is on disk when it returns.
 * @throws WalletError `wallet_corrupt` for another key or a damaged file, `wallet_io`.
 */
export function openDatabase(path: string, key: StoreKey): Db {
  const db = namingTrouble(path, () => unlockDatabase(path, key));
  try {
    db.pragma('temp_store = MEMORY');
    // Outputs of a hundred thousand payments are read in an order that is not that of their pages.
    db.pragma('cache_size = -32768');
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    // Moving the log into the main file waits for the disk. Refreshes have it done on another thread before that.
    db.pragma('wal_autocheckpoint = 16000');
    db.pragma('foreign_keys = ON');
    db.pragma('secure_delete = ON');
    migrate(db, MIGRATIONS);
    return db;
  } catch (cause) {
    db.close();
    const trouble = isDamage(cause) ? cause : fileTrouble(path, cause);
    if (trouble instanceof WalletError) throw trouble;
    const reason =
      cause instanceof NewerSchemaError
        ? 'it was written by a newer version of this program'
        : 'its store is damaged or of another wallet';
    throw new WalletError({ kind: 'wallet_corrupt', name: basename(path), reason }, { cause });
  }
}
