import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest, test } from '@jest/globals';
import Database from 'better-sqlite3';
import { openSnapshot } from '../../src/store/file/database.js';
import { NEW_CIPHER } from '../../src/store/file/store-cipher.js';
import { WalletStore } from '../../src/store/wallet-store.js';
import type { PageFindings } from '../../src/monero/wallet/scan/findings.js';
import { WalletError } from '../../src/model/wallet-error.js';
import { yieldToEventLoop } from '../../src/util/event-loop.js';
import { bytes, output, page, received } from './fixtures.js';

const KEY = new Uint8Array(32).fill(9);

let directory: string;
let path: string;
let store: WalletStore;
let lost: Error[];
let notices: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pages-'));
  path = join(directory, 'w');
  store = WalletStore.create(path, KEY);
  lost = [];
  notices = 0;
  store.watchLostPages((error) => lost.push(error));
  store.watchEvents(() => (notices += 1));
});

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
  store.close();
  rmSync(directory, { recursive: true, force: true });
});

/** A block with payments; the first of them names it. */
const paid = (height: number, count = 1): PageFindings => {
  const numbers = Array.from({ length: count }, (_, i) => 2000 * (height + 1) + i);
  return page(height, 1, {
    received: numbers.map((n) => received(n, height)),
    outputs: numbers.map((n) => ({
      ...output(n, height, 5n),
      publicKey: bytes(n + 500_000),
      keyImage: bytes(n + 900_000),
    })),
  });
};

/** A block whose output belongs to no transaction, which the store refuses. */
const broken = (height: number): PageFindings => ({ ...paid(height), received: [] });

const add = (findings: PageFindings): void => store.addPage(findings, { isFollowed: true });

/** Number of blocks that other connections see, and would be left after a crash of the process. */
function committed(): number {
  const db = openSnapshot(path, { key: KEY, cipher: NEW_CIPHER });
  const count = db.value('SELECT count(*) FROM chain_block') as number;
  db.close();
  return count;
}

/** Makes the next commit fail, as on a full disk. */
function failNextCommit(): void {
  const { exec } = Database.prototype;
  let failed = false;
  jest.spyOn(Database.prototype, 'exec').mockImplementation(function (this: Database.Database, sql) {
    if (sql !== 'COMMIT' || failed) return exec.call(this, sql);
    failed = true;
    throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
  });
}

