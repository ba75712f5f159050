import type { SecretKey } from '../../monero/crypto/types.js';
import { signMessage, verifyMessage } from '../../monero/wallet/proofs/message-signature.js';
import { proveBundle } from '../../monero/wallet/proofs/reserve-bundle-proof.js';
import { checkReserve, proveReserve } from '../../monero/wallet/proofs/reserve-proof.js';
import { readReserveProof } from '../../monero/wallet/proofs/reserve-proof-text.js';
import { checkSpend, proveSpend } from '../../monero/wallet/proofs/spend-proof.js';
import { checkTxKey } from '../../monero/wallet/proofs/tx-key.js';
import { checkTxProof, proveReceived, proveSent } from '../../monero/wallet/proofs/tx-proof.js';
import type { ReceivingKeys } from '../../monero/wallet/scan/found-output.js';
import { systemRng, type Rng } from '../../util/random.js';
import { answerCalls, job } from '../../util/thread-jobs.js';
import { faultRefusal, type ThreadRefusal } from './thread-refusal.js';

const withRng =
  <In, Out>(prove: (input: In, rng: Rng) => Out) =>
  (input: In): Out =>
    prove(input, systemRng);

/** Secret keys of a wallet in the input of a job. */
type ProvingKeys = Pick<ReceivingKeys, 'viewSecret' | 'spendSecret'>;

const keysIn = {
  secretsOf: ({ keys: { viewSecret, spendSecret } }: { readonly keys: ProvingKeys }) =>
    spendSecret === undefined ? [viewSecret] : [viewSecret, spendSecret],
};

const txKeysIn = { secretsOf: ({ keys }: { readonly keys: readonly SecretKey[] }) => keys };

/** Jobs of the thread: functions of plain data. */
const PROOF_JOBS = {
  signMessage: job(withRng(signMessage), keysIn),
  verifyMessage: job(verifyMessage),
  checkTxKey: job(checkTxKey, txKeysIn),
  proveSent: job(withRng(proveSent), txKeysIn),
  proveReceived: job(withRng(proveReceived), { secretsOf: ({ viewSecret }) => [viewSecret] }),
  checkTxProof: job(checkTxProof),
  proveSpend: job(withRng(proveSpend), keysIn),
  checkSpend: job(checkSpend),
  proveReserve: job(withRng(proveReserve), keysIn),
  readReserveProof: job(readReserveProof),
  checkReserve: job(checkReserve),
  proveBundle: job(withRng(proveBundle), keysIn),
};

export type ProofJobs = typeof PROOF_JOBS;

answerCalls<ThreadRefusal>(PROOF_JOBS, (error, name) => {
  const problem = error instanceof Error ? (error.stack ?? error.message) : 'the job failed';
  return faultRefusal(error) ?? { problem: `${name}: ${problem}` };
});
