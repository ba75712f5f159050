import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { SqlDatabase } from '../../../src/util/sql-database.js';
import { openDatabase } from '../../../src/store/file/database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { migrate } from '../../../src/util/migrations.js';

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
  const objects = db
    .prepare<[], { name: string; type: string }>(
      'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name',
    )
    .all();
  const rows = objects
    .filter(({ type, name }) => type === 'table' && !name.startsWith('sqlite'))
    .map(({ name }) => [name, db.prepare(`SELECT * FROM "${name}"`).raw().all()]);
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
      const { wr } = migrated
        .prepare<[string], { wr: number }>(
          "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?",
        )
        .get(table) ?? { wr: -1 };
      expect(wr).toBe(0);
    },
  );
});
