import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { SqlDatabase, migrate } from '../../../src/util/sql-database.js';
import { PoolCredits } from '../../../src/store/tables/pool.js';
import { toHex } from '../../../src/util/bytes.js';
import { UNDO_SEEN_OUTPUTS } from '../../support/wallets/undo-migrations.js';
import { bytes } from '../fixtures.js';

const MIGRATIONS = fileURLToPath(new URL('../../../../migrations', import.meta.url));
const ADDRESS = { major: 0, minor: 1 };

let db: SqlDatabase;

beforeEach(() => {
  db = new SqlDatabase(new Database(':memory:'));
  db.pragma('foreign_keys = ON');
  migrate(db, MIGRATIONS);
  // Two payments to one one-time key, which a store of the version before 35 has listed.
  for (const [tx, value] of [
    [1, 50],
    [2, 60],
  ] as const) {
    db.run(
      'INSERT INTO pool_tx (tx_hash, timestamp, unlock_time, fee, double_spend_seen) VALUES (?, 7, 0, 1, 0)',
      bytes(tx),
    );
    db.run(
      'INSERT INTO pool_output (tx_hash, output_index, public_key, amount, account, minor) VALUES (?, 0, ?, ?, 0, 1)',
      bytes(tx),
      bytes(99),
      value,
    );
    db.run(
      `INSERT INTO seen_payment (tx_hash, account, minor, amount, timestamp, unlock_time, event)
       VALUES (?, 0, 1, ?, 7, '0', ?)`,
      bytes(tx),
      value,
      tx,
    );
  }
  db.exec(`${UNDO_SEEN_OUTPUTS} PRAGMA user_version = 34`);
  migrate(db, MIGRATIONS);
});

afterEach(() => db.close());

const credits = () => Object.fromEntries(new PoolCredits(db).of(ADDRESS));

it('credits payments to one one-time key once, also of a store that was migrated and then rescanned', () => {
  const expected = { [toHex(bytes(1))]: 50n, [toHex(bytes(2))]: 10n };
  expect(credits()).toEqual(expected);
  db.exec('DELETE FROM pool_tx');
  expect(credits()).toEqual(expected);
});

it('credits a payment that the mempool lacks no more than its event', () => {
  db.exec('DELETE FROM pool_tx; UPDATE seen_payment SET amount = 4 WHERE event = 2');
  expect(credits()).toEqual({ [toHex(bytes(1))]: 50n, [toHex(bytes(2))]: 4n });
});

it('forgets the outputs of a payment that is decided', () => {
  db.exec('DELETE FROM seen_payment WHERE event = 1');
  expect(credits()).toEqual({ [toHex(bytes(2))]: 60n });
});
