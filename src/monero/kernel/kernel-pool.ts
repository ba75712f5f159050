import { RequestActivity } from '../../util/request-activity.js';
import { WorkerPool } from '../../util/worker-pool.js';
import { hitsAt, type ScanBatch, type ScanHits, type ScanKernel } from './kernel.js';
import { scanTaskInTurns, type ScanAnswer, type ScanTask } from './scan-task.js';

/** Time before an idle thread ends [s]. It holds 11 MiB. */
const IDLE_SECONDS = 5;

/** Batches of a thread, so that it need not wait for the calling one between two. */
const BATCHES_EACH = 2;

/** Scans batches on worker threads. */
export class KernelPool {
  readonly #workers: WorkerPool<ScanTask, ScanAnswer>;
  readonly #activity: RequestActivity;

  /** @param threads most threads that run at once. @param activity requests, to which the threads give way. */
  constructor(threads: number, activity = new RequestActivity()) {
    this.#activity = activity;
    const script = new URL('./kernel-worker.js', import.meta.url);
    this.#workers = new WorkerPool(script, threads, IDLE_SECONDS, { requests: activity.shared });
  }

  get threads(): number {
    return this.#workers.size;
  }

  /** Runs {@link ScanKernel.scan} on a thread. @param viewSecret is copied; the thread wipes the copy. */
  async scan(batch: ScanBatch, viewSecret: Uint8Array): Promise<ScanHits> {
    return hitsAt(await this.scanMany(batch, [viewSecret]), 0);
  }

  /** Runs {@link ScanKernel.scanMany} on one thread. @param viewSecrets are copied; the thread wipes the copies. */
  async scanMany(batch: ScanBatch, viewSecrets: readonly Uint8Array[]): Promise<readonly ScanHits[]> {
    const copies = viewSecrets.map((viewSecret) => Uint8Array.from(viewSecret));
    const scanned = this.#workers.run(
      { batch, viewSecrets: copies },
      copies.map(({ buffer }) => buffer),
    );
    this.#workers.sendAhead(BATCHES_EACH);
    const answer = await scanned;
    if ('error' in answer) throw answer.error;
    return answer.hits;
  }

  /**
   * Scans the batch that has waited longest for a thread on the calling one, which also has other work.
   * @returns false if none waits.
   */
  async scanWaiting(kernel: Pick<ScanKernel, 'scanMany'>): Promise<boolean> {
    const waiting = this.#workers.takeWaiting();
    if (waiting === undefined) return false;
    const scanned = scanTaskInTurns(kernel, waiting.input, this.#activity).then((hits) => ({ hits }));
    await scanned.then(waiting.resolve, waiting.reject);
    return true;
  }

  /** Gives each busy thread batches that wait, because the calling thread will be busy. @param batches most of a thread. */
  sendAhead(batches: number): void {
    this.#workers.sendAhead(batches);
  }

  close(): Promise<void> {
    return this.#workers.close();
  }
}
