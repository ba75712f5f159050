import { ThreadClient } from '../../util/thread-client.js';
import type { ProofJobs } from './proof-thread.js';
import { refusalError, type ThreadRefusal } from './thread-refusal.js';

/** Threads that create and check proofs. A job throws the WalletError that it throws on any thread. */
export type ProofPool = ThreadClient<ProofJobs, ThreadRefusal>;

export const createProofPool = (): ProofPool =>
  new ThreadClient(new URL('./proof-thread.js', import.meta.url), {
    threads: 2,
    toError: refusalError((text) => new Error(text)),
  });
