import type { TransferListItem } from 'node:worker_threads';
import { WorkerPool } from '../../util/worker-pool.js';
import { WalletError, type Fault } from '../../monero/wallet/model/wallet-error.js';

/** Task and result of each kind of work that a thread does. */
type Works<Work> = { readonly [K in keyof Work]: { readonly task: unknown; readonly result: unknown } };

/** A task for a thread, with its kind. */
export type TaskOf<Work extends Works<Work>> = {
  readonly [K in keyof Work]: { readonly kind: K; readonly task: Work[K]['task'] };
}[keyof Work];

/** Answer of a thread: a result, a `fault` for the client, or a `problem` of the input. */
export type ThreadAnswer =
  | { readonly result: unknown }
  | { readonly fault: Fault }
  | { readonly problem: string };

/** Client of two threads that run tasks of several kinds. */
export class WorkerClient<Work extends Works<Work>> {
  readonly #threads: WorkerPool<TaskOf<Work>, ThreadAnswer>;
  readonly #problem: (text: string) => Error;

  /** @param problem creates the error for input that a thread cannot use. */
  constructor(script: URL, problem: (text: string) => Error) {
    this.#threads = new WorkerPool(script, 2);
    this.#problem = problem;
  }

  /**
   * Runs one task on a thread.
   * @param secrets buffers in the task; they are moved to the thread, which wipes them.
   * @throws WalletError for a fault; the error of `problem` for unusable input.
   */
  async run<K extends keyof Work>(
    kind: K,
    task: Work[K]['task'],
    secrets: readonly Uint8Array[] = [],
  ): Promise<Work[K]['result']> {
    const transfer: TransferListItem[] = secrets.map(({ buffer }) => buffer as ArrayBuffer);
    const answer = await this.#threads.run({ kind, task }, transfer);
    if ('fault' in answer) throw new WalletError(answer.fault);
    if ('problem' in answer) throw this.#problem(answer.problem);
    return answer.result;
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
