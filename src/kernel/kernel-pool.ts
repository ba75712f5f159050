import { RequestActivity } from '../util/request-activity.js';
import { WorkerPool } from '../util/worker-pool.js';
import { hitsAt, type ScanBatch, type ScanHits } from './kernel.js';
import type { ScanTask } from './scan-task.js';

/** Time before an idle thread ends [s]. It holds 11 MiB. */
const IDLE_SECONDS = 5;

/** Scans batches on worker threads. */
export class KernelPool {
  readonly #workers: WorkerPool<ScanTask, readonly ScanHits[]>;

  /** @param threads most threads that run at once. @param activity requests, to which the threads give way. */
  constructor(threads: number, activity = new RequestActivity()) {
    const script = new URL('./kernel-worker.js', import.meta.url);
    this.#workers = new WorkerPool(script, threads, IDLE_SECONDS, { requests: activity.shared });
  }

  get threads(): number {
    return this.#workers.size;
  }

  /** Starts the threads before their first batch. */
  start(): void {
    this.#workers.start();
  }

  /** Runs {@link ScanKernel.scan} on a thread. @param viewSecret is copied; the thread wipes the copy. */
  async scan(batch: ScanBatch, viewSecret: Uint8Array): Promise<ScanHits> {
    return hitsAt(await this.scanMany(batch, [viewSecret]), 0);
  }

  /** Runs {@link ScanKernel.scanMany} on one thread. @param viewSecrets are copied; the thread wipes the copies. */
  scanMany(batch: ScanBatch, viewSecrets: readonly Uint8Array[]): Promise<readonly ScanHits[]> {
    const copies = viewSecrets.map((viewSecret) => Uint8Array.from(viewSecret));
    return this.#workers.run(
      { batch, viewSecrets: copies },
      copies.map(({ buffer }) => buffer),
    );
  }

  close(): Promise<void> {
    return this.#workers.close();
  }
}
