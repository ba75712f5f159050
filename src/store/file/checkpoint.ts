import { WorkerPool } from '../../util/worker-pool.js';
import type { StoreKey } from './database.js';
import type { CheckpointTask } from './checkpoint-thread.js';

/** One for all wallets: it waits for the disk most of the time. */
const threads = new WorkerPool<CheckpointTask, undefined>(
  new URL('./checkpoint-thread.js', import.meta.url),
  1,
);

/**
 * Moves what the log of a database holds into its main file, over a connection of its own on another thread; writers
 * and readers go on meanwhile. The next write begins the log anew if nothing was added to it until then.
 * @throws Error when the file cannot be opened or read.
 */
export async function checkpointAside(path: string, { key, cipher }: StoreKey): Promise<void> {
  const handed = Uint8Array.from(key);
  await threads.run({ path, key: { key: handed, cipher } }, [handed.buffer]);
}
