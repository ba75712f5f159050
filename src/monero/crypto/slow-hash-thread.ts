import { parentPort } from 'node:worker_threads';
import { slowHashes } from './slow-hash.js';
import type { Hash } from './types.js';

/** Message to a thread of {@link slowHashAsync}: one or two messages to hash, with the number of rounds. */
export interface SlowHashTask {
  readonly messages: readonly Uint8Array[];
  readonly rounds: number;
}

const port = parentPort;
if (port === null) throw new Error('slow-hash-thread runs as a worker thread only');
port.on('message', ({ messages, rounds }: SlowHashTask) => {
  let current = messages;
  for (let round = 0; round < rounds; round++) {
    const next = slowHashes(current);
    for (const message of current) message.fill(0);
    current = next;
  }
  const digests = current.map((digest) => Uint8Array.from(digest) as Hash);
  for (const digest of current) digest.fill(0);
  port.postMessage(
    digests,
    digests.map(({ buffer }) => buffer as ArrayBuffer),
  );
});
