import { WorkerPool } from '../../util/worker-pool.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import type { ProofAnswer, ProofJobs, ProofTask } from './proof-thread.js';

/** Pool of threads that create and verify proofs. */
export class ProofPool {
  readonly #threads = new WorkerPool<ProofTask, ProofAnswer>(
    new URL('./proof-thread.js', import.meta.url),
    2,
  );

  /**
   * Runs a job on a thread.
   * @param secrets buffers of secret keys in the input; they are moved to the thread, which wipes them.
   * @throws WalletError of the job.
   */
  async run<Job extends keyof ProofJobs>(
    job: Job,
    input: ProofTask<Job>['input'],
    secrets: readonly Uint8Array[] = [],
  ): Promise<ReturnType<ProofJobs[Job]>> {
    const task: ProofTask = { job, input, secrets };
    const answer = await this.#threads.run(
      task,
      secrets.map(({ buffer }) => buffer as ArrayBuffer),
    );
    if ('fault' in answer) throw new WalletError(answer.fault);
    if ('problem' in answer) throw new Error(`${job}: ${answer.problem}`);
    return answer.result as ReturnType<ProofJobs[Job]>;
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
