import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { SqlDatabase, migrate } from '../../src/util/sql-database.js';
import type { Hash } from '../../src/monero/crypto/types.js';
import { EventIds } from '../../src/store/file/event-ids.js';
import { EventReader, EventWriter } from '../../src/store/tables/events.js';
import { bytes } from './fixtures.js';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url));
const PROCESS = fileURLToPath(new URL('../support/processes/migration-process.js', import.meta.url));

/** Migration that gives ranges of stages a table of their own. */
const MIGRATION = readdirSync(MIGRATIONS).find((name) => name.endsWith('-stage-range.sql')) ?? '';
const STATEMENTS = readFileSync(join(MIGRATIONS, MIGRATION), 'utf8').match(/^[A-Z][^;]*;/gm) ?? [];

/** Time of the events [Unix ms]. */
const TIME = 1_700_000_000_000;

let root: string;
let db: SqlDatabase;

/** Copies the migrations before the tested one. @returns their folder. */
function earlier(): string {
  const folder = mkdtempSync(join(root, 'migrations-'));
  for (const name of readdirSync(MIGRATIONS)) {
    if (!name.endsWith('.sql') || name >= MIGRATION) continue;
    cpSync(join(MIGRATIONS, name), join(folder, name));
  }
  return folder;
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stage-range-'));
  db = new SqlDatabase(new Database(join(root, 'store')));
  db.pragma('journal_mode = WAL');
  db.pragma('foreign_keys = ON');
  migrate(db, earlier());
  // Payments in blocks 5, 6 and 9: without a lock, with that of a miner transaction, with another one.
  const mined = `INSERT INTO event (id, type, stages, tx_hash, account, minor, amount, height, timestamp, time, data)
     VALUES (?, 2, '1', ?, 0, 1, ?, ?, 77, ?, ?)`;
  db.run(mined, 100, bytes(1), 11, 5, TIME, null);
  db.run(mined, 102, bytes(2), 12, 6, TIME, '{"unlockTime":"66","coinbase":true}');
  db.run(mined, 104, bytes(3), 13, 9, TIME, '{"unlockTime":"1000"}');
  // The columns of the earlier version: least and greatest height, ids, least id of a payment, texts.
  const range = `INSERT INTO event (id, type, stages, height, minor, amount, timestamp, time) VALUES (?, 9, ?, ?, ?, ?, ?, ?)`;
  db.run(range, 200, '5,u|5|5', 5, 9, 6, 100, TIME + 1);
  db.run(range, 300, '|u|', 6, 6, 1, 102, TIME + 2);
  db.run(range, 400, '||10', 5, 9, 3, 100, TIME + 3);
});

afterEach(() => {
  db.close();
  rmSync(root, { recursive: true, force: true });
});

const stageRows = (): unknown[] =>
  db.rows('SELECT id, type, stages, height, minor, amount, timestamp FROM event WHERE type = 9');

/** Expects the rows and events of the migrated store. */
function expectMigrated(): void {
  expect(db.rows('SELECT * FROM stage_range ORDER BY id')).toEqual([
    ...[
      {
        id: 200,
        ids: 6,
        min_height: 5,
        max_height: 9,
        first_mined: 100,
        none: '5,u',
        coinbase: '5',
        other: '5',
      },
    ],
    ...[
      { id: 300, ids: 1, min_height: 6, max_height: 6, first_mined: 102, none: '', coinbase: 'u', other: '' },
    ],
    ...[
      {
        id: 400,
        ids: 3,
        min_height: 5,
        max_height: 9,
        first_mined: 100,
        none: '',
        coinbase: '',
        other: '10',
      },
    ],
  ]);
  const empty = { type: 9, stages: null, height: null, minor: null, amount: null, timestamp: null };
  expect(stageRows()).toEqual([200, 300, 400].map((id) => ({ id, ...empty })));
  const reader = new EventReader(db);
  const stages = reader.after(199, 100, ['payment.confirmed', 'payment.unlocked']);
  expect(stages).toMatchObject([
    {
      id: 200,
      type: 'payment.confirmed',
      time: TIME + 1,
      data: { txHash: bytes<Hash>(1), confirmations: 5 },
    },
    { id: 201, type: 'payment.unlocked', data: { txHash: bytes<Hash>(1), height: 5, amount: 11n } },
    { id: 202, type: 'payment.confirmed', data: { txHash: bytes<Hash>(2), confirmations: 5 } },
    { id: 204, type: 'payment.confirmed', data: { txHash: bytes<Hash>(3), confirmations: 5 } },
    { id: 300, type: 'payment.unlocked', time: TIME + 2, data: { txHash: bytes<Hash>(2), coinbase: true } },
    {
      id: 402,
      type: 'payment.confirmed',
      time: TIME + 3,
      data: { txHash: bytes<Hash>(3), confirmations: 10 },
    },
  ]);
  expect(reader.last()).toBe(402);
}

describe('a store whose ranges of stages are in columns of the event table', () => {
  it('has them in a table of their own after its migration', () => {
    migrate(db, MIGRATIONS);
    expectMigrated();
  });

  it('expires a range with the first event to which it refers, with its row', () => {
    migrate(db, MIGRATIONS);
    const writer = new EventWriter(db, new EventIds({ clock: { now: () => TIME } }));
    // Events below the range at 300 expire, but not the payments to which the later ranges refer.
    expect(writer.expire(299, 100)).toBe(false);
    expect(writer.after(0, 1)[0]?.id).toBe(100);
    writer.expire(500, 1);
    expect(writer.expiredUpTo()).toBe(402);
    writer.expire(500, 100);
    expect(db.value('SELECT count(*) FROM stage_range')).toBe(0);
  });

  it.each(STATEMENTS.map((_, i) => i + 1))(
    'is as before when a kill stops its migration after statement %s',
    (count) => {
      const before = stageRows();
      db.close();
      const folder = earlier();
      writeFileSync(
        join(folder, MIGRATION),
        [...STATEMENTS.slice(0, count), 'SELECT kill_process();'].join('\n'),
      );
      const { signal } = spawnSync(process.execPath, [PROCESS, join(root, 'store'), folder]);
      expect(signal).toBe('SIGKILL');
      db = new SqlDatabase(new Database(join(root, 'store')));
      db.pragma('foreign_keys = ON');
      expect(stageRows()).toEqual(before);
      migrate(db, MIGRATIONS);
      expectMigrated();
    },
  );
});
