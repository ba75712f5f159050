import type { SqlDatabase, SqlParameter } from '../../../src/util/sql-database.js';

/** Largest number of statements that a call of a method may execute, before it is taken for endless. */
const MOST = 1000;

/** Value that stands for any argument and for any row: an object, a list of one item, a number and a function. */
const anything: unknown = new Proxy(() => undefined, {
  apply: () => anything,
  get: (_, name) => {
    if (name === Symbol.toPrimitive) return () => 1;
    if (!(name in Array.prototype) || /^\d+$/.test(String(name))) return anything;
    const list: object = [anything];
    const value: unknown = Reflect.get(list, name);
    return typeof value === 'function' ? (value.bind(list) as unknown) : value;
  },
});

/** Returns a database that executes nothing. @param found value of each query's row. */
function listeningDatabase(note: (sql: string) => void, found: unknown): SqlDatabase {
  const one = (sql: string): unknown => (note(sql), found);
  const list = (sql: string): unknown => (note(sql), found === undefined ? [] : [found]);
  const queries = { row: one, rows: list, value: one, values: list, each: list };
  return {
    ...{ ...queries, bigints: queries, arrays: queries, bigintArrays: queries },
    run: (sql: string) => (note(sql), { changes: 1, lastInsertRowid: 1 }),
  } as unknown as SqlDatabase;
}

/** Names of the methods and getters of an object's classes. */
function membersOf(object: object): string[] {
  const prototype = Object.getPrototypeOf(object) as object | null;
  if (prototype === null || prototype === Object.prototype) return [];
  const names = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
  return [...new Set([...names, ...membersOf(prototype)])];
}

const isOfClass = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !(Symbol.iterator in value) &&
  membersOf(value).length > 0 &&
  !ArrayBuffer.isView(value);

/** Calls every method of an object, and of the objects that its fields and methods return. */
function callAll(object: object, seen = new Set<object>()): void {
  if (seen.has(object)) return;
  seen.add(object);
  for (const field of Object.values(object) as unknown[]) if (isOfClass(field)) callAll(field, seen);
  for (const name of membersOf(object))
    try {
      const member: unknown = Reflect.get(object, name);
      const result: unknown =
        typeof member === 'function'
          ? Reflect.apply(member, object, [anything, anything, anything, anything, anything])
          : member;
      if (result === anything) continue;
      if (isOfClass(result)) callAll(result, seen);
      else if (typeof result === 'object' && result !== null && Symbol.iterator in result)
        Array.from(result as Iterable<unknown>);
    } catch {
      // The arguments and rows are of no type. What the method executed before counts.
    }
}

/**
 * Returns the SQL that the methods of readers and writers of a store execute, each text once: with arguments that stand
 * for anything, and on tables that are empty or contain anything.
 */
export function executedSql(make: (db: SqlDatabase) => object): string[] {
  const executed = new Set<string>();
  for (const found of [undefined, anything]) {
    let count = 0;
    const note = (sql: string): void => {
      executed.add(sql);
      if ((count += 1) % MOST === 0) throw new Error('the method does not end');
    };
    callAll(make(listeningDatabase(note, found)));
  }
  return [...executed];
}

/** Returns the steps by which SQLite runs a statement. @throws SqliteError for invalid SQL. */
export function planOf(db: SqlDatabase, sql: string): string[] {
  const names = [...sql.matchAll(/[:@]([a-z]\w*)/gi)].map(([, name = '']): [string, null] => [name, null]);
  const places: readonly SqlParameter[] = (sql.match(/\?/g) ?? []).map(() => null);
  const params = names.length > 0 ? [Object.fromEntries(names)] : places;
  return db.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...params).map(({ detail }) => detail);
}
