import type { MultisigWork } from './multisig-thread.js';
import { WorkerClient } from './worker-client.js';

/** Invalid message of another participant; the error text is the predicate of a sentence about it ("has …"). */
export class MultisigProblem extends Error {
  override readonly name = 'MultisigProblem';
}

/** Threads for key exchange and signing of multisig groups. A task throws MultisigProblem or WalletError. */
export type MultisigPool = WorkerClient<MultisigWork>;

export const createMultisigPool = (): MultisigPool =>
  new WorkerClient(new URL('./multisig-thread.js', import.meta.url), (text) => new MultisigProblem(text));
