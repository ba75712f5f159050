import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import Database from 'better-sqlite3';
import { SqlDatabase, migrate } from '../../src/util/sql-database.js';
import { WalletWriter } from '../../src/store/wallet-writer.js';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url));

let early: string;
let db: SqlDatabase;

beforeEach(() => {
  early = mkdtempSync(join(tmpdir(), 'migrations-'));
  for (const name of readdirSync(MIGRATIONS).filter((file) => /^00[1-7]-/.test(file)))
    cpSync(join(MIGRATIONS, name), join(early, name));
  db = new SqlDatabase(new Database(':memory:'));
  db.pragma('foreign_keys = ON');
});

afterEach(() => {
  db.close();
  rmSync(early, { recursive: true, force: true });
});

const blob = (fill: number): Buffer => Buffer.alloc(32, fill);

/** Migrations of the earlier version. */
const COLUMNS = `tx_hash, output_index, global_index, public_key, key_image, amount, mask, rct, account, minor,
  derivation_key, height, unlock_time, coinbase, change, burnt, frozen, spent_by, spent_height`;

/** Two transactions with three outputs each; one is spent, one frozen, one from before RingCT. */
function fill(): void {
  const tx = `INSERT INTO received_tx (tx_hash, height, timestamp, unlock_time, fee, coinbase, tx_public_key, additional_keys)
     VALUES (@hash, @height, 1, '0', 0, 0, @hash, zeroblob(0))`;
  const output = `INSERT INTO owned_output (${COLUMNS}) VALUES (@tx, @index, @global, @key, @image, @amount, @key, @rct, 0, @minor, @key, @height,
       '0', 0, 0, 0, @frozen, @spentBy, @spentHeight)`;
  for (const [hash, height] of [
    [9, 5],
    [2, 7],
  ] as const) {
    db.run(tx, { hash: blob(hash), height });
    for (let index = 0; index < 3; index++)
      db.run(output, {
        tx: blob(hash),
        index,
        global: 10 * height + index,
        key: blob(hash + index),
        image: blob(100 + hash + index),
        amount: height * 100 + index,
        rct: index === 2 ? 0 : 1,
        minor: index,
        height,
        frozen: Number(index === 1),
        spentBy: index === 0 ? blob(77) : null,
        spentHeight: index === 0 ? 8 : null,
      });
  }
}

const rows = (table: string, columns = '*'): unknown[] =>
  db.rows(`SELECT ${columns} FROM ${table} ORDER BY 1, 2`);
const outputs = (): unknown[] => rows('owned_output', COLUMNS);

test('keeps all outputs of an earlier version, and the sums stay correct', () => {
  migrate(db, early);
  fill();
  const before = { outputs: outputs(), sums: rows('address_sum') };
  expect(before.outputs).toHaveLength(6);
  expect(before.sums).toHaveLength(3);
  migrate(db, MIGRATIONS);
  expect({ outputs: outputs(), sums: rows('address_sum') }).toEqual(before);
  expect(() => db.run('INSERT INTO owned_output SELECT * FROM owned_output LIMIT 1')).toThrow('UNIQUE');
  db.run('UPDATE owned_output SET frozen = 0');
  db.run('DELETE FROM received_tx WHERE tx_hash = ?', blob(9));
  expect(outputs()).toHaveLength(3);
  expect(db.rows('SELECT minor, received, free_total FROM address_sum ORDER BY minor')).toEqual([
    { minor: 0, received: 1, free_total: 0 },
    { minor: 1, received: 1, free_total: 701 },
    { minor: 2, received: 1, free_total: 702 },
  ]);
  db.run('DELETE FROM received_tx');
  fill();
  expect(outputs()).toEqual(before.outputs);
});

