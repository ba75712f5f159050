import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { SqlDatabase, migrate } from '../../../src/util/sql-database.js';
import { openDatabase } from '../../../src/store/file/database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { WalletReader } from '../../../src/store/wallet-reader.js';
import { WalletWriter } from '../../../src/store/wallet-writer.js';
import { executedSql, planOf } from '../../support/wallets/executed-sql.js';

const MIGRATIONS = fileURLToPath(new URL('../../../../migrations', import.meta.url));

let migrated: SqlDatabase;

beforeEach(() => {
  migrated = new SqlDatabase(new Database(':memory:'));
});

afterEach(() => {
  migrated.close();
});

/** Objects by name, rows by table, and version of a database. */
function contentOf(db: SqlDatabase): unknown {
  const objects = db.rows<{ name: string; type: string }>(
    'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name',
  );
  const rows = objects
    .filter(({ type, name }) => type === 'table' && !name.startsWith('sqlite'))
    .map(({ name }) => [name, db.arrays.rows(`SELECT * FROM "${name}"`)]);
  return { objects, rows, version: db.pragma('user_version') };
}

describe('a new store', () => {
  it('has the schema, the rows and the version that all migrations make', () => {
    migrate(migrated, MIGRATIONS);
    const made = openDatabase(':memory:', { key: new Uint8Array(32), cipher: NEW_CIPHER });
    try {
      expect(contentOf(made)).toEqual(contentOf(migrated));
    } finally {
      made.close();
    }
  });
});

describe('a text of any length that a client gives', () => {
  it.each(['tx_note', 'attribute', 'account_tag', 'subaddress_label'])(
    'lies in a table with rowids, where a search for another row does not read it: %s',
    (table) => {
      migrate(migrated, MIGRATIONS);
      const { wr } = migrated.row<{ wr: number }>(
        "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?",
        table,
      ) ?? { wr: -1 };
      expect(wr).toBe(0);
    },
  );
});

describe('the readers and writers', () => {
  const db = openDatabase(':memory:', { key: new Uint8Array(32), cipher: NEW_CIPHER });
  afterAll(() => void db.close());
  const statements = executedSql((listening) => ({
    ...{ reader: new WalletReader(listening), writer: new WalletWriter(listening) },
  }));

  it('execute many statements', () => {
    expect(statements.length).toBeGreaterThan(250);
  });

  it.each(statements)('execute SQL that fits the schema: %s', (sql) => {
    expect(() => planOf(db, sql)).not.toThrow();
  });
});
