import { KeyImagePool } from './key-image-pool.js';
import { createMultisigPool, type MultisigPool } from './multisig-pool.js';
import { createProofPool, type ProofPool } from './proof-pool.js';
import { createSigningPool, type SigningPool } from './signing-pool.js';

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
