import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import type { Bytes } from '../../util/bytes.js';
import { migrate } from '../../util/migrations.js';

export type Db = Database.Database;

const MIGRATIONS = fileURLToPath(new URL('../../../../migrations/regtest', import.meta.url));
const FILE = 'regtest.sqlite';

/**
 * Opens the chain of a regtest daemon: play money, so it is not encrypted, and a crash may cost the last blocks.
 * @param directory made when missing; undefined keeps everything in memory.
 * @throws NewerSchemaError
 */
export function openDatabase(directory: string | undefined): Db {
  if (directory !== undefined) mkdirSync(directory, { recursive: true });
  const db = new Database(directory === undefined ? ':memory:' : join(directory, FILE));
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

/** Copies a Buffer out of SQLite's hands under its role. */
export const toBytes = <K extends string>(column: Uint8Array): Bytes<K> =>
  Uint8Array.from(column) as Bytes<K>;
