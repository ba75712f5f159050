import { resolve } from 'node:path';

/**
 * Returns the argument with which better-sqlite3 opens exactly the file at a path. The library removes white space at
 * both ends of its argument, opens no file for `:memory:`, and treats `file:` as a URI if the environment enables that.
 * An absolute path begins with none of these; the NUL at its end is not white space, and SQLite reads a path up to the
 * NUL. Source: better-sqlite3 lib/database.js `Database`, src/objects/database.cpp `Database::JS_new`.
 * @throws RangeError for a path that contains a NUL, which no file has.
 */
export function sqlitePath(path: string): string {
  if (path.includes('\0')) throw new RangeError('a path contains a NUL');
  return `${resolve(path)}\0`;
}
