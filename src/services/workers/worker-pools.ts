import { KeyImagePool } from './key-image-pool.js';
import { ThreadClient } from '../../util/thread-client.js';
import type { ProofJobs } from './proof-thread.js';
import { refusalError, type ThreadRefusal } from './thread-refusal.js';
import type { SigningJobs } from './signing-thread.js';
import type { MultisigJobs } from './multisig-thread.js';

/** Worker threads shared by all open wallets of a server. They start with their first task and end when idle. */
export class WorkerPools {
  readonly signing: SigningPool = createSigningPool();
  readonly multisig: MultisigPool = createMultisigPool();
  readonly proofs: ProofPool = createProofPool();
  readonly keyImages = new KeyImagePool();

  /** Ends the threads; rejects unfinished tasks. */
  async close(): Promise<void> {
    await Promise.all([this.signing, this.multisig, this.proofs, this.keyImages].map((pool) => pool.close()));
  }
}

/** Threads that create and check proofs. A job throws the WalletError that it throws on any thread. */
export type ProofPool = ThreadClient<ProofJobs, ThreadRefusal>;

export const createProofPool = (): ProofPool =>
  new ThreadClient(new URL('./proof-thread.js', import.meta.url), {
    threads: 2,
    toError: refusalError((text) => new Error(text)),
  });

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
