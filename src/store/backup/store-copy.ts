import { basename } from 'node:path';
import { ThreadClient } from '../../util/thread-client.js';
import { WalletError } from '../../model/wallet-error.js';
import { isDamage, type StoreKey } from '../file/database.js';
import { fileError } from '../file/file-errors.js';
import type { StoreCopyJobs, StoreCopyTask, StoreFacts, StoreRefusal } from './store-copy-thread.js';

/** The store is damaged or cannot be copied. */
class StoreProblem extends Error {
  override readonly name = 'StoreProblem';
  readonly code: string;

  constructor({ problem, code }: StoreRefusal) {
    super(problem);
    this.code = code;
  }
}

/** One thread serves all wallets, because it waits for the disk most of the time. */
const threads = new ThreadClient<StoreCopyJobs, StoreRefusal>(
  new URL('./store-copy-thread.js', import.meta.url),
  { threads: 1, toError: (refusal) => new StoreProblem(refusal) },
);

async function ask(task: Omit<StoreCopyTask, 'key'>, { key, cipher }: StoreKey): Promise<StoreFacts> {
  const copy = Uint8Array.from(key);
  try {
    return await threads.run('copy', { ...task, key: { key: copy, cipher } }, [copy]);
  } catch (cause) {
    throw cause instanceof StoreProblem ? storeError(task.path, cause) : cause;
  }
}

function storeError(path: string, cause: StoreProblem): Error {
  const error = fileError(path, cause);
  if (error instanceof WalletError && !isDamage(cause)) return error;
  const reason = isDamage(cause)
    ? 'its store is damaged, or of other keys'
    : `its store is damaged: ${cause.message}`;
  return new WalletError({ kind: 'wallet_corrupt', name: basename(path), reason }, { cause });
}

/**
 * Copies a store to a new file on another thread, while the store is read and written, then checks the copy. The copy
 * is encrypted with the same key, readable by its owner only, and flushed to disk. It is made by VACUUM INTO, because
 * the backup interface of this SQLite build can deliver corrupt copies of encrypted files.
 * @throws WalletError `wallet_corrupt`, `wallet_io`. A partial copy is left behind; the caller removes it.
 */
export const copyStore = (source: string, path: string, key: StoreKey): Promise<StoreFacts> =>
  ask({ source, path }, key);

/** Checks every page, row reference and index of a store. @throws WalletError `wallet_corrupt`, `wallet_io` */
export const checkStore = (path: string, key: StoreKey): Promise<StoreFacts> => ask({ path }, key);

/**
 * Checks every page of a store, on another thread: that its tag is right, and that the pages make up whole trees. Takes a
 * fraction of the time of {@link checkStore}, which also compares indexes with their tables.
 * @throws WalletError `wallet_corrupt`, `wallet_io`
 */
export const checkPages = async (path: string, key: StoreKey): Promise<void> =>
  void (await ask({ path, isQuick: true }, key));
