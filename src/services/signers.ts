import { WorkerPool } from '../util/worker-pool.js';
import { WalletError } from '../wallet/fault.js';
import type { SigningAnswer, SigningTask, SigningWork } from './signing-thread.js';

/** Threads that prove and sign, shared by all wallets. */
const threads = new WorkerPool<SigningTask, SigningAnswer>(
  new URL('./signing-thread.js', import.meta.url),
  2,
);

/** What a signer was given cannot be signed; the text says why. */
export class SigningProblem extends Error {
  override readonly name = 'SigningProblem';
}

/** @throws SigningProblem, WalletError */
export async function sign<K extends keyof SigningWork>(
  kind: K,
  task: SigningWork[K]['task'],
): Promise<SigningWork[K]['result']> {
  const answer = await threads.run({ kind, task } as SigningTask);
  if ('problem' in answer)
    throw answer.fault === undefined ? new SigningProblem(answer.problem) : new WalletError(answer.fault);
  return answer.result as SigningWork[K]['result'];
}
