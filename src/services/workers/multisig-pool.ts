import { ThreadClient } from '../../util/thread-client.js';
import type { MultisigJobs } from './multisig-thread.js';
import { refusalError, type ThreadRefusal } from './thread-refusal.js';

/**
 * Error for an invalid message of another participant. Its text is a predicate, to be preceded by a name of the message
 * ("has …").
 */
export class MultisigProblem extends Error {
  override readonly name = 'MultisigProblem';
}

/** Pool of threads for key exchange and signing in multisig groups. A job throws MultisigProblem or WalletError. */
export type MultisigPool = ThreadClient<MultisigJobs, ThreadRefusal>;

export const createMultisigPool = (): MultisigPool =>
  new ThreadClient(new URL('./multisig-thread.js', import.meta.url), {
    threads: 2,
    toError: refusalError((text) => new MultisigProblem(text)),
  });
