import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openDatabase, openSnapshot } from '../../../src/store/file/database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';

/** Longest wait for the lock of another program [ms]: it blocks the thread that answers all requests. */
const LONGEST_WAIT_MS = 50;

it('waits for the lock of another program for a twentieth of a second at most', () => {
  const directory = mkdtempSync(join(tmpdir(), 'database-'));
  const path = join(directory, 'w');
  const key = { key: new Uint8Array(32).fill(9), cipher: NEW_CIPHER };
  const db = openDatabase(path, key);
  const snapshot = openSnapshot(path, key);
  try {
    for (const connection of [db, snapshot])
      expect(connection.pragma('busy_timeout', { simple: true })).toBeLessThanOrEqual(LONGEST_WAIT_MS);
  } finally {
    snapshot.close();
    db.close();
    rmSync(directory, { recursive: true });
  }
});
