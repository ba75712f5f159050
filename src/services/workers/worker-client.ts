import type { TransferListItem } from 'node:worker_threads';
import { WorkerPool } from '../../util/worker-pool.js';
import { WalletError, type Fault } from '../../wallet/model/wallet-error.js';

/** Tasks and results of a kind of thread, by what it does. */
type Works<Work> = { readonly [K in keyof Work]: { readonly task: unknown; readonly result: unknown } };

/** One task of such a thread. */
export type TaskOf<Work extends Works<Work>> = {
  readonly [K in keyof Work]: { readonly kind: K; readonly task: Work[K]['task'] };
}[keyof Work];

/** A fault where the caller is to blame, a problem where it is what the thread was given. */
export type ThreadAnswer =
  { readonly result: unknown } | { readonly fault: Fault } | { readonly problem: string };

/** Does one piece of work on a thread. @param secrets buffers in the task that move to the thread, which wipes them. */
export type DoWork<Work extends Works<Work>> = <K extends keyof Work>(
  kind: K,
  task: Work[K]['task'],
  secrets?: readonly Uint8Array[],
) => Promise<Work[K]['result']>;

/** Threads shared by all wallets. @param problem makes what is thrown where a thread finds one. */
export function workerClient<Work extends Works<Work>>(
  script: URL,
  problem: (text: string) => Error,
): DoWork<Work> {
  const threads = new WorkerPool<TaskOf<Work>, ThreadAnswer>(script, 2);
  return async (kind, task, secrets = []) => {
    const transfer: TransferListItem[] = secrets.map(({ buffer }) => buffer as ArrayBuffer);
    const answer = await threads.run({ kind, task }, transfer);
    if ('fault' in answer) throw new WalletError(answer.fault);
    if ('problem' in answer) throw problem(answer.problem);
    return answer.result;
  };
}
