import type { ScanBatch, ScanHits, ScanKernel } from './kernel.js';

/** Message to a worker thread: a batch to scan. */
export interface ScanTask {
  readonly batch: ScanBatch;
  /** Copies that the thread wipes. */
  readonly viewSecrets: readonly Uint8Array[];
}

/** Scans a batch with all view secrets, then wipes the secrets, also when the scan throws. */
export function scanTask(
  kernel: Pick<ScanKernel, 'scanMany'>,
  { batch, viewSecrets }: ScanTask,
): readonly ScanHits[] {
  try {
    return kernel.scanMany(batch, viewSecrets);
  } finally {
    for (const viewSecret of viewSecrets) viewSecret.fill(0);
  }
}