test('credits outputs on one key of an earlier version by their order in the chain', () => {
  migrate(db, early);
  // In blocks 1, 3 and 4; a transaction of block 2 spent the key, and the largest counted as unspent.
  for (const [n, amount, burnt] of [
    [1, 10, 1],
    [3, 16, 0],
    [4, 12, 1],
  ] as const) {
    db.run("INSERT INTO received_tx VALUES (@hash, @n, 1, '0', 0, 0, NULL, @hash, zeroblob(0))", {
      hash: blob(n),
      n,
    });
    db.run(
      `INSERT INTO owned_output (${COLUMNS}) VALUES (@hash, 0, @n, @key, @key, @amount, @key, 1, 0, 0, @key, @n, '0', 0,
         0, 0, 0, @by, @height)`,
      {
        hash: blob(n),
        n,
        key: blob(50),
        amount,
        by: n === 1 ? blob(77) : null,
        height: n === 1 ? 2 : null,
      },
    );
    db.run('UPDATE owned_output SET burnt = ? WHERE tx_hash = ?', burnt, blob(n));
  }
  migrate(db, MIGRATIONS);
  db.run(
    `INSERT INTO outgoing_tx (tx_hash, state, account, from_indices, amount_in, fee, change, unlock_time, timestamp, height)
     VALUES (?, 'confirmed', 0, '0', 16, 1, 0, '0', 2, 2)`,
    blob(77),
  );
  const writer = new WalletWriter(db);
  expect(writer.meta.get('reused_keys')).toBe('unsettled');
  writer.recomputeReusedKeys();
  expect(writer.meta.get('reused_keys')).toBeUndefined();
  expect(db.rows('SELECT amount, burnt, credited, spent_height FROM owned_output ORDER BY height')).toEqual([
    { amount: 10, burnt: 0, credited: null, spent_height: 2 },
    { amount: 16, burnt: 1, credited: 0, spent_height: null },
    { amount: 12, burnt: 1, credited: 0, spent_height: null },
  ]);
  expect(db.rows('SELECT amount_in FROM outgoing_tx')).toEqual([{ amount_in: 10 }]);
  expect(db.rows('SELECT unspent, free_total, mined_total FROM address_sum')).toEqual([
    { unspent: 0, free_total: 0, mined_total: 0 },
  ]);
});

test('keeps notes, attributes, tags and labels of an earlier version', () => {
  migrate(db, early);
  db.exec(`
    INSERT INTO tx_note VALUES (x'${'07'.repeat(32)}', 'a note'), (x'${'03'.repeat(32)}', '${'long '.repeat(900)}');
    INSERT INTO attribute VALUES ('theme', 'dark'), ('a', '');
    INSERT INTO account_tag VALUES ('savings', 'not to be touched');
    INSERT INTO subaddress_label VALUES (0, 7, 'rent'), (3, 0, 'till');
  `);
  const tables = ['tx_note', 'attribute', 'account_tag', 'subaddress_label'];
  const before = tables.map((table) => rows(table));
  migrate(db, MIGRATIONS);
  expect(tables.map((table) => rows(table))).toEqual(before);
  // A key is still there once.
  expect(() => db.exec("INSERT INTO subaddress_label VALUES (0, 7, 'again')")).toThrow('UNIQUE');
});

test('copies the size of each transaction to its outputs', () => {
  const isBefore = (name: string): boolean => name.endsWith('.sql') && name < '050';
  for (const name of readdirSync(MIGRATIONS).filter(isBefore))
    cpSync(join(MIGRATIONS, name), join(early, name));
  migrate(db, early);
  fill();
  db.run('UPDATE received_tx SET size = 1500 WHERE tx_hash = ?', blob(9));
  migrate(db, MIGRATIONS);
  expect(db.rows('SELECT height, tx_size FROM owned_output ORDER BY height, output_index')).toEqual([
    ...Array.from({ length: 3 }, () => ({ height: 5, tx_size: 1500 })),
    ...Array.from({ length: 3 }, () => ({ height: 7, tx_size: null })),
  ]);
});
