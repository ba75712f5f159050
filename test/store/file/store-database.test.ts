import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import { openDatabase } from '../../../src/store/file/database.js';
import type { StoreDatabase } from '../../../src/store/file/database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { executedSql, planOf } from '../../support/executed-sql.js';
import { WalletReader } from '../../../src/store/wallet-reader.js';
import { WalletWriter } from '../../../src/store/wallet-writer.js';

const { prepare } = Database.prototype;

let db: StoreDatabase;

beforeEach(() => {
  db = openDatabase(':memory:', { key: new Uint8Array(32), cipher: NEW_CIPHER });
  db.exec('CREATE TABLE pair (a INTEGER, b INTEGER); INSERT INTO pair VALUES (1, 2), (3, 4)');
});

afterEach(() => void db.close());

describe('a statement of the store', () => {
  it('is prepared when it is first executed', () => {
    const missing = db.prepare('SELECT * FROM absent');
    expect(() => missing.all()).toThrow('no such table');
    db.exec('CREATE TABLE absent (n INTEGER)');
    expect(missing.all()).toEqual([]);
  });

  it('takes the parameters and returns the rows whose types its preparation states', () => {
    const byA = db.prepare<[a: number], { b: number }>('SELECT b FROM pair WHERE a = ?');
    const row: { b: number } | undefined = byA.get(1);
    expect(row).toEqual({ b: 2 });
    // @ts-expect-error: a parameter of another type does not compile
    expect(byA.get('one')).toBeUndefined();
    // @ts-expect-error: a row of another type does not compile
    const other: { a: number } | undefined = byA.get(3);
    expect(other).toEqual({ b: 4 });
  });

  it('keeps its result modes, and works again after its release', () => {
    const first = db.prepare<[], number>('SELECT a FROM pair ORDER BY a').pluck();
    const both = db.prepare<[], [bigint, bigint]>('SELECT a, b FROM pair ORDER BY a').raw().safeIntegers();
    for (let i = 0; i < 2; i++) {
      expect(first.all()).toEqual([1, 3]);
      expect(first.get()).toBe(1);
      expect([...both.iterate()]).toEqual([
        [1n, 2n],
        [3n, 4n],
      ]);
      db.releaseStatements();
    }
    expect(db.prepare('INSERT INTO pair VALUES (?, ?)').run(5, 6).changes).toBe(1);
  });

  it('goes on with rows that it was asked for before its release', () => {
    const rows = db.prepare<[], { a: number }>('SELECT a FROM pair ORDER BY a').iterate();
    expect(rows.next().value).toEqual({ a: 1 });
    db.releaseStatements();
    expect([...rows]).toEqual([{ a: 3 }]);
  });

  it('is prepared once for all uses of its SQL with the same result modes', () => {
    const prepared: string[] = [];
    const counting = function (this: Database.Database, sql: string): unknown {
      prepared.push(sql);
      return prepare.call(this, sql);
    };
    const spy = jest.spyOn(Database.prototype, 'prepare').mockImplementation(counting as typeof prepare);
    const counted = openDatabase(':memory:', { key: new Uint8Array(32), cipher: NEW_CIPHER });
    try {
      prepared.length = 0;
      const sql = 'SELECT 1 AS one';
      for (let i = 0; i < 3; i++) {
        expect(counted.prepare(sql).get()).toEqual({ one: 1 });
        expect(counted.prepare(sql).pluck().get()).toBe(1);
        expect(counted.prepare(sql).safeIntegers().pluck().all()).toEqual([1n]);
      }
      expect(prepared).toEqual([sql, sql, sql]);
      counted.releaseStatements();
      counted.prepare(sql).get();
      expect(prepared).toHaveLength(4);
    } finally {
      counted.close();
      spy.mockRestore();
    }
  });

  it('can be executed while another one with its SQL iterates', () => {
    const sql = 'SELECT a FROM pair ORDER BY a';
    const rows = db.prepare<[], { a: number }>(sql).iterate();
    rows.next();
    const others = db.prepare<[], { a: number }>(sql).iterate();
    expect(others.next().value).toEqual({ a: 1 });
    expect(db.prepare(sql).all()).toEqual([{ a: 1 }, { a: 3 }]);
    expect([...rows, ...others]).toEqual([{ a: 3 }, { a: 3 }]);
  });

  it('is correct for any number of different SQL texts', () => {
    for (let i = 0; i < 1500; i++) expect(db.prepare(`SELECT ${i}`).pluck().get()).toBe(i);
  });

  it('is prepared again after 512 other ones were prepared', () => {
    const prepared = jest.spyOn(Database.prototype, 'prepare');
    try {
      db.releaseStatements();
      const count = (sql: string): number => {
        db.prepare(sql).get();
        return prepared.mock.calls.filter(([text]) => text === sql).length;
      };
      for (let i = 0; i < 512; i++) expect(count(`SELECT ${i}`)).toBe(1);
      expect(count('SELECT 0')).toBe(1);
      expect(count('SELECT 512')).toBe(1);
      expect(count('SELECT 0')).toBe(2);
    } finally {
      prepared.mockRestore();
    }
  });
});

describe('a transaction of the store', () => {
  const firsts = (): unknown[] => db.prepare('SELECT a FROM pair ORDER BY a').pluck().all();
  const insert = (a: number): unknown => db.prepare('INSERT INTO pair VALUES (?, 0)').run(a);

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

describe('the database of a store', () => {
  it('returns the rows of a pragma, or its first value', () => {
    db.pragma('user_version = 7');
    expect(db.pragma('user_version')).toEqual([{ user_version: 7 }]);
    expect(db.pragma('user_version', { simple: true })).toBe(7);
  });

  it('is open until it is closed', () => {
    expect({ open: db.open, memory: db.memory }).toEqual({ open: true, memory: true });
    const statement = db.prepare('SELECT 1');
    db.close();
    expect(db.open).toBe(false);
    expect(() => statement.get()).toThrow('not open');
  });
});

describe('the readers and writers', () => {
  const statements = executedSql((listening) => ({
    ...{ reader: new WalletReader(listening), writer: new WalletWriter(listening) },
  }));

  it('execute many statements', () => {
    expect(statements.length).toBeGreaterThan(250);
  });

  it.each(statements)('execute SQL that fits the schema: %s', (sql) => {
    expect(() => planOf(db, sql)).not.toThrow();
  });
});
