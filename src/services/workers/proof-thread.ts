import { parentPort } from 'node:worker_threads';
import { systemRng, type Rng } from '../../util/random.js';
import { WalletError, type Fault } from '../../monero/wallet/model/wallet-error.js';
import { signMessage, verifyMessage } from '../../monero/wallet/proofs/message-signature.js';
import { checkReserve, proveReserve } from '../../monero/wallet/proofs/reserve-proof.js';
import { readReserveProof } from '../../monero/wallet/proofs/reserve-proof-text.js';
import { checkSpend, proveSpend } from '../../monero/wallet/proofs/spend-proof.js';
import { checkTxKey } from '../../monero/wallet/proofs/tx-key.js';
import { checkTxProof, proveReceived, proveSent } from '../../monero/wallet/proofs/tx-proof.js';

/** Functions that the thread runs, by name: each takes plain data, and a random source if it creates a proof. */
const JOBS = {
  signMessage,
  verifyMessage,
  checkTxKey,
  proveSent,
  proveReceived,
  checkTxProof,
  proveSpend,
  checkSpend,
  proveReserve,
  readReserveProof,
  checkReserve,
} satisfies Record<string, (input: never, rng: Rng) => unknown>;

export type ProofJobs = typeof JOBS;

export interface ProofTask<Job extends keyof ProofJobs = keyof ProofJobs> {
  readonly job: Job;
  readonly input: Parameters<ProofJobs[Job]>[0];
  /** Buffers in the input that are wiped after the job. */
  readonly secrets: readonly Uint8Array[];
}

export type ProofAnswer<Job extends keyof ProofJobs = keyof ProofJobs> =
  | { readonly result: ReturnType<ProofJobs[Job]> }
  | { readonly fault: Fault }
  | { readonly problem: string };

function answer({ job, input }: ProofTask): ProofAnswer {
  try {
    return { result: JOBS[job](input as never, systemRng) };
  } catch (error) {
    if (error instanceof WalletError) return { fault: error.fault };
    return { problem: error instanceof Error ? (error.stack ?? error.message) : 'the job failed' };
  }
}

const port = parentPort;
if (port === null) throw new Error('proof-thread runs as a worker thread only');
port.on('message', (task: ProofTask) => {
  const answered = answer(task);
  for (const secret of task.secrets) secret.fill(0);
  port.postMessage(answered);
});
