import { migrate, SqlDatabase } from '../../src/util/sql-database.js';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import type { Hash } from '../../src/monero/crypto/types.js';
import { EventIds } from '../../src/store/file/event-ids.js';
import { EventReader, EventWriter } from '../../src/store/tables/events.js';
import { bytes } from './fixtures.js';
import { someRows } from '../support/jest/lanes.js';

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url));
const PROCESS = fileURLToPath(new URL('../support/processes/migration-process.js', import.meta.url));

const nameOf = (end: string): string => readdirSync(MIGRATIONS).find((name) => name.endsWith(end)) ?? '';
/** Migration that gives ranges of stages a table of their own. */
const RANGES = nameOf('-stage-range.sql');
/** Migration that gives each event a row of its own. */
const ROWS = nameOf('-one-row-an-event.sql');

const statementsOf = (migration: string): string[] =>
  readFileSync(join(MIGRATIONS, migration), 'utf8').match(/^[A-Z][^;]*;/gm) ?? [];

/** Time of the events [Unix ms]. */
const TIME = 1_700_000_000_000;

let root: string;
let db: SqlDatabase;

/** Copies the migrations before one of them. @returns their folder. */
function before(migration: string): string {
  const folder = mkdtempSync(join(root, 'migrations-'));
  for (const name of readdirSync(MIGRATIONS)) {
    if (!name.endsWith('.sql') || name >= migration) continue;
    cpSync(join(MIGRATIONS, name), join(folder, name));
  }
  return folder;
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stage-range-'));
  db = new SqlDatabase(new Database(join(root, 'store')));
  db.pragma('journal_mode = WAL');
  db.pragma('foreign_keys = ON');
  migrate(db, before(RANGES));
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

/** Expects the ranges of stages in their table. */
function expectRanges(): void {
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
}

/** Brings the store to the version before each event has a row, with rows of several events that are no ranges. */
function addRows(): void {
  migrate(db, before(ROWS));
  const row = `INSERT INTO event (id, type, stages, tx_hash, account, minor, amount, height, timestamp, time, data)
     VALUES (?, ?, ?, ?, 1, 2, 14, ?, 88, ?, ?)`;
  db.run(row, 500, 1, null, bytes(4), null, TIME + 4, null);
  db.run(row, 501, 2, '1,10,u', bytes(4), 20, TIME + 4, '{"paymentId":"0102030405060708","seen":500}');
  db.run(row, 600, 0, '60,70', bytes(4), 20, TIME + 5, '{"paymentId":"0102030405060708"}');
  db.run(row, 700, 0, 'u', bytes(2), 6, TIME + 6, '{"unlockTime":"66","coinbase":true}');
  db.run(row, 800, 3, null, bytes(4), 20, TIME + 7, '{"reason":"reorganised","reverses":501}');
  for (const id of [501, 600])
    db.run('INSERT INTO event_trace (event, trace_id, sampled) VALUES (?, ?, 1)', id, Buffer.alloc(16, id));
}

const PLAIN = { unlockTime: 0n, coinbase: false, timestamp: 77, subaddress: { major: 0, minor: 1 } };
const FIRST = { ...PLAIN, txHash: bytes<Hash>(1), amount: 11n, height: 5 };
const MINER = { ...PLAIN, txHash: bytes<Hash>(2), amount: 12n, height: 6, unlockTime: 66n, coinbase: true };
const LOCKED = { ...PLAIN, txHash: bytes<Hash>(3), amount: 13n, height: 9, unlockTime: 1000n };
const NAMED = {
  ...{ ...PLAIN, txHash: bytes<Hash>(4), amount: 14n, timestamp: 88, subaddress: { major: 1, minor: 2 } },
  ...{ height: 20, paymentId: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) },
};
const OPENED = { ...MINER, amount: 14n, timestamp: 88, subaddress: NAMED.subaddress };
const SEEN = { ...PLAIN, txHash: bytes<Hash>(4), amount: 14n, timestamp: 88, subaddress: NAMED.subaddress };

const mined = (id: number, data: object): object => ({ id, type: 'payment.mined', time: TIME, data });
const confirmed = (id: number, after: number, data: object, confirmations: number): object => ({
  ...{ id, type: 'payment.confirmed', time: TIME + after },
  data: { ...data, confirmations },
});
const unlocked = (id: number, after: number, data: object): object => ({
  ...{ id, type: 'payment.unlocked', time: TIME + after, data },
});

