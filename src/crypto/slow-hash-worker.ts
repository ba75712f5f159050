import { availableParallelism } from 'node:os';
import { WorkerPool } from '../util/worker-pool.js';
import type { SlowHashTask } from './slow-hash-thread.js';
import type { Hash } from './types.js';

/** Small, and whoever logs in or opens a wallet waits for them: they stay, but don't keep the process alive. */
const threads = new WorkerPool<SlowHashTask, Hash>(
  new URL('./slow-hash-thread.js', import.meta.url),
  Math.min(4, availableParallelism()),
  Infinity,
);

/** Starts a thread before the first hash, which then need not wait for it. */
export const startSlowHash = (): void => threads.start(1);

/**
 * {@link slowHash} on a worker thread, then `rounds - 1` times over its own digest. `data` stays the caller's:
 * the thread works on a copy that it wipes.
 * @param rounds ≥ 1. @throws RangeError otherwise.
 */
export async function slowHashAsync(data: Uint8Array, rounds = 1): Promise<Hash> {
  if (!Number.isSafeInteger(rounds) || rounds < 1) throw new RangeError(`slow hash rounds: ${rounds}`);
  const handed = Uint8Array.from(data);
  return threads.run({ data: handed, rounds }, [handed.buffer]);
}
