import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  slowHashAsync as compute,
  startSlowHash as start,
} from '../../../src/monero/crypto/slow-hash-worker.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { yieldToEventLoop } from '../../../src/util/event-loop.js';
import { SLOW_HASHES } from './slow-hashes.js';

/*
 * Takes the place of `crypto/slow-hash-worker` in tests. A hash takes 40 ms of a processor or more, and wallets of tests
 * have the same few passwords: each is computed once in a run, by whichever process needs it first. Tests of the hash
 * itself import the real module.
 */

/** Reads a recorded digest. @returns undefined if there is none. */
function recorded(path: string): Hash | undefined {
  try {
    const digest = readFileSync(path);
    return digest.length === 32 ? (Uint8Array.from(digest) as Hash) : undefined;
  } catch {
    return undefined;
  }
}

/** Records a digest. Failures are ignored: servers under test may be out of files or of disk space. */
function record(path: string, digest: Hash): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, digest);
    renameSync(draft, path);
  } catch {
    // It is computed again.
  }
}

/** Leaves the thread to the first hash that is not on record. */
export const startSlowHash: typeof start = () => {
  if (process.env[SLOW_HASHES] === undefined) start();
};

export const slowHashAsync: typeof compute = async (data, rounds = 1) => {
  const directory = process.env[SLOW_HASHES];
  if (directory === undefined) return compute(data, rounds);
  const name = createHash('sha256').update(`${rounds} `).update(data).digest('hex');
  const path = join(directory, name);
  const known = recorded(path);
  if (known === undefined) {
    const digest = await compute(data, rounds);
    record(path, digest);
    return digest;
  }
  // Other work goes on meanwhile, as it does while a thread computes.
  await yieldToEventLoop();
  return known;
};
