import { TABLE_SCALARS, type ScanBatch, type ScanHits, type ScanKernel } from '../kernel/kernel.js';
import type { BatchScanner } from './match-group.js';

/**
 * Most work of a batch that is scanned on the calling thread, about 4 ms. A product with a view key takes 6 µs, and so does
 * a row with a view key at most.
 */
const MOST_WORK = 640;

/**
 * Scans small batches, such as a new block or the mempool, on the calling thread, and others on the pool. Without it
 * every new block would start threads of the pool, which end when they are idle, for a millisecond of work.
 */
export class SmallBatchScanner implements BatchScanner {
  readonly #pool: BatchScanner;
  readonly #own: Pick<ScanKernel, 'scanMany'>;

  constructor(pool: BatchScanner, own: Pick<ScanKernel, 'scanMany'>) {
    this.#pool = pool;
    this.#own = own;
  }

  get threads(): number {
    return this.#pool.threads;
  }

  async scanMany(batch: ScanBatch, viewSecrets: readonly Uint8Array[]): Promise<readonly ScanHits[]> {
    if (workOf(batch, viewSecrets.length) > MOST_WORK) return this.#pool.scanMany(batch, viewSecrets);
    return this.#own.scanMany(batch, viewSecrets);
  }
}

const workOf = ({ keys, outputKey }: ScanBatch, secrets: number): number =>
  (keys.length / 32) * (TABLE_SCALARS + secrets) + outputKey.length * secrets;
