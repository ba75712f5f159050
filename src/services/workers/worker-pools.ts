import { KeyImagePool } from './key-image-pool.js';
import { createMultisigPool, type MultisigPool } from './multisig-pool.js';
import { createSigningPool, type SigningPool } from './signing-pool.js';
import { ThreadClient } from '../../util/thread-client.js';
import type { ProofJobs } from './proof-thread.js';
import { refusalError, type ThreadRefusal } from './thread-refusal.js';

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
