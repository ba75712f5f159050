import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import type { Bytes } from '../../util/bytes.js';
import { makeDirectory } from '../../util/files.js';
import { migrate, SqlDatabase, sqlitePath } from '../../util/sql-database.js';
import { PACKAGE_ROOT } from '../../util/own-package.js';

const MIGRATIONS = fileURLToPath(new URL('migrations/regtest', PACKAGE_ROOT));
const FILE = 'regtest.sqlite';

/** Position of the journal mode in a database file, and value for any mode but WAL. */
const JOURNAL_MODE = 18;
const LEGACY_JOURNAL = 1;

/**
 * Opens the database of a regtest daemon. It is not encrypted, and a crash of the machine may lose the latest blocks.
 * @param directory is created if it is missing; undefined: the database is kept in memory.
 * @throws NewerSchemaError if a newer version of this program wrote the database.
 */
export function openDatabase(directory: string | undefined): SqlDatabase {
  if (directory !== undefined) makeDirectory(directory);
  const path = directory === undefined ? ':memory:' : sqlitePath(join(directory, FILE));
  const db = new SqlDatabase(new Database(path));
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('temp_store = MEMORY');
    db.pragma('foreign_keys = ON');
    migrate(db, MIGRATIONS);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Returns a copy of a database, which is kept in memory. An in-memory database cannot have the journal mode WAL, which
 * bytes 18 and 19 of the file header name. Source: SQLite, "Database File Format".
 */
export function copyDatabase(db: SqlDatabase): SqlDatabase {
  const image = db.serialize();
  image.fill(LEGACY_JOURNAL, JOURNAL_MODE, JOURNAL_MODE + 2);
  const copy = new SqlDatabase(new Database(image));
  copy.pragma('foreign_keys = ON');
  return copy;
}

/** Copies a column, which SQLite returns as a Buffer, and stamps the bytes with their role. */
export const toBytes = <K extends string>(column: Uint8Array): Bytes<K> =>
  Uint8Array.from(column) as Bytes<K>;
