import type { Statement } from '../../util/sql-database.js';
import type { Db } from '../file/database.js';

/** Reads the key-value texts that clients store with the wallet. */
export class AttributeReader {
  protected readonly db: Db;
  readonly #get: Statement<[string], { value: string }>;

  constructor(db: Db) {
    this.db = db;
    this.#get = db.prepare('SELECT value FROM attribute WHERE key = ?');
  }

  get(key: string): string | undefined {
    return this.#get.get(key)?.value;
  }
}

export class AttributeWriter extends AttributeReader {
  set(key: string, value: string): void {
    this.db
      .prepare(
        'INSERT INTO attribute (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      )
      .run(key, value);
  }
}
