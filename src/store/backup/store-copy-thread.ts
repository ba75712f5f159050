import { chmodSync, statSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { unlockDatabase, type StoreKey } from '../file/database.js';
import { codeOf } from '../file/file-errors.js';
import { syncFile } from '../file/fsync.js';

/** Message from `store-copy.ts` to its thread: copy a store and check the copy, or only check a store. */
export interface StoreCopyTask {
  /** Path of the store to copy; absent: nothing is copied. */
  readonly source?: string;
  /** Path of the copy; without a copy, path of the store to check. */
  readonly path: string;
  readonly key: StoreKey;
}

/** Facts of a store that has passed all checks. */
export interface StoreFacts {
  /** Number of blocks that the wallet holds. */
  readonly height: number;
  /** Size of the store's file [bytes]. */
  readonly bytes: number;
}

/**
 * Answer of the thread: facts of the store; or the reason why the store is damaged or cannot be copied, with its error
 * code.
 */
export type StoreCopyAnswer = StoreFacts | { readonly problem: string; readonly code: string };

const damaged = (problem: string): StoreCopyAnswer => ({ problem, code: '' });

/** Copies the present state of a store into a new file. The copy has no unused pages and no remains of deleted rows. */
function copy(source: string, path: string, key: StoreKey): void {
  const db = unlockDatabase(source, key, { readonly: true, fileMustExist: true });
  try {
    db.pragma('temp_store = MEMORY');
    db.prepare('VACUUM INTO ?').run(path);
  } finally {
    db.close();
  }
  chmodSync(path, 0o600);
  syncFile(path);
}

/** Reads and authenticates every page of a store, and compares its tables with their indexes. */
function check(path: string, key: StoreKey): StoreCopyAnswer {
  const db = unlockDatabase(path, key, { readonly: true, fileMustExist: true });
  try {
    db.pragma('temp_store = MEMORY');
    const [first] = db.pragma('integrity_check(1)') as readonly { readonly integrity_check: string }[];
    if (first?.integrity_check !== 'ok') return damaged(first?.integrity_check ?? 'nothing was checked');
    const orphans = db.pragma('foreign_key_check') as readonly unknown[];
    if (orphans.length > 0) return damaged(`${orphans.length} rows refer to missing rows`);
    const { height } = db.prepare('SELECT coalesce(max(height) + 1, 0) AS height FROM chain_block').get() as {
      height: number;
    };
    return { height, bytes: statSync(path).size };
  } finally {
    db.close();
  }
}

const port = parentPort;
if (port === null) throw new Error('store-copy-thread runs as a worker thread only');
port.on('message', ({ source, path, key }: StoreCopyTask) => {
  let answer: StoreCopyAnswer;
  try {
    if (source !== undefined) copy(source, path, key);
    answer = check(path, key);
  } catch (error) {
    answer = { problem: error instanceof Error ? error.message : String(error), code: codeOf(error) };
  } finally {
    key.key.fill(0);
  }
  port.postMessage(answer);
});
