import { migrate, SqlDatabase } from '../../src/util/sql-database.js';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { OrderWriter } from '../../src/store/tables/orders.js';
import { PaymentRequestWriter } from '../../src/store/tables/payment-requests.js';
import type { Hash } from '../../src/monero/crypto/types.js';
import { bytes } from './fixtures.js';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url));

/** Migration that moves the idempotency keys into a table of their own. */
const MIGRATION = readdirSync(MIGRATIONS).find((name) => name.endsWith('-idempotency-keys.sql')) ?? '';

const ORDERS = 'sequence, created, unsigned_set, multisig_set';
const ATTEMPTS = `sequence, position, attempt, tx_hash, withdrawn, made, blob, metadata, sent, rings, rival, settled,
  signing_set`;
const REQUESTS = `sequence, request_id, token, account, minor, amount, tolerance, confirmations, created, first_height,
  expires, cancelled, reference, metadata, return_url, ended`;
const STATES = 'sequence, state, received, paid, locked, late, expiry_reported, due_height';

const MADE = '{"destinations":[],"fee":7,"weight":9,"key_images":[],"tx_keys":[],"inputs":[]}';

let root: string;
let db: SqlDatabase;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'idempotency-keys-migration-'));
  for (const name of readdirSync(MIGRATIONS))
    if (name.endsWith('.sql') && name < MIGRATION) cpSync(join(MIGRATIONS, name), join(root, name));
  db = new SqlDatabase(new Database(':memory:'));
  db.pragma('foreign_keys = ON');
  migrate(db, root);
  const hash = bytes<Hash>(7);
  // The second order has the number 5: numbers of orders have gaps.
  db.run("INSERT INTO payment_order VALUES (1, 'a', 'transfer', ?, 100, NULL, NULL)", hash);
  db.run("INSERT INTO payment_order VALUES (5, 'b', 'sweep_all', ?, 200, x'01', x'02')", bytes<Hash>(8));
  const attempt = `INSERT INTO order_tx (${ATTEMPTS}) VALUES (?, ?, ?, ?, ?, '${MADE}', ?, ?, ?, ?, ?, ?, ?)`;
  db.run(attempt, 1, 0, 1, bytes<Hash>(1), 1, bytes<Hash>(2), bytes<Hash>(3), 1, null, null, 0, null);
  db.run(attempt, 1, 0, 2, bytes<Hash>(4), 0, null, null, 1, null, null, 0, null);
  db.run(attempt, 5, 0, 1, null, 0, null, null, 0, bytes<Hash>(5), bytes<Hash>(6), 1, bytes<Hash>(9));
  const request = `INSERT INTO payment_request (${REQUESTS}, idempotency_key, params_hash)
    VALUES (?, ?, ?, 0, ?, ?, 3, 2, 50, 4, 99, 60, ?, '{}', 'https://shop.example/', 1, ?, ?)`;
  db.run(request, 2, 'r2', new Uint8Array(16).fill(2), 1, 100, 'o-2', 'a', hash);
  db.run(request, 3, 'r3', new Uint8Array(16).fill(3), 2, null, null, null, null);
  db.run("INSERT INTO request_state VALUES (2, 'paid', 100, 100, 1, 2, 1, 8)");
  db.run('INSERT INTO request_state (sequence) VALUES (3)');
});
afterEach(() => {
  db.close();
  rmSync(root, { recursive: true, force: true });
});

const content = (): unknown[] =>
  [
    ['payment_order', ORDERS],
    ['order_tx', ATTEMPTS],
    ['payment_request', REQUESTS],
    ['request_state', STATES],
  ].map(([table, columns]) => db.rows(`SELECT ${columns} FROM ${table} ORDER BY sequence, 2, 3`));

it('keeps orders and payment requests of an earlier version, with their attempts and states', () => {
  const before = content();
  expect(before.map((rows) => (rows as unknown[]).length)).toEqual([2, 3, 2, 2]);
  migrate(db, MIGRATIONS);
  expect(content()).toEqual(before);
  expect(db.pragma('foreign_key_check')).toEqual([]);
});

it('keeps the keys of an earlier version: orders and payment requests have separate ones', () => {
  migrate(db, MIGRATIONS);
  const orders = new OrderWriter(db);
  const requests = new PaymentRequestWriter(db);
  expect(orders.byKey('a')).toMatchObject({ sequence: 1, method: 'transfer', requestHash: bytes<Hash>(7) });
  expect(orders.byKey('b')).toMatchObject({ sequence: 5, method: 'sweep_all', requestHash: bytes<Hash>(8) });
  expect(orders.before(100, 9).map(({ key }) => key)).toEqual(['b', 'a']);
  expect(requests.byKey('a')).toMatchObject({
    request: { sequence: 2, requestId: 'r2' },
    call: { key: 'a', method: 'create_payment_request', requestHash: bytes<Hash>(7) },
  });
  expect(requests.byKey('b')).toBeUndefined();
});

it('leaves attempts to their order and states to their request, with which they are deleted', () => {
  migrate(db, MIGRATIONS);
  expect(() => db.run('UPDATE order_tx SET sequence = 9 WHERE sequence = 5')).toThrow('FOREIGN KEY');
  db.run('DELETE FROM payment_order WHERE sequence = 1');
  db.run('DELETE FROM payment_request WHERE sequence = 2');
  expect(content().map((rows) => (rows as unknown[]).length)).toEqual([1, 1, 1, 1]);
});

it('frees the key of an order that is withdrawn, and keeps the key of a request', () => {
  migrate(db, MIGRATIONS);
  const orders = new OrderWriter(db);
  db.run('UPDATE order_tx SET withdrawn = 2 WHERE sequence = 1 AND attempt = 1');
  db.run('DELETE FROM order_tx WHERE sequence = 1 AND attempt = 2');
  orders.withdraw(bytes<Hash>(1), 'unsent');
  expect(orders.byKey('a')).toBeUndefined();
  expect(db.values('SELECT kind FROM idempotency_key WHERE key = ?', 'a')).toEqual([2]);
  const made = { payments: [] };
  orders.add({ key: 'a', method: 'transfer', requestHash: bytes<Hash>(9), created: 1, made, sent: true });
  expect(orders.byKey('a')?.requestHash).toEqual(bytes<Hash>(9));
});
