import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';

/** The database was written by a newer version of the program. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
}

/** Versions of a schema before and after its migrations. */
export interface SchemaUpgrade {
  readonly from: number;
  readonly to: number;
}

/**
 * Applies the missing migrations, each in a transaction of its own.
 * @param directory of the migrations, `001-….sql` and so on, without gaps.
 * @returns undefined if none is missing. @throws NewerSchemaError
 */
export function migrate(db: Database, directory: string): SchemaUpgrade | undefined {
  const steps = readdirSync(directory)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .sort();
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > steps.length)
    throw new NewerSchemaError('the database was written by a newer version of this program');
  steps.slice(version).forEach((name, i) => {
    db.transaction(() => {
      db.exec(readFileSync(join(directory, name), 'utf8'));
      db.pragma(`user_version = ${version + i + 1}`);
    })();
  });
  return version === steps.length ? undefined : { from: version, to: steps.length };
}
