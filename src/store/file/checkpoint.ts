import { ThreadClient } from '../../util/thread-client.js';
import type { StoreKey } from './database.js';
import type { CheckpointJobs } from './checkpoint-thread.js';

/** One thread serves all wallets, because it waits for the disk most of the time. */
const threads = new ThreadClient<CheckpointJobs>(new URL('./checkpoint-thread.js', import.meta.url), {
  threads: 1,
});

/**
 * Moves the write-ahead log of a database into its main file, over a separate connection on another thread, while
 * readers and writers continue. The next write starts the log again from its beginning, if nothing was appended to it
 * in the meantime.
 * @throws Error when the file cannot be opened or read.
 */
export async function checkpointOnThread(path: string, { key, cipher }: StoreKey): Promise<void> {
  const copy = Uint8Array.from(key);
  await threads.run('checkpoint', { path, key: { key: copy, cipher } }, [copy]);
}
