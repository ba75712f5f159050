import type { ScanBatch, ScanHits, ScanKernel } from './kernel.js';

/** A scan for a worker thread. */
export interface ScanTask {
  readonly batch: ScanBatch;
  /** The thread's own copy. */
  readonly viewSecret: Uint8Array;
}

/** Scans a batch, and wipes the view secret whether or not that succeeds. */
export function scanTask(kernel: Pick<ScanKernel, 'scan'>, { batch, viewSecret }: ScanTask): ScanHits {
  try {
    return kernel.scan(batch, viewSecret);
  } finally {
    viewSecret.fill(0);
  }
}
