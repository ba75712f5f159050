import { WorkerPool } from '../../util/worker-pool.js';
import type { StoreKey } from './database.js';
import type { CheckpointTask } from './checkpoint-thread.js';

/** One thread for all wallets: most of the time it waits for the disk. */
const threads = new WorkerPool<CheckpointTask, undefined>(
  new URL('./checkpoint-thread.js', import.meta.url),
  1,
);

/**
 * Moves the log of a database into its main file, over a connection of its own on another thread, while readers and
 * writers continue. The next write restarts the log if nothing was added to it in the meantime.
 * @throws Error when the file cannot be opened or read.
 */
export async function checkpointOnThread(path: string, { key, cipher }: StoreKey): Promise<void> {
  const copy = Uint8Array.from(key);
  await threads.run({ path, key: { key: copy, cipher } }, [copy.buffer]);
}
