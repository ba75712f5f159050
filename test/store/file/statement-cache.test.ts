import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDatabase } from '../../../src/store/file/database.js';
import type { StatementCachingDatabase } from '../../../src/store/file/statement-cache.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { WalletReader } from '../../../src/store/wallet-reader.js';
import { WalletWriter } from '../../../src/store/wallet-writer.js';

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
});

it('compiles each statement of the readers and writers', () => {
  new WalletReader(db);
  new WalletWriter(db);
  expect(db.prepareAll()).toBeGreaterThan(100);
});
