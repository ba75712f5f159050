import type { SqlDatabase } from './sql-database.js';

/**
 * Types of schema objects that are created after the rows: rows do not need them, and a trigger would run for inserted
 * rows.
 */
const LATER = ['view', 'trigger'];

interface Insertion {
  readonly sql: string;
  readonly rows: readonly (readonly unknown[])[];
}

/** Schema and rows of a database, from which other databases are created in one transaction. */
export class SchemaTemplate {
  readonly #tables: string;
  readonly #insertions: readonly Insertion[];
  readonly #later: string;

  /** @param source small database, which is read completely. */
  constructor(source: SqlDatabase) {
    const objects = source
      .prepare<[], { type: string; name: string; sql: string }>(
        // Objects that SQLite creates itself have no SQL statement.
        "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid",
      )
      .all();
    const statements = (isWanted: (type: string) => boolean): string =>
      objects
        .filter(({ type }) => isWanted(type))
        .map(({ sql }) => `${sql};\n`)
        .join('');
    const tables = objects.filter(({ type }) => type === 'table').map(({ name }) => name);
    const version = Number(source.pragma('user_version', { simple: true }));
    this.#tables = statements((type) => type === 'table') + statements((type) => type === 'index');
    this.#insertions = tables.map((name) => insertionOf(source, name)).filter(({ rows }) => rows.length > 0);
    this.#later = `${statements((type) => LATER.includes(type))}PRAGMA user_version = ${version};`;
  }

  /** Creates the schema and the rows in an empty database. */
  applyTo(db: SqlDatabase): void {
    db.transaction(() => {
      db.exec(this.#tables);
      for (const { sql, rows } of this.#insertions) for (const row of rows) db.prepare(sql).run(...row);
      db.exec(this.#later);
    })();
  }
}

function insertionOf(source: SqlDatabase, table: string): Insertion {
  const rows = source.prepare<[], unknown[]>(`SELECT * FROM "${table}"`).raw().safeIntegers().all();
  const places = rows[0]?.map(() => '?').join(', ') ?? '';
  return { sql: `INSERT INTO "${table}" VALUES (${places})`, rows };
}