/** Events of the store as the version before read them. */
const EVENTS: readonly object[] = [
  ...[mined(100, FIRST), confirmed(101, 0, FIRST, 1), mined(102, MINER), confirmed(103, 0, MINER, 1)],
  ...[mined(104, LOCKED), confirmed(105, 0, LOCKED, 1)],
  ...[confirmed(200, 1, FIRST, 5), unlocked(201, 1, FIRST)],
  ...[confirmed(202, 1, MINER, 5), confirmed(204, 1, LOCKED, 5)],
  ...[unlocked(300, 2, MINER), confirmed(402, 3, LOCKED, 10)],
  { id: 500, type: 'payment.seen', time: TIME + 4, data: SEEN },
  { ...mined(501, { ...NAMED, seen: 500 }), time: TIME + 4 },
  ...[confirmed(502, 4, NAMED, 1), confirmed(503, 4, NAMED, 10), unlocked(504, 4, NAMED)],
  ...[confirmed(600, 5, NAMED, 60), confirmed(601, 5, NAMED, 70), unlocked(700, 6, OPENED)],
  {
    ...{ id: 800, type: 'payment.reversed', time: TIME + 7 },
    data: { ...SEEN, height: 20, reason: 'reorganised', reverses: 501 },
  },
];

function expectEvents(): void {
  const reader = new EventReader(db);
  expect(reader.after(0, 100)).toEqual(EVENTS);
  expect(reader.last()).toBe(800);
}

/** Applies the first statements of a migration in a process that then kills itself, and opens the store again. */
function killAfter(migration: string, count: number): void {
  db.close();
  const folder = before(migration);
  const statements = [...statementsOf(migration).slice(0, count), 'SELECT kill_process();'];
  writeFileSync(join(folder, migration), statements.join('\n'));
  const { signal } = spawnSync(process.execPath, [PROCESS, join(root, 'store'), folder]);
  expect(signal).toBe('SIGKILL');
  db = new SqlDatabase(new Database(join(root, 'store')));
  db.pragma('foreign_keys = ON');
}

const steps = (migration: string): number[] => statementsOf(migration).map((_, i) => i + 1);

describe('a store whose ranges of stages are in columns of the event table', () => {
  it('has them in a table of their own after its migration', () => {
    migrate(db, before(ROWS));
    expectRanges();
  });

  it.each(someRows(steps(RANGES), 2))(
    'is as before when a kill stops its migration after statement %s',
    (count) => {
      const rows = stageRows();
      killAfter(RANGES, count);
      expect(stageRows()).toEqual(rows);
      migrate(db, before(ROWS));
      expectRanges();
    },
  );
});

describe('a store whose rows stand for several events', () => {
  it('has a row with the same id for each event after its migration, and its trace', () => {
    addRows();
    migrate(db, MIGRATIONS);
    expectEvents();
    expect(db.values('SELECT id FROM event ORDER BY id')).toEqual(
      EVENTS.map((event) => ('id' in event ? event.id : 0)),
    );
    const reader = new EventReader(db);
    const traced = (id: number): string => reader.traceOf(id)?.traceId.slice(0, 2) ?? '';
    expect([501, 502, 503, 504].map(traced)).toEqual(['f5', 'f5', 'f5', 'f5']);
    expect([600, 601].map(traced)).toEqual(['58', '58']);
    expect([105, 200, 402, 500, 700].map(traced)).toEqual(['', '', '', '', '']);
  });

  it('continues behind each id, and expires each event by its own', () => {
    addRows();
    migrate(db, MIGRATIONS);
    const writer = new EventWriter(db, new EventIds({ clock: { now: () => TIME } }));
    EVENTS.forEach((event, i) => {
      const id = 'id' in event ? Number(event.id) : 0;
      expect(writer.after(id, 100)).toEqual(EVENTS.slice(i + 1));
    });
    expect(writer.expire(299, 3)).toBe(true);
    expect(writer.expiredUpTo()).toBe(102);
    expect(writer.expire(299, 100)).toBe(false);
    expect(writer.expiredUpTo()).toBe(204);
    expect(writer.after(0, 1)).toEqual([unlocked(300, 2, MINER)]);
  });

  it.each(someRows(steps(ROWS), 2))(
    'is as before when a kill stops its migration after statement %s',
    (count) => {
      addRows();
      const rows = db.rows('SELECT * FROM event ORDER BY id');
      killAfter(ROWS, count);
      expect(db.rows('SELECT * FROM event ORDER BY id')).toEqual(rows);
      migrate(db, MIGRATIONS);
      expectEvents();
    },
  );
});
