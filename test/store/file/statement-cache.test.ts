import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import { openDatabase } from '../../../src/store/file/database.js';
import type { StatementCachingDatabase } from '../../../src/store/file/statement-cache.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { WalletReader } from '../../../src/store/wallet-reader.js';
import { WalletWriter } from '../../../src/store/wallet-writer.js';

const { prepare } = Database.prototype;

let db: StatementCachingDatabase;

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
});

it('compiles each statement of the readers and writers', () => {
  const statements: { prepareNow(): unknown }[] = [];
  const prepare = db.prepare.bind(db);
  (db as { prepare: unknown }).prepare = (sql: string) => {
    const statement = prepare(sql);
    statements.push(statement as unknown as { prepareNow(): unknown });
    return statement;
  };
  new WalletReader(db);
  new WalletWriter(db);
  for (const statement of statements) statement.prepareNow();
  expect(statements.length).toBeGreaterThan(100);
});
