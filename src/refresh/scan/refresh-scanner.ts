import { TABLE_SCALARS, type ScanBatch, type ScanHits, type ScanKernel } from '../../monero/kernel/kernel.js';
import type { KernelPool } from '../../monero/kernel/kernel-pool.js';
import type { BatchScanner } from './match-group.js';

/**
 * Most work of a batch that is scanned on the calling thread at once, about 4 ms. A product with a view key takes 6 µs, and
 * so does a row with a view key at most.
 */
const MOST_WORK = 640;

/** Threads of the pool of a {@link RefreshScanner}: the calling thread is one of the `threads` that scan at once. */
export const poolThreads = (threads: number): number => Math.max(1, threads - 1);

/**
 * Scans batches on the threads of a pool and on the calling thread, which would wait for them otherwise: a scanning thread
 * less is 7 MiB less. Small batches, such as a new block or the mempool, are always scanned on the calling thread: each new
 * block would start threads of the pool, which end when they are idle, for a millisecond of work.
 */
export class RefreshScanner implements BatchScanner {
  readonly threads: number;
  readonly #pool: Pick<KernelPool, 'scanMany' | 'scanWaiting'>;
  readonly #own: Pick<ScanKernel, 'scanMany'>;
  readonly #assists: boolean;
  #isAssisting = false;

  /** @param threads that scan at once, ≥ 1; the pool has {@link poolThreads} of them. */
  constructor(
    pool: Pick<KernelPool, 'scanMany' | 'scanWaiting'>,
    own: Pick<ScanKernel, 'scanMany'>,
    threads: number,
  ) {
    this.#pool = pool;
    this.#own = own;
    this.threads = threads;
    this.#assists = threads > poolThreads(threads);
  }

  async scanMany(batch: ScanBatch, viewSecrets: readonly Uint8Array[]): Promise<readonly ScanHits[]> {
    if (workOf(batch, viewSecrets.length) > MOST_WORK) return this.#pool.scanMany(batch, viewSecrets);
    return this.#own.scanMany(batch, viewSecrets);
  }

  async assist(): Promise<boolean> {
    if (!this.#assists || this.#isAssisting) return false;
    this.#isAssisting = true;
    try {
      return await this.#pool.scanWaiting(this.#own);
    } finally {
      this.#isAssisting = false;
    }
  }
}

const workOf = ({ keys, outputKey }: ScanBatch, secrets: number): number =>
  (keys.length / 32) * (TABLE_SCALARS + secrets) + outputKey.length * secrets;
