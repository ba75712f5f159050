import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import Database from 'better-sqlite3';
import type { Db } from '../../src/store/database.js';
import { migrate } from '../../src/util/migrations.js';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url));

let early: string;
let db: Db;

beforeEach(() => {
  early = mkdtempSync(join(tmpdir(), 'migrations-'));
  for (const name of readdirSync(MIGRATIONS).filter((file) => /^00[1-7]-/.test(file)))
    cpSync(join(MIGRATIONS, name), join(early, name));
  db = new Database(':memory:');
  db.pragma('foreign_keys = ON');
});

afterEach(() => {
  db.close();
  rmSync(early, { recursive: true, force: true });
});

const blob = (fill: number): Buffer => Buffer.alloc(32, fill);

/** Two transactions with three outputs each; one is spent, one frozen, one from before RingCT. */
function fill(): void {
  const tx = db.prepare(
    "INSERT INTO received_tx VALUES (@hash, @height, 1, '0', 0, 0, NULL, @hash, zeroblob(0))",
  );
  const output = db.prepare(
    `INSERT INTO owned_output VALUES (@tx, @index, @global, @key, @image, @amount, @key, @rct, 0, @minor, @key, @height,
       '0', 0, 0, 0, @frozen, @spentBy, @spentHeight)`,
  );
  for (const [hash, height] of [
    [9, 5],
    [2, 7],
  ] as const) {
    tx.run({ hash: blob(hash), height });
    for (let index = 0; index < 3; index++)
      output.run({
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

const rows = (table: string): unknown[] => db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all();

test('outputs of an earlier version are all there, and the sums go on following them', () => {
  migrate(db, early);
  fill();
  const before = { outputs: rows('owned_output'), sums: rows('address_sum') };
  expect(before.outputs).toHaveLength(6);
  expect(before.sums).toHaveLength(3);
  migrate(db, MIGRATIONS);
  expect({ outputs: rows('owned_output'), sums: rows('address_sum') }).toEqual(before);
  expect(() => db.prepare('INSERT INTO owned_output SELECT * FROM owned_output LIMIT 1').run()).toThrow(
    'UNIQUE',
  );
  db.prepare('UPDATE owned_output SET frozen = 0').run();
  db.prepare('DELETE FROM received_tx WHERE tx_hash = ?').run(blob(9));
  expect(rows('owned_output')).toHaveLength(3);
  expect(db.prepare('SELECT minor, received, free_total FROM address_sum ORDER BY minor').all()).toEqual([
    { minor: 0, received: 1, free_total: 0 },
    { minor: 1, received: 1, free_total: 701 },
    { minor: 2, received: 1, free_total: 702 },
  ]);
  db.prepare('DELETE FROM received_tx').run();
  fill();
  expect({ outputs: rows('owned_output'), sums: rows('address_sum') }).toEqual(before);
});
