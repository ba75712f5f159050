import type { SigningWork } from './signing-thread.js';
import { WorkerClient } from './worker-client.js';

/** Error for a transaction that cannot be signed as requested; the text gives the reason. */
export class SigningProblem extends Error {
  override readonly name = 'SigningProblem';
}

/** Pool of threads that prove and sign transactions. A task throws SigningProblem or WalletError. */
export type SigningPool = WorkerClient<SigningWork>;

export const createSigningPool = (): SigningPool =>
  new WorkerClient(new URL('./signing-thread.js', import.meta.url), (text) => new SigningProblem(text));
