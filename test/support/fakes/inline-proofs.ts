import type { WorkerPools } from '../../../src/services/workers/worker-pools.js';
import type { Rng } from '../../../src/util/random.js';
import { signMessage, verifyMessage } from '../../../src/monero/wallet/proofs/message-signature.js';
import { proveBundle } from '../../../src/monero/wallet/proofs/reserve-bundle-proof.js';
import { checkReserve, proveReserve } from '../../../src/monero/wallet/proofs/reserve-proof.js';
import { readReserveProof } from '../../../src/monero/wallet/proofs/reserve-proof-text.js';
import { checkSpend, proveSpend } from '../../../src/monero/wallet/proofs/spend-proof.js';
import { checkTxKey } from '../../../src/monero/wallet/proofs/tx-key.js';
import { checkTxProof, proveReceived, proveSent } from '../../../src/monero/wallet/proofs/tx-proof.js';
import { seededRng } from './seeded-rng.js';

const JOBS: Readonly<Record<string, (input: never, rng: Rng) => unknown>> = {
  ...{ signMessage, verifyMessage, checkTxKey, proveSent, proveReceived, checkTxProof },
  ...{ proveSpend, checkSpend, proveReserve, readReserveProof, checkReserve, proveBundle },
};

/** Runs proofs on this thread, and wipes the secrets of each as the proof thread does. */
export class InlineProofs {
  /** Jobs in their order. */
  readonly jobs: string[] = [];
  readonly #rng = seededRng('proofs');

  /** The same, as services take it. */
  get asPools(): WorkerPools {
    return { proofs: this } as unknown as WorkerPools;
  }

  async run(job: string, input: unknown, secrets: readonly Uint8Array[] = []): Promise<unknown> {
    this.jobs.push(job);
    const run = JOBS[job];
    if (run === undefined) throw new Error(`no such job: ${job}`);
    await Promise.resolve();
    try {
      return run(input as never, this.#rng);
    } finally {
      for (const secret of secrets) secret.fill(0);
    }
  }
}
