import { chmodSync, statSync } from 'node:fs';
import { answerCalls, job } from '../../util/thread-jobs.js';
import { unlockDatabase, type StoreKey } from '../file/database.js';
import { codeOf } from '../file/file-errors.js';
import { syncFile } from '../file/file-draft.js';

/** Input of the job: copies a store and checks the copy, or only checks a store. */
export interface StoreCopyTask {
  /** Path of the store to copy; absent: nothing is copied. */
  readonly source?: string;
  /** Path of the copy; without a copy, path of the store to check. */
  readonly path: string;
  readonly key: StoreKey;
  /** True: indexes are not compared with their tables. */
  readonly isQuick?: boolean;
}

/** Facts of a store that has passed all checks. */
export interface StoreFacts {
  /** Number of blocks that the wallet holds. */
  readonly height: number;
  /** Size of the store's file [bytes]. */
  readonly bytes: number;
}

/** Reason why a store is damaged or cannot be copied. */
export interface StoreRefusal {
  readonly problem: string;
  /** Code of the error that is the cause; empty if the error has no code. */
  readonly code: string;
}

/** Copies the present state of a store into a new file. The copy has no unused pages and no remains of deleted rows. */
function copy(source: string, path: string, key: StoreKey): void {
  const db = unlockDatabase(source, key, { readonly: true, fileMustExist: true });
  try {
    db.pragma('temp_store = MEMORY');
    db.run('VACUUM INTO ?', path);
  } finally {
    db.close();
  }
  chmodSync(path, 0o600);
  syncFile(path);
}

/**
 * Reads and authenticates every page of a store and, unless the check must be quick, compares its tables with its
 * indexes.
 */
function check({ path, key, isQuick = false }: StoreCopyTask): StoreFacts {
  const db = unlockDatabase(path, key, { readonly: true, fileMustExist: true });
  try {
    db.pragma('temp_store = MEMORY');
    const found: unknown = db.pragma(isQuick ? 'quick_check(1)' : 'integrity_check(1)', { simple: true });
    if (found !== 'ok') throw new Error(String(found ?? 'nothing was checked'));
    if (!isQuick) {
      const orphans = db.pragma('foreign_key_check') as readonly unknown[];
      if (orphans.length > 0) throw new Error(`${orphans.length} rows refer to missing rows`);
    }
    const height = db.value<number>('SELECT coalesce(max(height) + 1, 0) FROM chain_block') ?? 0;
    return { height, bytes: statSync(path).size };
  } finally {
    db.close();
  }
}

const JOBS = {
  /** Copies a store and checks the copy; if no store to copy is given, checks the store at the path. */
  copy: job(
    (task: StoreCopyTask) => {
      const { source, path, key } = task;
      if (source !== undefined) copy(source, path, key);
      return check(task);
    },
    { secretsOf: ({ key }) => [key.key] },
  ),
};

export type StoreCopyJobs = typeof JOBS;

answerCalls<StoreRefusal>(JOBS, (error) => ({
  problem: error instanceof Error ? error.message : String(error),
  code: codeOf(error),
}));
