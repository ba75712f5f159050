import { basename } from 'node:path';
import { WorkerPool } from '../../util/worker-pool.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import { isDamage, type StoreKey } from '../file/database.js';
import { fileError } from '../file/file-errors.js';
import type { StoreCopyAnswer, StoreCopyTask, StoreFacts } from './store-copy-thread.js';

/** One thread serves all wallets, because it waits for the disk most of the time. */
const threads = new WorkerPool<StoreCopyTask, StoreCopyAnswer>(
  new URL('./store-copy-thread.js', import.meta.url),
  1,
);

async function ask(task: Omit<StoreCopyTask, 'key'>, { key, cipher }: StoreKey): Promise<StoreFacts> {
  const copy = Uint8Array.from(key);
  const answer = await threads.run({ ...task, key: { key: copy, cipher } }, [copy.buffer]);
  if ('height' in answer) return answer;
  const { problem, code } = answer;
  const cause = Object.assign(new Error(problem), { code });
  const error = fileError(task.path, cause);
  if (error instanceof WalletError && !isDamage(cause)) throw error;
  const reason = isDamage(cause)
    ? 'its store is damaged, or of other keys'
    : `its store is damaged: ${problem}`;
  throw new WalletError({ kind: 'wallet_corrupt', name: basename(task.path), reason }, { cause });
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
