import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PageSink, Replication } from '../../../src/store/replication/replication.js';
import type { Snapshot } from '../../../src/store/snapshot.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { bytes, output, page, received } from '../fixtures.js';
import { contentsOf, KEY, openRaw } from './contents.js';
import { MemorySink, type Fate } from './memory-sink.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'random-stores-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

// Timer: the network is slow, and timers of the store run at any moment.
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A store with its sink, and the contents after each of its commits. */
class Model {
  readonly sink = new MemorySink();
  readonly errors: unknown[] = [];
  #path: string;
  #store: WalletStore;
  #replication: Replication;
  #height = 0;
  #opened = 0;
  /** Contents after each commit. */
  readonly #states: string[] = [];
  readonly #snapshots: Snapshot[] = [];

  constructor(path: string) {
    this.#path = path;
    this.#store = WalletStore.create(path, KEY, undefined, undefined, undefined, { isReplicated: true });
    this.#replication = this.#replicate();
    this.#note();
  }

  #replicate(lease = this.sink.lease()): Replication {
    return this.#store.replicate(lease, {
      ...{ delayMs: 5, timeoutMs: 60_000, onError: (error: unknown) => this.errors.push(error) },
      ...this.sink.state,
    });
  }

  #open(path: string, lease?: PageSink): void {
    this.#path = path;
    this.#store = WalletStore.open(path, KEY, undefined, undefined, { isReplicated: true });
    this.#height = Math.max(0, this.#store.height() - 1);
    if (this.#store.read((r) => r.chain.tip()) !== undefined) this.#height += 1;
    this.#replication = this.#replicate(lease);
    this.#note();
  }

  #note(): void {
    this.#states.push(contentsOf(this.#path));
  }

  write(key: number, length: number): void {
    this.#store.write((w) => w.attributes.set(`k${key}`, String(this.#states.length % 10).repeat(length)));
    this.#note();
  }

  writeRecoverable(key: number, length: number): void {
    this.#store.writeRecoverable((w) =>
      w.attributes.set(`k${key}`, String(this.#states.length % 10).repeat(length)),
    );
    this.#note();
  }

  /** Adds blocks with one payment each in one shared commit, or one commit each. */
  addBlocks(count: number, isFollowed: boolean): void {
    for (let i = 0; i < count; i++, this.#height++) {
      const height = this.#height;
      const n = 1000 + height;
      this.#store.addPage(
        page(height, 1, {
          received: [received(n, height)],
          outputs: [
            { ...output(n, height, 5n), publicKey: bytes(500_000 + n), keyImage: bytes(900_000 + n) },
          ],
        }),
        { isFollowed },
      );
      if (!isFollowed) this.#note();
    }
    this.#store.commitPages();
    this.#note();
  }

  /** Undoes blocks, which shrinks tables. */
  undoBlocks(count: number): void {
    this.#height = Math.max(0, this.#height - count);
    this.#store.addPage(page(this.#height, 1));
    this.#height += 1;
    this.#store.writeRecoverable(() => undefined);
    this.#note();
  }

  checkpoint(isWaitedFor: boolean): Promise<void> {
    const done = this.#store.checkpoint();
    return isWaitedFor ? done : Promise.resolve();
  }

  checkpointSync(): void {
    this.#store.checkpointSync();
  }

  openSnapshot(): void {
    this.#snapshots.push(this.#store.snapshot());
  }

  releaseSnapshot(): void {
    this.#snapshots.shift()?.release();
  }

  /** Waits until everything is stored, and compares what the sink has. */
  async acknowledge(flush: boolean): Promise<void> {
    if (flush) await this.#store.flushToDisk();
    else {
      this.write(0, 1);
      await this.#replication.replicated();
    }
    const expected = contentsOf(this.#path);
    await this.#compare((found) => expect(found).toBe(expected));
  }

  /** Checks that the sink has the contents after some commit. */
  async check(): Promise<void> {
    if (this.sink.base === undefined) return;
    await this.#compare((found) => expect(this.#states).toContain(found));
  }

  async #compare(check: (found: string) => void): Promise<void> {
    const copy = join(directory, 'copy');
    await this.sink.copy().rebuild(copy);
    check(contentsOf(copy));
  }

  async closeAndOpen(): Promise<void> {
    await this.#replication.close();
    await this.#close();
    this.#open(this.#path);
  }

  async #close(): Promise<void> {
    this.#replication.drop();
    await this.#store.waitForCheckpoint();
    this.#snapshots.length = 0;
    this.#store.close();
  }

  async dropAndOpen(): Promise<void> {
    await this.#close();
    this.#open(this.#path);
  }

  /** Takes the files as they are and opens them elsewhere, as after the end of the process. */
  async kill(): Promise<void> {
    this.#opened += 1;
    const path = join(directory, `killed-${this.#opened}`);
    for (const suffix of ['', '-wal']) copyFileSync(`${this.#path}${suffix}`, `${path}${suffix}`);
    await this.#close();
    this.#open(path);
  }

  /** Lets SQLite move the log into the main file and remove it, as it does when a process exits. */
  async exit(): Promise<void> {
    await this.#close();
    const db = openRaw(this.#path);
    db.exec('SELECT * FROM meta');
    db.close();
    this.#open(this.#path);
  }

  /**
   * Goes on with the content of the sink, as another process would: its lease begins before it reads the content, so that
   * a call of the former holder which is still under way stores nothing after that.
   */
  async takeOver(): Promise<void> {
    if (this.sink.base === undefined) return;
    await this.#close();
    this.#opened += 1;
    const path = join(directory, `taken-${this.#opened}`);
    const lease = this.sink.lease();
    await this.sink.rebuild(path);
    this.#open(path, lease);
    expect(this.#states).toContain(contentsOf(path));
  }

  deleteFile(): void {
    rmSync(this.#path);
    this.write(0, 1);
  }

  async end(): Promise<void> {
    await this.#close();
  }
}

const fate = fc.constantFrom<Fate>('refused', 'lost', 'unanswered');
const length = fc.constantFrom(1, 100, 5000, 50_000, 300_000);
type Step = (model: Model) => void | Promise<void>;
const named = (name: string, step: Step): Step => Object.assign(step, { toString: () => name });

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.nat(5), length)
      .map(([key, size]) => named(`write ${key} ${size}`, (m) => m.write(key, size))),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.nat(5), length)
      .map(([key, size]) => named(`recoverable ${key} ${size}`, (m) => m.writeRecoverable(key, size))),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 30 }), fc.boolean())
      .map(([count, followed]) => named(`blocks ${count} ${followed}`, (m) => m.addBlocks(count, followed))),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 40 })
      .map((count) => named(`undo ${count}`, (m) => m.undoBlocks(count))),
  },
  {
    weight: 3,
    arbitrary: fc
      .boolean()
      .map((isWaitedFor) => named(`checkpoint ${isWaitedFor}`, (m) => m.checkpoint(isWaitedFor))),
  },
  { weight: 2, arbitrary: fc.constant(named('checkpointSync', (m) => m.checkpointSync())) },
  { weight: 1, arbitrary: fc.constant(named('snapshot', (m) => m.openSnapshot())) },
  { weight: 1, arbitrary: fc.constant(named('release', (m) => m.releaseSnapshot())) },
  {
    weight: 4,
    arbitrary: fc.boolean().map((flush) => named(`acknowledge ${flush}`, (m) => m.acknowledge(flush))),
  },
  { weight: 4, arbitrary: fc.constant(named('check', (m) => m.check())) },
  { weight: 4, arbitrary: fc.nat(10).map((ms) => named(`pause ${ms}`, () => pause(ms))) },
  {
    weight: 3,
    arbitrary: fc
      .array(fate, { minLength: 1, maxLength: 3 })
      .map((fates) => named(`fates ${fates.join()}`, (m) => void m.sink.appendFates.push(...fates))),
  },
  {
    weight: 1,
    arbitrary: fate.map((next) => named(`base ${next}`, (m) => void m.sink.baseFates.push(next))),
  },
  {
    weight: 1,
    arbitrary: fc.nat(8).map((ms) =>
      named(`slow ${ms}`, (m) => {
        m.sink.wait = ms === 0 ? (): Promise<void> => Promise.resolve() : (): Promise<void> => pause(ms);
      }),
    ),
  },
  { weight: 1, arbitrary: fc.constant(named('close', (m) => m.closeAndOpen())) },
  { weight: 1, arbitrary: fc.constant(named('drop', (m) => m.dropAndOpen())) },
  { weight: 1, arbitrary: fc.constant(named('kill', (m) => m.kill())) },
  { weight: 1, arbitrary: fc.constant(named('exit', (m) => m.exit())) },
  { weight: 1, arbitrary: fc.constant(named('take over', (m) => m.takeOver())) },
  { weight: 1, arbitrary: fc.constant(named('delete', (m) => m.deleteFile())) },
);

const RUNS = Number(process.env['RANDOM_STORES'] ?? randomRuns(12));

test('a rebuilt store has the contents after some commit, and all that were acknowledged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      rmSync(directory, { recursive: true });
      directory = mkdtempSync(join(tmpdir(), 'random-stores-'));
      const model = new Model(join(directory, 'w'));
      try {
        for (const run of steps) await run(model);
        await model.check();
        await model.acknowledge(true);
        expect(model.sink.violations).toEqual([]);
        expect(model.errors.filter((error) => (error as Error).name !== 'Error')).toEqual(
          model.errors.filter((error) => (error as Error).name === 'NotStoredError'),
        );
      } finally {
        await model.end();
      }
    }),
    { numRuns: RUNS, endOnFailure: false },
  );
}, 600_000);
