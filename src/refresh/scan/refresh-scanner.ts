import { TABLE_SCALARS, type ScanBatch, type ScanHits, type ScanKernel } from '../../monero/kernel/kernel.js';
import type { KernelPool } from '../../monero/kernel/kernel-pool.js';
import type { BatchScanner } from './match-group.js';

/**
 * Largest amount of work in a batch that the calling thread scans in one go, about 4 ms. A unit of work is the product
 * of a transaction key and a view key, 6 µs; to test an output with one key and one view key takes at most as long.
 */
const MOST_WORK = 640;

/**
 * Returns the number of threads in the pool of a {@link RefreshScanner}; the calling thread is the remaining one of
 * `threads`.
 */
export const poolThreads = (threads: number): number => Math.max(1, threads - 1);

/**
 * Scans batches on the threads of a pool and on the calling thread, which would only wait for them otherwise. One
 * scanning thread less saves 7 MiB. A small batch, such as that of a new block or of the mempool, is always scanned on
 * the calling thread: otherwise each new block would start threads of the pool, which end when idle, for a millisecond
 * of work.
 */
export class RefreshScanner implements BatchScanner {
  readonly threads: number;
  readonly #pool: Pick<KernelPool, 'scanMany' | 'scanWaiting'>;
  readonly #own: Pick<ScanKernel, 'scanMany'>;
  readonly #assists: boolean;
  #isAssisting = false;

  /** @param threads number of threads that scan at once, ≥ 1; the pool has {@link poolThreads} of them. */
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
