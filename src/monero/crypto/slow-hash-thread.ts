import { answerCalls, job } from '../../util/thread-jobs.js';
import { slowHashes } from './slow-hash.js';
import type { Hash } from './types.js';

/** Input of the job: one or two messages to hash, with the number of rounds. */
export interface SlowHashTask {
  readonly messages: readonly Uint8Array[];
  readonly rounds: number;
}

function repeatedHashes({ messages, rounds }: SlowHashTask): readonly Hash[] {
  let current = messages;
  for (let round = 0; round < rounds; round++) {
    const next = slowHashes(current);
    for (const message of current) message.fill(0);
    current = next;
  }
  const digests = current.map((digest) => Uint8Array.from(digest) as Hash);
  for (const digest of current) digest.fill(0);
  return digests;
}

const JOBS = {
  hash: job(repeatedHashes, {
    secretsOf: ({ messages }) => messages,
    movedOf: (digests) => digests,
  }),
};

export type SlowHashJobs = typeof JOBS;

answerCalls(JOBS);
