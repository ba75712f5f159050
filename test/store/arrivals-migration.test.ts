import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { SqlDatabase, migrate } from '../../src/util/sql-database.js';
import { bytes } from './fixtures.js';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url));

/** Migration that records when payments arrived. */
const MIGRATION = readdirSync(MIGRATIONS).find((name) => name.endsWith('-arrivals.sql')) ?? '';

let root: string;
let db: SqlDatabase;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'arrivals-migration-'));
  for (const name of readdirSync(MIGRATIONS))
    if (name.endsWith('.sql') && name < MIGRATION) cpSync(join(MIGRATIONS, name), join(root, name));
  db = new SqlDatabase(new Database(':memory:'));
  migrate(db, root);
  db.exec(`INSERT INTO payment_request (request_id, token, account, minor, tolerance, confirmations, created, first_height)
    VALUES ('a', randomblob(16), 0, 1, 0, 1, 1, 0)`);
});
afterEach(() => {
  db.close();
  rmSync(root, { recursive: true, force: true });
});

/** Stores a transaction in a block that pays an address twice. */
function mine(tx: number, minor: number, timestamp: number): void {
  db.run(
    `INSERT INTO received_tx (tx_hash, height, timestamp, unlock_time, fee, coinbase, tx_public_key, additional_keys)
     VALUES (?, 5, ?, '0', 1, 0, ?, x'')`,
    bytes(tx),
    timestamp,
    bytes(tx),
  );
  for (const index of [0, 1])
    db.run(
      `INSERT INTO owned_output (tx_hash, output_index, global_index, public_key, amount, mask, rct, account, minor,
         derivation_key, height, unlock_time, coinbase, change)
       VALUES (?, ?, ?, ?, 7, ?, 1, 0, ?, ?, 5, '0', 0, 0)`,
      bytes(tx),
      index,
      10 * tx + index,
      bytes(300 + 10 * tx + index),
      bytes(1),
      minor,
      bytes(tx),
    );
}

/** Stores a payment that is not mined. */
const see = (tx: number, minor: number, timestamp: number): void =>
  void db.run(
    "INSERT INTO seen_payment VALUES (?, 0, ?, 7, ?, '0', NULL, ?, NULL, 0)",
    bytes(tx),
    minor,
    timestamp,
    tx,
  );

/** Stores a payment that a rescan has not found again. */
const report = (tx: number, minor: number, timestamp: number): void =>
  void db.run(
    "INSERT INTO reported_payment VALUES (?, 0, ?, 5, 7, ?, '0', 0, NULL)",
    bytes(tx),
    minor,
    timestamp,
  );

/** Records the sight of a payment in the mempool, as an earlier version does. */
const arrive = (tx: number, time: number, contested = 0): void =>
  void db.run('INSERT INTO request_arrival VALUES (0, 1, ?, ?, ?)', bytes(tx), time, contested);

it('the times by which payments to requests were counted become their arrivals, and sights in the mempool those of all', () => {
  mine(1, 1, 100);
  mine(2, 1, 100);
  arrive(2, 90, 1);
  mine(3, 1, 100);
  arrive(3, 110);
  mine(4, 2, 100);
  see(5, 1, 120);
  arrive(5, 115, 1);
  see(6, 2, 120);
  arrive(7, 130);
  report(8, 1, 100);
  report(9, 1, 100);
  arrive(9, 95);
  report(10, 2, 100);
  migrate(db, MIGRATIONS);
  const rows = db.arrays.rows(
    'SELECT tx_hash, account, minor, time, since, contested FROM arrival ORDER BY tx_hash',
  ) as [Uint8Array, ...unknown[]][];
  expect(new Map(rows.map(([txHash, ...facts]) => [txHash[0], facts]))).toEqual(
    new Map([
      [1, [0, 1, 100, null, 0]],
      [2, [0, 1, 90, null, 1]],
      [3, [0, 1, 100, null, 0]],
      [5, [0, 1, 115, null, 1]],
      [6, [0, 2, 120, null, 0]],
      [7, [0, 1, 130, null, 0]],
      [8, [0, 1, 100, null, 0]],
      [9, [0, 1, 95, null, 0]],
    ]),
  );
});

it.each<[string, readonly object[] | undefined, string | undefined]>([
  ['no peak', undefined, undefined],
  ['a reorganisation', [{ below: 5, tip: 9 }], undefined],
  [
    'rescans beside a reorganisation',
    [
      { below: 5, tip: 99 },
      { below: Number.MAX_SAFE_INTEGER, tip: 9 },
      { below: Number.MAX_SAFE_INTEGER, tip: 12 },
    ],
    '12',
  ],
])('a rescan runs if a former tip is that of one: with %s', (_, peaks, expected) => {
  if (peaks !== undefined) db.run("INSERT INTO meta VALUES ('event_peaks', ?)", JSON.stringify(peaks));
  db.exec("INSERT INTO meta VALUES ('spends_rescanned_to', '7')");
  migrate(db, MIGRATIONS);
  const facts = db.rows("SELECT key, value FROM meta WHERE key IN ('rescan_to', 'spends_rescanned_to')");
  expect(facts).toEqual(expected === undefined ? [] : [{ key: 'rescan_to', value: expected }]);
});