describe('pages that others follow', () => {
  it('are read at once, and committed with later ones, in the turn after 512 outputs', async () => {
    for (let height = 0; height < 3; height++) add(paid(height, 128));
    expect([store.height(), store.read((r) => r.outputs.count()), committed()]).toEqual([3, 384, 0]);
    add(paid(3, 128));
    expect([store.height(), committed()]).toEqual([4, 0]);
    await yieldToEventLoop();
    expect(committed()).toBe(4);
    add(paid(4));
    await yieldToEventLoop();
    expect([store.height(), committed()]).toEqual([5, 4]);
  });

  it('are committed with a page that is added in the same turn after 512 outputs', () => {
    add(paid(0, 512));
    expect(committed()).toBe(0);
    add(paid(1));
    expect(committed()).toBe(2);
  });

  it('are committed after a quarter of a second, if none follows', () => {
    jest.useFakeTimers();
    add(paid(0));
    jest.advanceTimersByTime(249);
    expect(committed()).toBe(0);
    jest.advanceTimersByTime(1);
    expect(committed()).toBe(1);
  });

  const ends: Readonly<Record<string, () => unknown>> = {
    'a write that waits for the disk': () => store.write((w) => w.attributes.set('a', 'b')),
    'a write that does not': () => store.writeRecoverable((w) => w.attributes.set('a', 'b')),
    'a write that fails': () =>
      expect(() =>
        store.write(() => {
          throw new Error('refused');
        }),
      ).toThrow('refused'),
    'a flush to disk': () => store.flushToDisk(),
    'a checkpoint': () => store.checkpoint(),
    'a checkpoint on this thread': () => store.checkpointSync(),
    'a read of committed data': () => store.readCommitted((r) => r.chain.tip()),
  };
  test.each(Object.keys(ends))('are committed before %s', async (name) => {
    add(paid(0));
    add(paid(1));
    const ended = ends[name]?.();
    expect(committed()).toBe(2);
    await ended;
    await store.waitForCheckpoint();
  });

  it('share their commit with a write that does not wait for the disk', () => {
    const commits = jest.spyOn(Database.prototype, 'exec');
    add(paid(0));
    store.writeRecoverable((w) => w.attributes.set('a', 'b'));
    expect(commits.mock.calls.map(([sql]) => sql)).toEqual(['BEGIN IMMEDIATE', 'COMMIT']);
    expect(store.read((r) => r.attributes.get('a'))).toBe('b');
  });

  it('stay in their transaction without the changes of a write that fails in it', () => {
    add(paid(0));
    const fail = (): void =>
      store.writeRecoverable((w) => {
        w.attributes.set('a', 'b');
        w.applyPage(paid(1));
        throw new Error('refused');
      });
    expect(fail).toThrow('refused');
    expect([store.height(), committed(), lost]).toEqual([1, 0, []]);
    add(paid(1));
    store.commitPages();
    expect([store.height(), committed(), store.read((r) => r.outputs.count())]).toEqual([2, 2, 2]);
    expect(store.read((r) => r.attributes.get('a'))).toBeUndefined();
  });

  it('are committed with a last page that none follows, and when the store is closed', () => {
    add(paid(0));
    store.addPage(paid(1));
    expect(committed()).toBe(2);
    add(paid(2));
    store.close();
    store = WalletStore.open(path, KEY);
    expect([store.height(), store.read((r) => r.outputs.count())]).toEqual([3, 3]);
  });

  it('report their events once they are committed', () => {
    const before = store.eventVersion;
    add(paid(0));
    add(paid(1));
    expect([notices, store.eventVersion]).toEqual([0, before]);
    store.commitPages();
    expect([notices, store.eventVersion]).toEqual([1, before + 1]);
    store.commitPages();
    expect(notices).toBe(1);
  });

  it('may contain blocks that were deferred before them', () => {
    // After the first one, blocks are written 11 to 20 at a time, and no such number divides 46.
    for (let height = 0; height < 47; height++) store.addPage(page(height, 1));
    expect(committed()).toBeLessThan(47);
    add(paid(47));
    store.commitPages();
    expect([store.height(), committed()]).toEqual([48, 48]);
  });

  it('leave a snapshot as it was', () => {
    store.addPage(paid(0));
    const snapshot = store.snapshot();
    add(paid(1));
    expect(snapshot.read((r) => r.outputs.count())).toBe(1);
    store.commitPages();
    expect(snapshot.read((r) => r.outputs.count())).toBe(1);
    snapshot.release();
  });

  it('are in a snapshot before they are committed', () => {
    add(paid(0));
    const snapshot = store.snapshot();
    expect([committed(), snapshot.read((r) => r.outputs.count())]).toEqual([0, 1]);
    snapshot.release();
    add(paid(1));
    expect(committed()).toBe(0);
  });

  const changes: Readonly<Record<string, { readonly make: () => void; readonly committed: number }>> = {
    'a page': { make: () => add(paid(1)), committed: 1 },
    'a last page': { make: () => store.addPage(paid(1)), committed: 2 },
    'a write that waits for the disk': {
      make: () => store.write((w) => w.applyPage(paid(1))),
      committed: 2,
    },
    'a write that does not': {
      make: () => store.writeRecoverable((w) => w.applyPage(paid(1))),
      committed: 2,
    },
  };
  test.each(Object.keys(changes))('are committed before %s if a snapshot reads them', (name) => {
    const { make, committed: expected } = changes[name] as (typeof changes)[string];
    add(paid(0));
    const snapshot = store.snapshot();
    make();
    expect([committed(), store.read((r) => r.outputs.count())]).toEqual([expected, 2]);
    expect(snapshot.read((r) => r.outputs.count())).toBe(1);
    snapshot.release();
  });

  it('stay in a snapshot that reads them while they are committed', () => {
    add(paid(0));
    const snapshot = store.snapshot();
    store.commitPages();
    expect(snapshot.read((r) => r.outputs.count())).toBe(1);
    add(paid(1));
    expect(snapshot.read((r) => r.outputs.count())).toBe(1);
    snapshot.release();
  });
});

