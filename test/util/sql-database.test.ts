import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import { SqlDatabase } from '../../src/util/sql-database.js';

let db: SqlDatabase;

beforeEach(() => {
  db = new SqlDatabase(new Database(':memory:'));
  db.exec('CREATE TABLE pair (a INTEGER, b INTEGER); INSERT INTO pair VALUES (1, 2), (3, 4)');
});

afterEach(() => void db.close());

const FIRSTS = 'SELECT a FROM pair ORDER BY a';
const PAIRS = 'SELECT a, b FROM pair ORDER BY a';

describe('a query', () => {
  it('returns the first row, all rows, the first value, or the first value of each row', () => {
    expect(db.row(PAIRS)).toEqual({ a: 1, b: 2 });
    expect(db.rows(PAIRS)).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ]);
    expect(db.value(PAIRS)).toBe(1);
    expect(db.values(PAIRS)).toEqual([1, 3]);
    expect([...db.each(PAIRS)]).toEqual(db.rows(PAIRS));
  });

  it('returns undefined or an empty list if there is no row', () => {
    const none = 'SELECT a FROM pair WHERE a = 7';
    expect(db.row(none)).toBeUndefined();
    expect(db.value(none)).toBeUndefined();
    expect([db.rows(none), db.values(none), [...db.each(none)]]).toEqual([[], [], []]);
  });

  it('returns rows as arrays, and integers as bigints', () => {
    expect(db.arrays.row(PAIRS)).toEqual([1, 2]);
    expect(db.bigints.row(PAIRS)).toEqual({ a: 1n, b: 2n });
    expect(db.bigints.value(PAIRS)).toBe(1n);
    expect(db.bigints.values(PAIRS)).toEqual([1n, 3n]);
    expect(db.bigintArrays.rows(PAIRS)).toEqual([
      [1n, 2n],
      [3n, 4n],
    ]);
    expect([...db.bigintArrays.each(PAIRS)]).toEqual(db.bigintArrays.rows(PAIRS));
  });

  it('keeps every bit of the greatest and of the smallest integer in bigints', () => {
    const greatest = (1n << 63n) - 1n;
    expect(db.bigints.value('SELECT ?', greatest)).toBe(greatest);
    expect(db.bigints.value('SELECT ?', -greatest - 1n)).toBe(-greatest - 1n);
  });

  it('takes parameters, and returns rows of the type that the caller states', () => {
    const row: { b: number } | undefined = db.row<{ b: number }>('SELECT b FROM pair WHERE a = ?', 1);
    expect(row).toEqual({ b: 2 });
    expect(db.value('SELECT b FROM pair WHERE a = :a', { a: 3 })).toBe(4);
    // @ts-expect-error: a value that SQLite cannot bind does not compile
    expect(() => db.row('SELECT b FROM pair WHERE a = ?', true)).toThrow('can only bind');
    // @ts-expect-error: a row of another type does not compile
    const other: { a: number } | undefined = db.row<{ b: number }>('SELECT b FROM pair WHERE a = ?', 3);
    expect(other).toEqual({ b: 4 });
  });

  it('works again after the release of all statements', () => {
    for (let i = 0; i < 2; i++) {
      expect(db.values(FIRSTS)).toEqual([1, 3]);
      expect([...db.bigintArrays.each(PAIRS)]).toEqual([
        [1n, 2n],
        [3n, 4n],
      ]);
      db.releaseStatements();
    }
    expect(db.run('INSERT INTO pair VALUES (?, ?)', 5, 6).changes).toBe(1);
  });

  it('throws the error of invalid SQL when it is executed', () => {
    expect(() => db.rows('SELECT * FROM absent')).toThrow('no such table');
    db.exec('CREATE TABLE absent (n INTEGER)');
    expect(db.rows('SELECT * FROM absent')).toEqual([]);
  });

  it('is correct for any number of different SQL texts', () => {
    for (let i = 0; i < 1500; i++) expect(db.value(`SELECT ${i}`)).toBe(i);
  });
});

