import { WorkerPool } from '../util/worker-pool.js';
import type { ScanBatch, ScanHits } from './kernel.js';
import type { ScanTask } from './scan-task.js';

/** Spreads scan batches over worker threads. */
export class KernelPool {
  readonly #workers: WorkerPool<ScanTask, readonly ScanHits[]>;

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

  /** {@link ScanKernel.scan} on a thread; `viewSecret` is copied. */
  async scan(batch: ScanBatch, viewSecret: Uint8Array): Promise<ScanHits> {
    const [hits] = await this.scanMany(batch, [viewSecret]);
    if (hits === undefined) throw new Error('a scan without hits of its view secret');
    return hits;
  }

  /** {@link ScanKernel.scanMany} on one thread; the secrets are copied. */
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
