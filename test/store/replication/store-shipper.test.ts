import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest, test } from '@jest/globals';
import { StoreFile } from '../../../src/store/file/store-file.js';
import {
  NotReplicatedError,
  BaseNotRenewedError,
  type Replication,
  type ReplicationOptions,
} from '../../../src/store/replication/replication.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { until } from '../../support/fakes/until.js';
import { bytes, output, page, received } from '../fixtures.js';
import { contentsOf, KEY, openRaw } from './contents.js';
import { MemorySink } from './memory-sink.js';
import { itAtNight } from '../../support/jest/lanes.js';

const REPLICATED = { isReplicated: true };
const PAGE_BYTES = 4096;

let directory: string;
let path: string;
let store: WalletStore;
let sink: MemorySink;
let replication: Replication;
let errors: unknown[];

function replicate(options: Partial<ReplicationOptions> = {}): void {
  const onError = (error: unknown): number => errors.push(error);
  replication = store.replicate(sink.lease(), { ...sink.state, onError, ...options });
}

function open(options: Partial<ReplicationOptions> = {}): void {
  store = WalletStore.open(path, KEY, undefined, undefined, REPLICATED);
  replicate(options);
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'shipper-'));
  path = join(directory, 'w');
  sink = new MemorySink();
  errors = [];
  store = WalletStore.create(path, KEY, undefined, undefined, undefined, REPLICATED);
  replicate();
  await store.flushToDisk();
  await store.flushToDisk();
});

afterEach(() => {
  jest.restoreAllMocks();
  replication.drop();
  store.close();
  rmSync(directory, { recursive: true });
  expect(sink.violations).toEqual([]);
});

const set = (name: string, value: string): void => store.write((w) => w.attributes.set(name, value));

/** Adds a block with one payment. */
const addPayment = (height: number, options?: { readonly isFollowed: boolean }): void =>
  store.addPage(
    page(height, 1, {
      received: [received(1000 + height, height)],
      outputs: [
        {
          ...output(1000 + height, height, 5n),
          publicKey: bytes(500_000 + height),
          keyImage: bytes(900_000 + height),
        },
      ],
    }),
    options,
  );

/** Compares the store with one that is rebuilt from what the sink has. */
async function expectSame(): Promise<void> {
  const copy = join(directory, 'copy');
  await sink.rebuild(copy);
  expect(contentsOf(copy)).toBe(contentsOf(path));
}

