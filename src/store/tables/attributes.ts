import type { SqlDatabase } from '../../util/sql-database.js';

/** Reads the key-value texts that clients store with the wallet. */
export class AttributeReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  get(key: string): string | undefined {
    return this.db.value<string>('SELECT value FROM attribute WHERE key = ?', key);
  }
}

export class AttributeWriter extends AttributeReader {
  set(key: string, value: string): void {
    this.db.run(
      'INSERT INTO attribute (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      key,
      value,
    );
  }
}
