import { ThreadClient } from '../../util/thread-client.js';
import type { SlowHashJobs } from './slow-hash-thread.js';
import type { Hash } from './types.js';

/** A request for a hash that is not computed yet. */
interface Request {
  readonly message: Uint8Array<ArrayBuffer>;
  readonly rounds: number;
  readonly resolve: (digest: Hash) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Time after which an idle thread ends [s]. A thread occupies 12 MiB, which the refresh after a password needs.
 * Starting a thread takes as long as one hash.
 */
const IDLE_SECONDS = 0.1;

const threads = new ThreadClient<SlowHashJobs>(new URL('./slow-hash-thread.js', import.meta.url), {
  threads: Math.min(4, navigator.hardwareConcurrency),
  idleSeconds: IDLE_SECONDS,
});
/** Requests that no thread has started to compute, oldest first. */
const waiting: Request[] = [];

/** Starts a thread before the first hash is requested. */
export const startSlowHash = (): void => threads.start(1);

/**
 * Computes {@link slowHash} on a worker thread, repeated on its own result until there were `rounds` rounds. `data` is
 * not changed: the thread works on a copy and wipes it. Hashes start in the order of the requests. Two requests that
 * wait for a thread are computed together, which takes less CPU time.
 * @param rounds ≥ 1.
 * @throws RangeError otherwise.
 */
export async function slowHashAsync(data: Uint8Array, rounds = 1): Promise<Hash> {
  if (!Number.isSafeInteger(rounds) || rounds < 1) throw new RangeError(`slow hash rounds: ${rounds}`);
  return new Promise((resolve, reject) => {
    waiting.push({ message: Uint8Array.from(data), rounds, resolve, reject });
    startWaiting();
  });
}

/**
 * Takes the next request, or the next two requests if both have the same rounds and more requests wait than threads are
 * free.
 */
function takeNext(): Request[] {
  const [first, second] = waiting;
  const together = waiting.length > threads.free && first?.rounds === second?.rounds;
  return waiting.splice(0, together ? 2 : 1);
}

/** Passes requests to free threads, while there are free threads and waiting requests. */
function startWaiting(): void {
  while (waiting.length > 0 && threads.free > 0) void compute(takeNext());
}

async function compute(requests: readonly Request[]): Promise<void> {
  const messages = requests.map(({ message }) => message);
  try {
    const { rounds } = requests[0] as Request;
    const digests = await threads.run('hash', { messages, rounds }, messages);
    requests.forEach(({ resolve }, i) => {
      resolve(digests[i] as Hash);
    });
  } catch (error) {
    for (const { reject } of requests) reject(error);
  }
  startWaiting();
}
