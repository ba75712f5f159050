import { answerCalls, job } from '../../../src/util/thread-jobs.js';

/* Thread of the tests of `ThreadClient`. */

/** Secrets of the latest `take` or `refuseWith`, which the thread has wiped since. */
let latest: readonly Uint8Array[] = [];

const keep = { secretsOf: (secret: Uint8Array): readonly Uint8Array[] => (latest = [secret]) };

const JOBS = {
  double: job((n: number) => 2 * n),
  /** Answers later than the jobs that were called after it. */
  doubleLater: job(async (n: number) => {
    await new Promise((resolve) => setImmediate(resolve));
    return 2 * n;
  }),
  take: job((secret: Uint8Array) => secret[0], keep),
  refuseWith: job((_secret: Uint8Array): number => {
    throw new RangeError('has no inputs');
  }, keep),
  latest: job(() => latest.map((secret) => [...secret])),
  /** Returns bytes that are the secret itself. */
  mirror: job((secret: Uint8Array) => secret, keep),
  move: job((length: number) => new Uint8Array(length).fill(7), { movedOf: (made) => [made] }),
  crash: job((): number => {
    throw new Error('a bug');
  }),
};

export type TestJobs = typeof JOBS;

answerCalls<string>(JOBS, (error, name) =>
  error instanceof RangeError ? `${name} ${error.message}` : undefined,
);
