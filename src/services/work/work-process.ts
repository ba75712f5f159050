import { setPriority } from 'node:os';
import { meetsDifficulty } from '../../monero/cryptonote/difficulty.js';
import type { Hash } from '../../monero/crypto/types.js';
import { monotonicMs } from '../../util/clock.js';
import { parentProcessPort } from '../../util/child-worker.js';
import { once } from '../../util/concurrency.js';
import { answerCalls, job } from '../../util/thread-jobs.js';
import { RandomX, RandomXProblem } from './randomx.js';

/** A block whose work is to be checked. */
export interface WorkInput {
  /** Hash of the seed block. */
  readonly seed: Uint8Array;
  /** Bytes of the block that are hashed. */
  readonly input: Uint8Array;
  readonly difficulty: bigint;
}

/** Result of a check of work. */
export interface HashedWork {
  readonly hash: Hash;
  /** True if the hash has the work of the difficulty. */
  readonly isMet: boolean;
  /** Time of the hash [ms]. */
  readonly ms: number;
  /** Time in which the cache of a new seed was prepared [ms]; 0 for a seed that had one. */
  readonly seedMs: number;
  /** Resident memory of the process [bytes]. */
  readonly memory: number;
}

/** State of a loaded library. */
export interface LoadedRandomX {
  /** True if the library compiles programs. */
  readonly isCompiled: boolean;
  /** Resident memory of the process [bytes]. */
  readonly memory: number;
}

/** Priority of the process, and path of the library; absent: the library that the system finds. */
const [, , priority, path] = process.argv;
const randomX = once(() => RandomX.load(path));

/** Jobs of the process. */
const WORK_JOBS = {
  load: job(async (): Promise<LoadedRandomX> => {
    const { isCompiled } = await randomX();
    return { isCompiled, memory: process.memoryUsage.rss() };
  }),
  check: job(async ({ seed, input, difficulty }: WorkInput): Promise<HashedWork> => {
    const library = await randomX();
    const hadSeed = library.has(seed);
    const start = monotonicMs();
    library.prepare(seed);
    const prepared = monotonicMs();
    const hash = library.hash(seed, input);
    return {
      ...{ hash, isMet: meetsDifficulty(hash, difficulty), ms: monotonicMs() - prepared },
      ...{ seedMs: hadSeed ? 0 : prepared - start, memory: process.memoryUsage.rss() },
    };
  }),
};

export type WorkJobs = typeof WORK_JOBS;

// Requests of wallets come first, on machines with few processors too.
setPriority(Number(priority));
answerCalls<string>(
  WORK_JOBS,
  (error) => (error instanceof RandomXProblem ? error.message : undefined),
  parentProcessPort(),
);
