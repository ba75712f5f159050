import { availableParallelism } from 'node:os';
import { WorkerPool } from '../util/worker-pool.js';
import type { SlowHashTask } from './slow-hash-thread.js';
import type { Hash } from './types.js';

/**
 * Time before an idle thread ends [s]: it holds 12 MiB, which the refresh after a password needs. Another takes as long
 * to start as one hash.
 */
const IDLE_SECONDS = 0.2;

const threads = new WorkerPool<SlowHashTask, Hash>(
  new URL('./slow-hash-thread.js', import.meta.url),
  Math.min(4, availableParallelism()),
  IDLE_SECONDS,
);

/** Starts a thread ahead of the first hash. */
export const startSlowHash = (): void => threads.start(1);

/**
 * {@link slowHash} on a worker thread, repeated on its own digest for `rounds` rounds in all. `data` is not changed:
 * the thread works on a copy and wipes it.
 * @param rounds ≥ 1. @throws RangeError otherwise.
 */
export async function slowHashAsync(data: Uint8Array, rounds = 1): Promise<Hash> {
  if (!Number.isSafeInteger(rounds) || rounds < 1) throw new RangeError(`slow hash rounds: ${rounds}`);
  const copy = Uint8Array.from(data);
  return threads.run({ data: copy, rounds }, [copy.buffer]);
}
