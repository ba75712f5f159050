import { WorkerPool } from '../util/worker-pool.js';
import { WalletError } from '../wallet/fault.js';
import type { MultisigAnswer, MultisigTask, MultisigWork } from './multisig-thread.js';

/** Threads for what several wallets do together, shared by all wallets. */
const threads = new WorkerPool<MultisigTask, MultisigAnswer>(
  new URL('./multisig-thread.js', import.meta.url),
  2,
);

/** What came from another participant cannot be used; the text is a predicate of it. */
export class MultisigProblem extends Error {
  override readonly name = 'MultisigProblem';
}

/** @throws WalletError, MultisigProblem */
export async function together<K extends keyof MultisigWork>(
  kind: K,
  task: MultisigWork[K]['task'],
): Promise<MultisigWork[K]['result']> {
  const answer = await threads.run({ kind, task } as MultisigTask);
  if ('fault' in answer) throw new WalletError(answer.fault);
  if ('problem' in answer) throw new MultisigProblem(answer.problem);
  return answer.result as MultisigWork[K]['result'];
}
