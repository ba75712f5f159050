// Writes build/schema.sql, the schema and the rows of a new store, from migrations/. A new store would take seven times as
// long if each migration ran.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const steps = readdirSync('migrations')
  .filter((name) => /^\d{3}-.*\.sql$/.test(name))
  .toSorted();
const db = new Database(':memory:');
for (const name of steps) db.transaction(() => db.exec(readFileSync(`migrations/${name}`, 'utf8')))();

// Objects that SQLite creates itself have no SQL statement.
const objects = db
  .prepare(
    "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid",
  )
  .all();
const created = (type) => objects.filter((object) => object.type === type).map(({ sql }) => `${sql};`);

/** Returns a statement for each row of a table, with SQL literals. */
function inserted(table) {
  const columns = db.pragma(`table_info("${table}")`).map(({ name }) => `quote("${name}")`);
  const rows = db.prepare(`SELECT ${columns.join(', ')} FROM "${table}"`).raw().all();
  return rows.map((values) => `INSERT INTO "${table}" VALUES (${values.join(', ')});`);
}

mkdirSync('build', { recursive: true });
writeFileSync(
  'build/schema.sql',
  [
    '-- Written from migrations/.',
    ...created('table'),
    ...created('index'),
    ...objects.filter(({ type }) => type === 'table').flatMap(({ name }) => inserted(name)),
    // Rows need none of these, and a trigger would run for inserted rows.
    ...created('view'),
    ...created('trigger'),
    `PRAGMA user_version = ${steps.length};`,
    '',
  ].join('\n'),
);
db.close();