describe('a page that cannot be stored', () => {
  it('is reported as the loss of the uncommitted pages before it, and of no other', () => {
    store.addPage(paid(0));
    add(paid(1));
    expect(() => add(broken(2))).toThrow();
    expect(lost).toHaveLength(1);
    expect([store.height(), store.read((r) => r.outputs.count())]).toEqual([1, 1]);
  });

  it('loses nothing when it comes first', () => {
    store.addPage(paid(0));
    expect(() => add(broken(1))).toThrow();
    expect([lost.length, store.height()]).toEqual([0, 1]);
  });

  it('does not keep the pages before it from being stored when they are added again', () => {
    add(paid(0));
    expect(() => add(broken(1))).toThrow();
    add(paid(0));
    expect(() => add(broken(1))).toThrow();
    expect([store.height(), committed(), lost.length]).toEqual([1, 1, 1]);
  });

  it('leaves the sums of addresses as they were', () => {
    store.addPage(paid(0));
    add(paid(1));
    expect(() => add(broken(2))).toThrow();
    expect(store.read((r) => r.balances.ofAccount(0, false))).toBe(5n);
  });
});

describe('a commit of pages that fails', () => {
  /** Expects that a task throws, and that the pages are lost. */
  const fails = (task: () => unknown): void => {
    expect(task).toThrow(WalletError);
    expect([store.height(), committed(), lost.length]).toEqual([1, 1, 1]);
  };

  beforeEach(() => {
    store.addPage(paid(0));
    add(paid(1));
    failNextCommit();
  });

  it('fails the write that required it, so that no later page leaves a gap', () => {
    fails(() => store.addPage(paid(2)));
    store.addPage(paid(1));
    expect(store.height()).toBe(2);
  });

  it('fails a write that shares it', () => {
    fails(() => store.writeRecoverable((w) => w.attributes.set('a', 'b')));
    expect(store.read((r) => r.attributes.get('a'))).toBeUndefined();
  });

  it('fails the page that is added after the limit', () => {
    add(paid(2, 1024));
    fails(() => add(paid(3)));
  });

  it('is reported to the listener after the limit', async () => {
    add(paid(2, 1024));
    await yieldToEventLoop();
    expect([store.height(), committed(), lost.length]).toEqual([1, 1, 1]);
  });

  it('fails a flush to disk', async () => {
    await expect(store.flushToDisk()).rejects.toThrow(WalletError);
    expect([lost.length, store.height()]).toEqual([1, 1]);
  });

  it('is reported to the listener alone if a reader or the time required it', () => {
    store.commitPages();
    expect([lost.length, store.height()]).toEqual([1, 1]);
  });

  it('takes back the blocks that were deferred on top of the pages', () => {
    jest.restoreAllMocks();
    store.commitPages();
    add(page(2, 300));
    failNextCommit();
    store.addPage(page(302, 1));
    expect([store.height(), committed()]).toEqual([303, 2]);
    store.commitPages();
    expect([store.height(), lost.length]).toEqual([2, 1]);
  });

  it.each(['a commit', 'a page'])('in %s ends a snapshot that reads the pages, and no other', (name) => {
    jest.restoreAllMocks();
    store.commitPages();
    const older = store.snapshot();
    add(paid(2));
    const snapshot = store.snapshot();
    failNextCommit();
    if (name === 'a page') expect(() => add(paid(3))).toThrow(WalletError);
    else store.commitPages();
    expect([store.height(), lost.length]).toEqual([2, 1]);
    for (let i = 0; i < 2; i++) expect(() => snapshot.read((r) => r.outputs.count())).toThrow(WalletError);
    expect(older.read((r) => r.outputs.count())).toBe(2);
    older.release();
  });

  it('reports no event', () => {
    notices = 0;
    store.commitPages();
    expect(notices).toBe(0);
  });
});

it('a store in memory commits each page', () => {
  const memory = WalletStore.create(':memory:', KEY);
  memory.addPage(paid(0), { isFollowed: true });
  expect(() =>
    memory.write(() => {
      throw new Error('refused');
    }),
  ).toThrow('refused');
  expect(memory.height()).toBe(1);
  memory.close();
});

it('a write inside a page, or inside another write, is refused', () => {
  expect(() => store.write(() => store.write(() => undefined))).toThrow('inside another write');
  expect(() => store.write(() => add(paid(0)))).toThrow('inside another write');
});
