import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { openDatabase, type Db } from '../../../src/store/file/database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { migrate } from '../../../src/util/migrations.js';
import { SchemaTemplate } from '../../../src/util/schema-template.js';

const MIGRATIONS = fileURLToPath(new URL('../../../../migrations', import.meta.url));

let migrated: Database.Database;

beforeEach(() => {
  migrated = new Database(':memory:');
});

afterEach(() => {
  migrated.close();
});

/** Objects by name, rows by table, and version of a database. */
function contentOf(db: Db): unknown {
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

describe('a schema template', () => {
  it('copies rows without running triggers, and exact integers', () => {
    migrated.exec(`
      CREATE TABLE total (n INTEGER);
      CREATE TABLE item (id INTEGER PRIMARY KEY, value INTEGER, name TEXT, data BLOB);
      CREATE TRIGGER counted AFTER INSERT ON item BEGIN INSERT INTO total VALUES (new.id); END;
      CREATE VIEW names AS SELECT name FROM item;
      CREATE INDEX by_name ON item (name);
      INSERT INTO item VALUES (1, 9007199254740993, 'one', x'00ff'), (2, NULL, NULL, NULL);
      DELETE FROM total WHERE n = 1;
      CREATE TABLE made_later (item INTEGER REFERENCES item (id));
      INSERT INTO made_later VALUES (2);
      PRAGMA user_version = 7;
    `);
    const copy = new Database(':memory:');
    try {
      copy.pragma('foreign_keys = ON');
      new SchemaTemplate(migrated).applyTo(copy);
      copy.defaultSafeIntegers(true);
      migrated.defaultSafeIntegers(true);
      expect(contentOf(copy)).toEqual(contentOf(migrated));
    } finally {
      copy.close();
    }
  });

  it('creates nothing if a part of it fails', () => {
    migrated.exec('CREATE TABLE a (n); CREATE TABLE b (n); INSERT INTO b VALUES (1)');
    const copy = new Database(':memory:');
    try {
      copy.exec('CREATE TABLE b (n)');
      expect(() => new SchemaTemplate(migrated).applyTo(copy)).toThrow('already exists');
      expect(copy.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['b']);
    } finally {
      copy.close();
    }
  });
});
