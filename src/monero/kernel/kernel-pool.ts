import { RequestActivity } from '../../util/request-activity.js';
import { ThreadClient } from '../../util/thread-client.js';
import { hitsAt, type ScanBatch, type ScanHits, type ScanKernel, type ScanKeys } from './kernel.js';
import type { KernelJobs } from './kernel-worker.js';
import { copyOf, scanTaskInTurns, secretsOf } from './scan-task.js';

/** Time after which an idle thread ends [s]. A thread occupies 11 MiB. */
const IDLE_SECONDS = 5;

/**
 * Number of waiting batches that are sent to a thread, so that the thread need not wait for the calling thread between
 * two batches.
 */
const BATCHES_EACH = 2;

/** Number of waiting batches that are not sent ahead: the calling thread scans one itself while the threads scan. */
const LEFT_WAITING = 1;

/** Scans batches of outputs on worker threads. */
export class KernelPool {
  readonly #workers: ThreadClient<KernelJobs, Error>;
  readonly #activity: RequestActivity;

  /**
   * @param threads largest number of threads that run at once.
   * @param activity request activity of the process; the threads pause while clients send requests.
   */
  constructor(threads: number, activity = new RequestActivity()) {
    this.#activity = activity;
    const script = new URL('./kernel-worker.js', import.meta.url);
    this.#workers = new ThreadClient(script, {
      threads,
      idleSeconds: IDLE_SECONDS,
      data: { requests: activity.shared },
      toError: (error) => error,
    });
  }

  get threads(): number {
    return this.#workers.size;
  }

  /**
   * Runs {@link ScanKernel.scan} on a thread.
   * @param keys secret keys; copies are sent to the thread, which wipes them.
   */
  async scan(batch: ScanBatch, keys: ScanKeys): Promise<ScanHits> {
    return hitsAt(await this.scanMany(batch, [keys]), 0);
  }

  /**
   * Runs {@link ScanKernel.scanMany} on one thread.
   * @param keys secret keys; copies are sent to the thread, which wipes them.
   */
  async scanMany(batch: ScanBatch, keys: readonly ScanKeys[]): Promise<readonly ScanHits[]> {
    const copies = keys.map(copyOf);
    const sendAhead = (): void => this.#workers.sendAhead(BATCHES_EACH, LEFT_WAITING);
    const scanned = this.#workers.run('scan', { batch, keys: copies }, copies.flatMap(secretsOf));
    sendAhead();
    return scanned.finally(sendAhead);
  }

  /**
   * Scans on the calling thread the batch that has waited longest for a worker thread. Yields to the event loop in
   * between.
   * @returns false if no batch waits.
   */
  async scanWaiting(kernel: Pick<ScanKernel, 'scanMany'>): Promise<boolean> {
    const waiting = this.#workers.takeWaiting();
    if (waiting === undefined) return false;
    await scanTaskInTurns(kernel, waiting.input, this.#activity).then(waiting.resolve, waiting.reject);
    return true;
  }

  /**
   * Sends waiting batches ahead to each busy thread, because the calling thread will be busy itself.
   * @param batches largest number of batches per thread.
   */
  sendAhead(batches: number): void {
    this.#workers.sendAhead(batches);
  }

  close(): Promise<void> {
    return this.#workers.close();
  }
}
