import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { StoreDatabase } from '../../../src/store/file/database.js';
import { LogFile } from '../../../src/store/replication/log-pages.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { page } from '../fixtures.js';
import { KEY } from './contents.js';
import { MemorySink } from './memory-sink.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'without-'));
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(directory, { recursive: true });
});

/** Counts reads of the log and of its length during some commits. */
async function readsDuringCommits(
  isReplicated: boolean,
): Promise<{ readonly logs: number; readonly looks: number }> {
  const store = WalletStore.create(join(directory, 'w'), KEY, undefined, undefined, undefined, {
    isReplicated,
  });
  const sink = new MemorySink();
  const replication = isReplicated ? store.replicate(sink.lease(), sink.state) : undefined;
  await store.flushToDisk();
  const opened = jest.spyOn(LogFile, 'open');
  const prepared = jest.spyOn(StoreDatabase.prototype, 'row');
  // A store looks at the length of its log after each eighth commit of a refresh.
  for (let i = 0; i < 3; i++) {
    store.write((w) => w.attributes.set('a', String(i)));
    store.addPage(page(i, 1));
  }
  await store.flushToDisk();
  const looks = prepared.mock.calls.filter(([sql]) => sql.includes('wal_checkpoint')).length;
  replication?.drop();
  store.close();
  return { logs: opened.mock.calls.length, looks };
}

test('a store that is not replicated reads neither its log nor its length', async () => {
  expect(await readsDuringCommits(false)).toEqual({ logs: 0, looks: 0 });
});

test('a replicated store reads both', async () => {
  const { logs, looks } = await readsDuringCommits(true);
  expect(logs).toBeGreaterThan(0);
  expect(looks).toBeGreaterThanOrEqual(3);
});
