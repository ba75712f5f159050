import { ThreadClient } from '../../util/thread-client.js';
import type { SigningJobs } from './signing-thread.js';
import { refusalError, type ThreadRefusal } from './thread-refusal.js';

/** Error for a transaction that cannot be signed as requested; the text gives the reason. */
export class SigningProblem extends Error {
  override readonly name = 'SigningProblem';
}

/** Threads that prove and sign transactions. A job throws SigningProblem or WalletError. */
export type SigningPool = ThreadClient<SigningJobs, ThreadRefusal>;

export const createSigningPool = (): SigningPool =>
  new ThreadClient(new URL('./signing-thread.js', import.meta.url), {
    threads: 2,
    toError: refusalError((text) => new SigningProblem(text)),
  });
