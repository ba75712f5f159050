import { parentPort } from 'node:worker_threads';
import { slowHash } from './slow-hash.js';

/** Task of {@link slowHashAsync} for a worker thread. */
export interface SlowHashTask {
  readonly data: Uint8Array;
  readonly rounds: number;
}

const port = parentPort;
if (port === null) throw new Error('slow-hash-thread runs as a worker thread only');
port.on('message', ({ data, rounds }: SlowHashTask) => {
  let current = data;
  for (let round = 0; round < rounds; round++) {
    const next = slowHash(current);
    current.fill(0);
    current = next;
  }
  const digest = Uint8Array.from(current);
  current.fill(0);
  port.postMessage(digest, [digest.buffer]);
});
