import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { betweenWrites } from '../../src/store/between-writes.js';
import { AUTOCHECKPOINT_PAGES } from '../../src/store/file/database.js';
import { WalletStore } from '../../src/store/wallet-store.js';

const PAGE_BYTES = 4096;
/** Size of a row: a quarter of the rows that are written fill the log up to the limit of a commit. */
const ROW_BYTES = PAGE_BYTES * 400;
const ROWS = 80;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'long-log-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('a long write in parts never fills the log so far that a commit has to move it into the main file', async () => {
  const store = WalletStore.create(join(directory, 'w'), new Uint8Array(32));
  let longest = 0;
  for (let i = 0; i < ROWS; i++) {
    store.writeRecoverable((w) => w.attributes.set('key', String(i).repeat(ROW_BYTES / String(i).length)));
    longest = Math.max(longest, store.fileSizes().log);
    await betweenWrites(store);
  }
  expect(ROWS * ROW_BYTES).toBeGreaterThan(1.5 * AUTOCHECKPOINT_PAGES * PAGE_BYTES);
  expect(longest).toBeLessThan(0.6 * AUTOCHECKPOINT_PAGES * PAGE_BYTES);
  store.close();
});
