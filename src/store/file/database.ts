import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { toHex } from '../../util/bytes.js';
import {
  lacksMigrations,
  migrate,
  NewerSchemaError,
  type SchemaUpgrade,
  SqlDatabase,
  sqlitePath,
} from '../../util/sql-database.js';
import { PACKAGE_ROOT } from '../../util/own-package.js';
import { WalletError } from '../../model/wallet-error.js';
import { codeOf, fileError, withFileErrors } from './file-errors.js';
import type { StoreCipher } from './store-cipher.js';

/** A connection to the database of a store. Its statements take a megabyte; an idle wallet keeps none. */
export class StoreDatabase extends SqlDatabase {
  /** Migrations that were applied when the database was opened; undefined if the database lacked no migration. */
  upgrade: SchemaUpgrade | undefined;
}

/** Encryption key and cipher of a store. */
export interface StoreKey {
  /** Encryption key of 32 bytes. */
  readonly key: Uint8Array;
  readonly cipher: StoreCipher;
}

const MIGRATIONS = fileURLToPath(new URL('migrations', PACKAGE_ROOT));

/** Script with the schema and the rows that all migrations together make (`bin/build-schema.js`). */
const SCHEMA = new URL('build/schema.sql', PACKAGE_ROOT);

/**
 * Longest wait for a lock of another program, such as a backup [ms]. The wait blocks this thread, and with it the
 * requests of every wallet. SQLite's default in this build is 5000.
 */
const BUSY_MS = 50;

/**
 * Size of the log from which a commit runs a checkpoint, which waits for the disk [pages]. A refresh runs a checkpoint
 * on another thread before this size is reached.
 */
export const AUTOCHECKPOINT_PAGES = 16_000;

const DAMAGE = ['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_IOERR_SHORT_READ'];

/** Returns true for an error that a damaged file or a wrong key causes. */
export const isDamage = (cause: unknown): boolean => DAMAGE.some((code) => codeOf(cause).startsWith(code));

/**
 * Runs a task that reads an open database; SQLite authenticates each page that it reads.
 * @throws WalletError `wallet_corrupt` for a damaged file, `wallet_io` if the disk or a limit is the cause; other
 * errors of the task unchanged.
 */
export function detectingDamage<T>(path: string, task: () => T): T {
  try {
    return task();
  } catch (cause) {
    if (!isDamage(cause)) throw fileError(path, cause);
    const reason = 'its store is damaged';
    throw new WalletError({ kind: 'wallet_corrupt', name: basename(path), reason }, { cause });
  }
}

/** Path of a database that is kept in memory. Paths of files are absolute, so no path of a file is equal to it. */
export const IN_MEMORY = ':memory:';

/**
 * Opens a database file with its key and the settings of this program. A wrong key is detected when the first page is
 * read.
 */
export function unlockDatabase(
  path: string,
  { key, cipher }: StoreKey,
  options: Database.Options = {},
): StoreDatabase {
  const settings = { timeout: BUSY_MS, ...options };
  if (path === IN_MEMORY) return new StoreDatabase(new Database(path, settings));
  const db = new StoreDatabase(new Database(sqlitePath(path), settings));
  db.pragma(`cipher = '${cipher}'`);
  db.pragma(`key = "x'${toHex(key)}'"`);
  return db;
}

/**
 * Opens a read-only connection to an open database. The connection keeps reading the present state, also after later
 * writes.
 */
export function openSnapshot(path: string, key: StoreKey): SqlDatabase {
  return withFileErrors(path, () => {
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

/** Error of a store that lacks migrations and is to be opened without applying migrations. */
export class UpgradeNeeded extends Error {
  override readonly name = 'UpgradeNeeded';
}

/** Creates the schema and the rows of a new store in an empty database. */
const createSchema = (db: SqlDatabase): void => db.transaction(() => db.exec(readFileSync(SCHEMA, 'utf8')))();

/**
 * Closes a database.
 * @param keepsLog true: its write-ahead log remains, which SQLite otherwise moves into the main file and removes.
 * SQLite keeps a log that another connection reads, and a connection that only reads does not move it. If there cannot
 * be such a connection, the log is removed.
 */
export function closeDatabase(db: SqlDatabase, path: string, key: StoreKey, keepsLog: boolean): void {
  let reader: SqlDatabase | undefined;
  try {
    if (keepsLog) reader = openSnapshot(path, key);
  } catch {
    // The log is missing afterwards, which shows the next process that pages of the log may be stored nowhere else.
  }
  db.close();
  reader?.close();
}

const isEmpty = (db: SqlDatabase): boolean => db.row('SELECT 1 FROM sqlite_schema') === undefined;

/** Options for opening a database. */
export interface OpenOptions {
  /** True: a commit does not wait for the disk; the caller flushes the file when it is complete. */
  readonly isDraft?: boolean;
  /** True: neither a commit nor a failure moves the log into the main file. */
  readonly isReplicated?: boolean;
  /** False: a store that lacks migrations is not opened. */
  readonly upgrades?: boolean;
}

/**
 * Opens an encrypted database and applies the migrations that it lacks. Every page of the file and of its write-ahead
 * log is encrypted and authenticated with the raw key; temporary data stays in memory; a commit is on disk when it
 * returns.
 * @throws WalletError `wallet_corrupt` for a wrong key or a damaged file, `wallet_io`; UpgradeNeeded.
 */
export function openDatabase(
  path: string,
  key: StoreKey,
  { isDraft = false, isReplicated = false, upgrades = true }: OpenOptions = {},
): StoreDatabase {
  const db = withFileErrors(path, () => unlockDatabase(path, key));
  try {
    db.pragma('temp_store = MEMORY');
    // The cache has 8 MiB. A larger cache gains little: a page outside of it is read from the system's cache in
    // microseconds. Its memory is fragmented once it is freed, and the allocator keeps most of it.
    db.pragma('cache_size = -8192');
    db.pragma(`synchronous = ${isDraft ? 'OFF' : 'FULL'}`);
    db.pragma('journal_mode = WAL');
    db.pragma(`wal_autocheckpoint = ${isReplicated ? 0 : AUTOCHECKPOINT_PAGES}`);
    db.pragma('foreign_keys = ON');
    db.pragma('secure_delete = ON');
    if (isEmpty(db)) createSchema(db);
    else if (!upgrades && lacksMigrations(db, MIGRATIONS)) throw new UpgradeNeeded();
    else db.upgrade = migrate(db, MIGRATIONS);
    return db;
  } catch (cause) {
    // The log of a store that is opened again is not moved now, because moving it takes time.
    closeDatabase(db, path, key, isReplicated || cause instanceof UpgradeNeeded);
    if (cause instanceof UpgradeNeeded) throw cause;
    const error = isDamage(cause) ? cause : fileError(path, cause);
    if (error instanceof WalletError) throw error;
    const reason =
      cause instanceof NewerSchemaError
        ? 'it was written by a newer version of this program'
        : 'its store is damaged or of another wallet';
    throw new WalletError({ kind: 'wallet_corrupt', name: basename(path), reason }, { cause });
  }
}