/** Takes the files as they are, as if the process had been killed, and opens them elsewhere. */
function kill(options: Partial<ReplicationOptions> = {}): void {
  const killed = join(directory, 'killed');
  for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${killed}${suffix}`);
  replication.drop();
  store.close();
  path = killed;
  open(options);
}

/** Records the flushes of stores, and the calls of the sink, in their order from now on. */
function watchFlushes(): string[] {
  const steps: string[] = [];
  // oxlint-disable-next-line typescript/unbound-method
  const { flush } = StoreFile.prototype;
  jest.spyOn(StoreFile.prototype, 'flush').mockImplementation(async function (this: StoreFile) {
    steps.push('flush begins');
    await flush.call(this);
    steps.push('flush ends');
  });
  sink.wait = async () => void steps.push('pages are sent');
  return steps;
}

async function close(): Promise<void> {
  await replication.close();
  store.close();
}

describe('a new store', () => {
  it('is sent as a base, and the removal of its mark as a frame', async () => {
    expect(sink.base?.sequence).toBe(1);
    expect(replication).toMatchObject({ isBehind: false, bases: 1, sequence: 2, frames: 1, pendingBytes: 0 });
    await expectSame();
  });
});

describe('a durable write', () => {
  it('is acknowledged once its pages are stored', async () => {
    set('a', 'x');
    expect(replication.isBehind).toBe(true);
    expect(replication.behindSince).toBeGreaterThan(0);
    expect(replication.pendingBytes).toBeGreaterThan(4000);
    const before = replication.shippedBytes;
    await replication.replicated();
    expect(replication).toMatchObject({ isBehind: false, behindSince: undefined, pendingBytes: 0 });
    expect(replication.shippedBytes).toBeGreaterThan(before);
    await expectSame();
  });

  it('shares a frame with others that follow while a frame is sent', async () => {
    let release: (() => void) | undefined;
    sink.wait = () => new Promise((resolve) => (release = resolve));
    set('a', '0');
    await until('the frame is sent', () => release);
    for (let i = 1; i <= 20; i++) set('a', String(i));
    sink.wait = () => Promise.resolve();
    release?.();
    const frames = sink.frames.length;
    await replication.replicated();
    expect(sink.frames.length).toBe(frames + 2);
    const lengths = sink.frames.slice(-2).map((frame) => frame.bytes.length);
    expect(lengths[1]).toBeLessThan(2 * (lengths[0] ?? 0));
    await expectSame();
  });

  it('that changes nothing needs no frame', async () => {
    const { appends } = sink;
    store.write(() => undefined);
    await replication.replicated();
    expect(sink.appends).toBe(appends);
  });
});

describe('commits that nothing waits for', () => {
  it('are sent after a delay, in one frame', async () => {
    await close();
    open({ delayMs: 30 });
    const { appends } = sink;
    for (let height = 0; height < 5; height++) addPayment(height);
    expect(replication.isBehind).toBe(false);
    await replication.replicated();
    expect(sink.appends).toBe(appends);
    await until('the pages are stored', () => replication.pendingBytes === 0);
    expect(sink.appends).toBe(appends + 1);
    await expectSame();
  });

  it('go along with a durable write', async () => {
    addPayment(0);
    const { appends } = sink;
    set('a', 'x');
    await replication.replicated();
    expect(sink.appends).toBe(appends + 1);
    await expectSame();
  });

  it('are waited for by flushToDisk, open pages of blocks and deferred blocks included', async () => {
    addPayment(0, { isFollowed: true });
    store.addPage(page(1, 1));
    await store.flushToDisk();
    expect(replication.pendingBytes).toBe(0);
    await expectSame();
    store.addPage(page(2, 1));
    await store.flushToDisk();
    const copy = join(directory, 'copy');
    await sink.rebuild(copy);
    const again = WalletStore.open(copy, KEY);
    expect(again.height()).toBe(3);
    again.close();
  });

  it.each([
    ['flushToDisk', true],
    ['flushEvents', false],
  ] as const)('that %s sends hold up reads: %s', async (flush, holdsUp) => {
    let release: (() => void) | undefined;
    sink.wait = () => new Promise((resolve) => (release = resolve));
    addPayment(0);
    const sent = store[flush]();
    await until('the frame is sent', () => release);
    expect(replication.isBehind).toBe(true);
    const steps: string[] = [];
    const read = replication.replicated().then(() => void steps.push('read'));
    if (!holdsUp) await read;
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    steps.push('stored');
    sink.wait = () => Promise.resolve();
    release?.();
    await Promise.all([read, sent]);
    expect(steps).toEqual(holdsUp ? ['stored', 'read'] : ['read', 'stored']);
    expect(replication.isBehind).toBe(false);
    await expectSame();
  });

  it('that a refresh flushes to disk are sent later, and hold up nothing', async () => {
    const { appends } = sink;
    const steps = watchFlushes();
    addPayment(0);
    await store.flushScan();
    await replication.replicated();
    expect(steps).toEqual(['flush begins', 'flush ends']);
    expect([sink.appends - appends, replication.pendingBytes > 0]).toEqual([0, true]);
    await store.flushEvents();
    await expectSame();
  });

  it('are sent, for a checkpoint, once the log has 12,000 pages', async () => {
    await close();
    open({ delayMs: 1e9 });
    const { appends } = sink;
    let pages = 0;
    // The length of the log is looked at after each eighth commit.
    for (let i = 0; pages <= 12_000; i++) {
      if (i % 8 === 0) expect(sink.appends).toBe(appends);
      store.writeRecoverable((w) => w.attributes.set('a', String(i % 10).repeat(400_000)));
      pages = replication.pendingBytes / PAGE_BYTES;
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (let i = 0; i < 8; i++) store.writeRecoverable((w) => w.attributes.set('b', String(i)));
    await until('the frame is sent', () => sink.appends > appends || undefined);
    await store.waitForCheckpoint();
    await expectSame();
  });

  it('are on disk before they are sent', async () => {
    await close();
    open({ delayMs: 30 });
    const steps = watchFlushes();
    // The commit itself flushes nothing, and no caller waits for one.
    addPayment(0);
    expect(steps).toEqual([]);
    await until('the pages are stored', () => replication.pendingBytes === 0);
    expect(steps).toEqual(['flush begins', 'flush ends', 'pages are sent']);
    await expectSame();
  });
});

describe('a failure of the sink', () => {
  test.each(['refused', 'lost', 'unanswered'] as const)('"%s" is mended by sending again', async (fate) => {
    sink.appendFates.push(fate, fate, fate);
    set('a', 'x');
    await replication.replicated();
    set('a', 'y');
    await replication.replicated();
    expect(errors).toHaveLength(3);
    await expectSame();
  });

  it('during a write leads to a frame with the newer pages, if the old one was certainly not stored', async () => {
    sink.appendFates.push('refused');
    set('a', 'x');
    await until('the frame is refused', () => errors.length > 0);
    set('a', 'y');
    const { length } = sink.frames;
    await replication.replicated();
    expect(sink.frames.length).toBe(length + 1);
    await expectSame();
  });

  it('that lasts rejects the callers in time, and the pages are sent later', async () => {
    await close();
    open({ timeoutMs: 40 });
    for (let i = 0; i < 50; i++) sink.appendFates.push('lost');
    set('a', 'x');
    await expect(replication.replicated()).rejects.toMatchObject({
      name: 'NotReplicatedError',
      isFinal: false,
      cause: { message: 'lost' },
    });
    await expect(store.flushToDisk()).rejects.toBeInstanceOf(NotReplicatedError);
    expect(replication.isBehind).toBe(true);
    sink.appendFates.length = 0;
    while (replication.isBehind) await replication.replicated().catch(() => undefined);
    await expectSame();
  });

  it('keeps the log from starting again', async () => {
    await close();
    open({ timeoutMs: 40 });
    for (let i = 0; i < 1000; i++) sink.appendFates.push('refused');
    for (let i = 0; i < 5; i++) {
      set('a', String(i).repeat(100_000));
      await store.checkpoint();
      store.checkpointSync();
    }
    const { log } = store.fileSizes();
    expect(log).toBeGreaterThan(5 * 100_000);
    sink.appendFates.length = 0;
    while (replication.isBehind) await replication.replicated().catch(() => undefined);
    await expectSame();
    await store.checkpoint();
    set('a', 'b');
    await replication.replicated();
    expect(store.fileSizes().log).toBeLessThanOrEqual(log);
    await expectSame();
  });

  it('of another holder stops the shipper', async () => {
    sink.hasEnded = true;
    const { length } = sink.frames;
    set('a', 'x');
    await expect(replication.replicated()).rejects.toMatchObject({ isFinal: true });
    set('a', 'y');
    await expect(replication.replicated()).rejects.toMatchObject({ isFinal: true });
    await expect(store.flushToDisk()).rejects.toMatchObject({ isFinal: true });
    expect(sink.frames.length).toBe(length);
  });
});

describe('a checkpoint', () => {
  test.each(['on a thread', 'on this thread'])('%s lets the log start again', async (kind) => {
    let log = 0;
    for (let i = 0; i < 6; i++) {
      if (i === 2) ({ log } = store.fileSizes());
      if (kind === 'on a thread') await store.checkpoint();
      else store.checkpointSync();
      set('a', String(i).repeat(400_000));
      await replication.replicated();
      await expectSame();
    }
    expect(log).toBeGreaterThan(400_000);
    expect(store.fileSizes().log).toBe(log);
  });

  it('waits until everything before it is stored', async () => {
    sink.wait = async () => {
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    };
    set('a', 'x');
    addPayment(0);
    await store.checkpoint();
    expect(replication.pendingBytes).toBe(0);
    await expectSame();
  });

  it('leaves out commits during it, which are stored nowhere else', async () => {
    let i = 0;
    for (let round = 0; round < 20; round++) {
      const checkpoint = store.checkpoint();
      let isDone = false;
      void checkpoint.then(() => (isDone = true));
      while (!isDone) {
        addPayment(i);
        set('a', String(i).repeat(20_000));
        i += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
      await replication.replicated();
      await expectSame();
    }
    expect(errors).toEqual([]);
  });
});

describe('a log that the sink does not take', () => {
  /** Makes every call of the sink fail. */
  const refuse = (): void => {
    for (let i = 0; i < 1000; i++) {
      sink.appendFates.push('refused');
      sink.baseFates.push('refused');
    }
  };
  /** Lets the calls of the sink succeed, and waits until it has everything. */
  const recover = async (): Promise<void> => {
    sink.appendFates.length = 0;
    sink.baseFates.length = 0;
    while (replication.isBehind) await replication.replicated().catch(() => undefined);
    await expectSame();
  };

  /**
   * Opens a store with a log that the sink does not take.
   * @param missing pages that the log lacks to be the longest one. @returns its size [pages].
   */
  async function openLongLog(missing: number): Promise<number> {
    await close();
    open();
    refuse();
    set('a', 'x'.repeat(100_000));
    const pages = replication.pendingBytes / PAGE_BYTES;
    kill({ timeoutMs: 20, longestLog: pages + missing });
    expect(replication.pendingBytes / PAGE_BYTES).toBe(pages);
    return pages;
  }

  it('does not start again while it is shorter than the longest one', async () => {
    const pages = await openLongLog(1);
    await store.checkpoint();
    set('b', 'y');
    expect(replication.pendingBytes / PAGE_BYTES).toBeGreaterThan(pages);
    await recover();
    expect(replication.bases).toBe(0);
    expect(store.read((r) => [r.attributes.get('a')?.length, r.attributes.get('b')])).toEqual([100_000, 'y']);
  });

  it('starts again once it is the longest one, and a base takes its place', async () => {
    const pages = await openLongLog(0);
    await store.checkpoint();
    set('b', 'y');
    expect(replication.pendingBytes / PAGE_BYTES).toBeLessThan(pages);
    // Callers are not answered before the base is stored.
    await expect(replication.replicated()).rejects.toBeInstanceOf(NotReplicatedError);
    await recover();
    expect(replication.bases).toBe(1);
    expect(store.read((r) => [r.attributes.get('a')?.length, r.attributes.get('b')])).toEqual([100_000, 'y']);
    await store.checkpoint();
    set('c', 'z');
    await replication.replicated();
    expect(replication.bases).toBe(1);
    await expectSame();
  });

  it('has a base in its place also after a kill', async () => {
    await openLongLog(0);
    await store.checkpoint();
    set('b', 'y');
    kill({ timeoutMs: 20 });
    await recover();
    expect(replication.bases).toBe(1);
    expect(store.read((r) => [r.attributes.get('a')?.length, r.attributes.get('b')])).toEqual([100_000, 'y']);
  });

  itAtNight('has 16,000 pages at most by default', async () => {
    await close();
    open({ timeoutMs: 20 });
    refuse();
    const longest = 16_000;
    const pages = (): number => replication.pendingBytes / PAGE_BYTES;
    const isGivenUp = (): boolean => store.read((r) => r.meta.get('base_needed')) !== undefined;
    let i = 0;
    let size = 0;
    for (; !isGivenUp(); i++) {
      set('a', String(i % 10).repeat(4_000_000));
      size = pages();
      await store.checkpoint();
    }
    expect(size).toBeGreaterThanOrEqual(longest);
    expect(size).toBeLessThan(longest + 1100);
    // It starts again at a moment in which no base is read for the sink.
    await until('the log has started again', async () => {
      await store.checkpoint();
      set('b', String(i++));
      return pages() < longest;
    });
    await recover();
  });
});

describe('a store that is opened again', () => {
  it('after a clean close needs nothing', async () => {
    set('a', 'x');
    await close();
    expect(statSync(`${path}-wal`).size).toBeLessThan(33);
    const { state, appends } = sink;
    open();
    expect(replication.isBehind).toBe(false);
    await store.flushToDisk();
    expect(sink.appends).toBe(appends);
    expect(sink.state).toEqual(state);
    set('a', 'y');
    await replication.replicated();
    expect(sink.sequence).toBe(state.sequence + 1);
    await expectSame();
  });

  it('after a kill sends what was not sent', async () => {
    set('a', 'x');
    await replication.replicated();
    sink.appendFates.push('lost');
    set('a', 'y');
    kill();
    sink.appendFates.length = 0;
    await replication.replicated();
    expect(store.read((r) => r.attributes.get('a'))).toBe('y');
    await expectSame();
    expect(replication.bases).toBe(0);
  });

  it('after a close without the sink sends the rest', async () => {
    for (let i = 0; i < 100; i++) sink.appendFates.push('lost');
    set('a', 'y');
    await expect(replication.close(20)).rejects.toBeInstanceOf(NotReplicatedError);
    store.close();
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(PAGE_BYTES);
    sink.appendFates.length = 0;
    open();
    await replication.replicated();
    expect(replication.bases).toBe(0);
    await expectSame();
  });

  it('after SQLite has removed its log needs a base', async () => {
    sink.appendFates.push('lost', 'lost', 'lost');
    set('a', 'y');
    replication.drop();
    store.close();
    sink.appendFates.length = 0;
    const db = openRaw(path);
    db.exec('SELECT * FROM meta');
    db.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
    open();
    await replication.replicated();
    expect(replication.bases).toBe(1);
    await store.flushToDisk();
    await expectSame();
  });

  it('with an empty log of another program needs a base', async () => {
    await close();
    rmSync(`${path}-wal`);
    writeFileSync(`${path}-wal`, '');
    open();
    await replication.replicated();
    expect(replication.bases).toBe(1);
  });

  it('from a rebuilt file goes on with the last frame', async () => {
    set('a', 'y');
    await replication.replicated();
    const { sequence } = replication;
    replication.drop();
    store.close();
    path = join(directory, 'rebuilt');
    await sink.rebuild(path);
    open();
    expect(store.read((r) => r.attributes.get('a'))).toBe('y');
    set('a', 'z');
    await replication.replicated();
    expect(replication).toMatchObject({ bases: 0, sequence: sequence + 1 });
    await expectSame();
  });
});

describe('a store whose file was deleted', () => {
  it('is sent as a base', async () => {
    set('a', 'x');
    await replication.replicated();
    rmSync(path);
    set('a', 'y');
    await replication.replicated();
    expect(replication.bases).toBe(2);
    await store.flushToDisk();
    await expectSame();
  });

  it('is sent as a base also by a later process', async () => {
    sink.baseFates.push('lost', 'lost', 'lost', 'lost');
    rmSync(path);
    set('a', 'y');
    kill();
    sink.baseFates.length = 0;
    await replication.replicated();
    expect(replication.bases).toBe(1);
    await store.flushToDisk();
    await expectSame();
  });
});

describe('a base', () => {
  it('replaces frames that outgrow it', async () => {
    let i = 0;
    while (replication.bases < 3) {
      set('a', String(i++ % 10).repeat(1_000_000));
      await replication.replicated();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(i).toBeGreaterThan(4);
    expect(errors).toEqual([]);
    await expectSame();
  });

  itAtNight(
    'is not renewed while the store grows, since its frames are hardly more than the new base would be',
    async () => {
      for (let i = 0; i < 16; i++) {
        set(`a${i}`, String(i % 10).repeat(1_000_000));
        await replication.replicated();
      }
      expect(sink.state.frameBytes).toBeGreaterThan(3 * (4 << 20));
      await close();
      expect(replication.bases).toBe(1);
      await expectSame();
      open();
    },
  );

  it('holds checkpoints back while it is read, and frames go on', async () => {
    let release = (): void => undefined;
    let isBaseHeld = false;
    const putBase = sink.putBase.bind(sink);
    sink.putBase = async (...base) => {
      isBaseHeld = true;
      await new Promise<void>((resolve) => (release = resolve));
      await putBase(...base);
    };
    for (let i = 0; !isBaseHeld; i++) {
      set('a', String(i % 10).repeat(1_000_000));
      await replication.replicated();
    }
    for (let i = 0; i < 5; i++) {
      set('b', String(i).repeat(10_000));
      await replication.replicated();
      await store.checkpoint();
      store.checkpointSync();
    }
    release();
    await until('the base is stored', () => replication.bases === 2);
    await expectSame();
  });

  it('is on disk before it is sent', async () => {
    await close();
    rmSync(`${path}-wal`);
    writeFileSync(`${path}-wal`, '');
    const steps = watchFlushes();
    const { wait } = sink;
    sink.baseFates.push('refused');
    // The first try has what the opening has flushed, and the second one a block.
    sink.wait = async () => {
      if (steps.length === 0) addPayment(0);
      await wait();
    };
    open();
    await until('the base is stored', () => replication.bases === 1);
    expect(steps.slice(0, 4)).toEqual(['pages are sent', 'flush begins', 'flush ends', 'pages are sent']);
  });

  it('is tried again', async () => {
    sink.baseFates.push('lost', 'unanswered', 'refused');
    for (let i = 0; replication.bases < 2; i++) {
      set('a', String(i % 10).repeat(1_000_000));
      await replication.replicated();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(errors.length).toBeGreaterThanOrEqual(3);
    expect(errors.every((error) => error instanceof BaseNotRenewedError)).toBe(true);
    expect(replication.failedBases).toBe(errors.length);
    await expectSame();
  });
});

it('is refused for a store that was not opened for it, and twice', () => {
  expect(() => store.replicate(sink.lease(), sink.state)).toThrow('already');
  const other = WalletStore.create(join(directory, 'other'), KEY);
  expect(() => other.replicate(sink.lease(), sink.state)).toThrow('not opened to be replicated');
  other.close();
});
