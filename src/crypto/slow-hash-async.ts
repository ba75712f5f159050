import { WorkerPool } from '../util/worker-pool.js';
import type { Hash } from './types.js';

/** One thread: the hash is asked for when wallets are opened, not more often. */
const workers = new WorkerPool<Uint8Array, Hash>(
  new URL('./slow-hash/slow-hash-worker.js', import.meta.url),
  1,
);

/** {@link slowHash} without blocking the calling thread. */
export function slowHashAsync(data: Uint8Array): Promise<Hash> {
  const handed = Uint8Array.from(data);
  return workers.run(handed, [handed.buffer]);
}
