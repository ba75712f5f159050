import type * as worker from './slow-hash-worker.js';
import { slowHashes } from './slow-hash.js';
import type { Hash } from './types.js';

/** Computes slow hashes on the calling thread, in browsers, as `slow-hash-worker.ts` does on threads in Node.js. */
export const slowHashAsync: typeof worker.slowHashAsync = async (data, rounds = 1) => {
  if (!Number.isSafeInteger(rounds) || rounds < 1) throw new RangeError(`slow hash rounds: ${rounds}`);
  let current = Uint8Array.from(data);
  for (let round = 0; round < rounds; round++) {
    const [next] = slowHashes([current]);
    current.fill(0);
    current = Uint8Array.from(next as Hash);
    next?.fill(0);
  }
  return current as Uint8Array as Hash;
};
