import { resolve } from 'node:path';

/**
 * Returns the argument with which better-sqlite3 opens exactly the file at a path. It removes white space at both ends
 * of its argument, opens no file for `:memory:`, and reads `file:` as a URI where the environment asks for that. An
 * absolute path begins with none of these; the NUL behind it is no white space, and SQLite reads a path up to its NUL.
 * Source: better-sqlite3 lib/database.js `Database`, src/objects/database.cpp `Database::JS_new`.
 * @throws RangeError for a path that contains a NUL, which no file has.
 */
export function sqlitePath(path: string): string {
  if (path.includes('\0')) throw new RangeError('a path contains a NUL');
  return `${resolve(path)}\0`;
}
