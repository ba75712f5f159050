import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { SqlDatabase, migrate } from '../../../src/util/sql-database.js';

const MIGRATIONS = fileURLToPath(new URL('../../../../migrations', import.meta.url));

let empty: Buffer | undefined;

/** Opens a database in memory that has the tables of a wallet, and no rows. Migrates only the first one of a test file. */
export function migratedDatabase(): SqlDatabase {
  if (empty === undefined) {
    const db = new Database(':memory:');
    migrate(db, MIGRATIONS);
    empty = db.serialize();
    db.close();
  }
  return new SqlDatabase(new Database(empty));
}
