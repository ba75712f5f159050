import type { MultisigWork } from './multisig-thread.js';
import { WorkerClient } from './worker-client.js';

/**
 * Error for an invalid message of another participant. Its text is a predicate, to be preceded by a name of the message
 * ("has …").
 */
export class MultisigProblem extends Error {
  override readonly name = 'MultisigProblem';
}

/** Pool of threads for key exchange and signing in multisig groups. A task throws MultisigProblem or WalletError. */
export type MultisigPool = WorkerClient<MultisigWork>;

export const createMultisigPool = (): MultisigPool =>
  new WorkerClient(new URL('./multisig-thread.js', import.meta.url), (text) => new MultisigProblem(text));
