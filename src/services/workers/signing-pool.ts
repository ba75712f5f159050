import type { SigningWork } from './signing-thread.js';
import { WorkerClient } from './worker-client.js';

/** A transaction that cannot be signed as given; the text names the reason. */
export class SigningProblem extends Error {
  override readonly name = 'SigningProblem';
}

/** Threads that prove and sign transactions. A task throws SigningProblem or WalletError. */
export type SigningPool = WorkerClient<SigningWork>;

export const createSigningPool = (): SigningPool =>
  new WorkerClient(new URL('./signing-thread.js', import.meta.url), (text) => new SigningProblem(text));