describe('an iteration over rows', () => {
  it('goes on with rows that it was asked for before the release of its statement', () => {
    const rows = db.each<{ a: number }>(FIRSTS);
    expect(rows.next().value).toEqual({ a: 1 });
    db.releaseStatements();
    expect([...rows]).toEqual([{ a: 3 }]);
  });

  it('leaves its SQL to other queries and iterations meanwhile', () => {
    const rows = db.each<{ a: number }>(FIRSTS);
    rows.next();
    const others = db.each<{ a: number }>(FIRSTS);
    expect(others.next().value).toEqual({ a: 1 });
    expect(db.rows(FIRSTS)).toEqual([{ a: 1 }, { a: 3 }]);
    expect([...rows, ...others]).toEqual([{ a: 3 }, { a: 3 }]);
    expect(db.rows(FIRSTS)).toEqual([{ a: 1 }, { a: 3 }]);
  });

  it('frees the database for writes when it is left early', () => {
    for (const _ of db.each(FIRSTS)) break;
    expect(db.run('INSERT INTO pair VALUES (5, 6)').changes).toBe(1);
  });
});

describe('a statement', () => {
  /** Counts how often a text was prepared. */
  const counting = (): ((sql: string) => number) => {
    const spy = jest.spyOn(Database.prototype, 'prepare');
    return (sql) => spy.mock.calls.filter(([text]) => text === sql).length;
  };
  afterEach(() => void jest.restoreAllMocks());

  it('is prepared once for all uses of its SQL with the same form of rows', () => {
    const count = counting();
    const sql = 'SELECT 1 AS one';
    for (let i = 0; i < 3; i++) {
      expect(db.row(sql)).toEqual({ one: 1 });
      expect(db.value(sql)).toBe(1);
      expect(db.bigints.values(sql)).toEqual([1n]);
    }
    expect(count(sql)).toBe(3);
    db.releaseStatements();
    db.row(sql);
    expect(count(sql)).toBe(4);
  });

  it('is prepared once for iterations one after another', () => {
    const count = counting();
    for (let i = 0; i < 3; i++) expect([...db.each(FIRSTS)]).toHaveLength(2);
    expect(db.rows(FIRSTS)).toHaveLength(2);
    expect(count(FIRSTS)).toBe(1);
  });

  it('is prepared again after 512 other ones were prepared', () => {
    const prepared = counting();
    const count = (sql: string): number => {
      db.row(sql);
      return prepared(sql);
    };
    for (let i = 0; i < 512; i++) expect(count(`SELECT ${i}`)).toBe(1);
    expect(count('SELECT 0')).toBe(1);
    expect(count('SELECT 512')).toBe(1);
    expect(count('SELECT 0')).toBe(2);
  });
});

describe('a transaction', () => {
  const firsts = (): unknown[] => db.values(FIRSTS);
  const insert = (a: number): unknown => db.run('INSERT INTO pair VALUES (?, 0)', a);

  it.each(['deferred', 'immediate'])('commits what its task writes, and returns its result: %s', (kind) => {
    const transaction = db.transaction(() => {
      expect(db.inTransaction).toBe(true);
      return insert(5);
    });
    expect(kind === 'immediate' ? transaction.immediate() : transaction()).toMatchObject({ changes: 1 });
    expect(db.inTransaction).toBe(false);
    expect(firsts()).toEqual([1, 3, 5]);
  });

  it('undoes what its task wrote if it throws, inside another one as well', () => {
    const failing = db.transaction(() => {
      insert(6);
      throw new Error('no more');
    });
    expect(() => failing()).toThrow('no more');
    expect(firsts()).toEqual([1, 3]);
    db.transaction(() => {
      insert(5);
      expect(() => failing()).toThrow('no more');
    }).immediate();
    expect(firsts()).toEqual([1, 3, 5]);
  });
});

describe('a database', () => {
  it('returns the rows of a pragma, or its first value', () => {
    db.pragma('user_version = 7');
    expect(db.pragma('user_version')).toEqual([{ user_version: 7 }]);
    expect(db.pragma('user_version', { simple: true })).toBe(7);
  });

  it('is open until it is closed', () => {
    expect({ open: db.open, memory: db.memory }).toEqual({ open: true, memory: true });
    expect(db.value('SELECT 1')).toBe(1);
    db.close();
    expect(db.open).toBe(false);
    expect(() => db.value('SELECT 1')).toThrow('not open');
  });
});
