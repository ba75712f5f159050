import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SqlDatabase } from './sql-database.js';

/** Error of a database that a newer version of the program has written. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
}

/** Schema versions before and after the migrations. */
export interface SchemaUpgrade {
  readonly from: number;
  readonly to: number;
}

/** Operations of a database on its schema. */
type SchemaDatabase = Pick<SqlDatabase, 'exec' | 'pragma' | 'transaction'>;

/** Returns the names of all migrations in their order. */
const namesIn = (directory: string): readonly string[] =>
  readdirSync(directory)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .sort();

const versionOf = (db: SchemaDatabase): number => Number(db.pragma('user_version', { simple: true }));

/** Returns true if {@link migrate} would apply a migration. */
export const lacksMigrations = (db: SchemaDatabase, directory: string): boolean =>
  versionOf(db) < namesIn(directory).length;

/**
 * Applies the missing migrations, each in its own transaction.
 * @param directory path of the migrations, `001-….sql` and so on, without gaps.
 * @returns undefined if no migration was missing. @throws NewerSchemaError
 */
export function migrate(db: SchemaDatabase, directory: string): SchemaUpgrade | undefined {
  const steps = namesIn(directory);
  const version = versionOf(db);
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
