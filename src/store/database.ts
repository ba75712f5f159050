import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { toHex } from '../util/bytes.js';
import { WalletError } from '../wallet/fault.js';

export type Db = Database.Database;

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url));

/**
 * Opens an encrypted database: every page is ciphered and authenticated under a raw key, changes go to a log
 * that is ciphered alike, temporary data stays in memory, and a commit is on disk when it returns.
 * @throws WalletError `wallet_corrupt` for another key or a damaged file.
 */
export function openDatabase(path: string, key: Uint8Array): Db {
  const db = new Database(path);
  try {
    if (path !== ':memory:') {
      db.pragma("cipher = 'chacha20'");
      db.pragma(`key = "x'${toHex(key)}'"`);
    }
    db.pragma('temp_store = MEMORY');
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    db.pragma('secure_delete = ON');
    migrate(db);
    return db;
  } catch (cause) {
    db.close();
    if (cause instanceof WalletError) throw cause;
    throw new WalletError(
      { kind: 'wallet_corrupt', name: path, reason: 'its store is damaged or of another wallet' },
      { cause },
    );
  }
}

/** Steps the schema forward, each step in a transaction. @throws WalletError for a file newer than the program. */
function migrate(db: Db): void {
  const steps = readdirSync(MIGRATIONS)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .sort();
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > steps.length)
    throw new WalletError({
      kind: 'wallet_corrupt',
      name: db.name,
      reason: 'it was written by a newer version of this program',
    });
  steps.slice(version).forEach((name, i) => {
    db.transaction(() => {
      db.exec(readFileSync(`${MIGRATIONS}/${name}`, 'utf8'));
      db.pragma(`user_version = ${version + i + 1}`);
    })();
  });
}
