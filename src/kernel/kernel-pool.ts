import { WorkerPool } from '../util/worker-pool.js';
import type { ScanBatch, ScanHits } from './kernel.js';
import type { ScanTask } from './scan-task.js';

/** Spreads scan batches over worker threads. */
export class KernelPool {
  readonly #workers: WorkerPool<ScanTask, ScanHits>;

  /** @param threads at most that many run at once. */
  constructor(threads: number) {
    this.#workers = new WorkerPool(new URL('./kernel-worker.js', import.meta.url), threads);
  }

  get threads(): number {
    return this.#workers.size;
  }

  /** Starts the threads ahead of their first batch. */
  start(): void {
    this.#workers.start();
  }

  /** {@link ScanKernel.scan} on a thread; `viewSecret` stays the caller's. */
  scan(batch: ScanBatch, viewSecret: Uint8Array): Promise<ScanHits> {
    const handed = Uint8Array.from(viewSecret);
    return this.#workers.run({ batch, viewSecret: handed }, [handed.buffer]);
  }

  /** {@link scan} of one batch with several view keys. @returns the hits of each key, in the order of the keys. */
  scanMany(batch: ScanBatch, viewSecrets: readonly Uint8Array[]): Promise<readonly ScanHits[]> {
    return Promise.all(viewSecrets.map((viewSecret) => this.scan(batch, viewSecret)));
  }

  close(): Promise<void> {
    return this.#workers.close();
  }
}
