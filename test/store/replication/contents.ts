import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import type { StoreCipher } from '../../../src/store/file/store-cipher.js';
import { toHex } from '../../../src/util/bytes.js';

export const KEY = new Uint8Array(32).fill(7);

/** Opens a plain SQLite connection to a store, which may be open. */
export function openRaw(
  path: string,
  options: Database.Options = {},
  cipher: StoreCipher = 'aegis',
): Database.Database {
  const db = new Database(path, options);
  db.pragma(`cipher = '${cipher}'`);
  db.pragma(`key = "x'${toHex(KEY)}'"`);
  return db;
}

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

/**
 * Checks a store, which may be open, and returns a digest of all its committed rows, but for the mark that the sink
 * needs a base.
 */
export function contentsOf(path: string, cipher: StoreCipher = 'aegis'): string {
  const db = openRaw(path, { readonly: true, fileMustExist: true }, cipher);
  try {
    const check = db.pragma('quick_check', { simple: true });
    if (check !== 'ok') throw new Error(`quick_check: ${String(check)}`);
    const hash = createHash('sha256');
    const tables = db
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck()
      .all();
    for (const table of tables) {
      const where = table === 'meta' ? " WHERE key <> 'base_needed'" : '';
      const rows = db.prepare<[], unknown[]>(`SELECT * FROM "${table}"${where}`).raw().all();
      hash.update(`${table} ${JSON.stringify(rows, plain)}\n`);
    }
    return hash.digest('hex');
  } finally {
    db.close();
  }
}
