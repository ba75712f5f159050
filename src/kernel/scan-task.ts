import type { ScanBatch, ScanHits, ScanKernel } from './kernel.js';

/** A scan for a worker thread. */
export interface ScanTask {
  readonly batch: ScanBatch;
  /** Copies that belong to the thread. */
  readonly viewSecrets: readonly Uint8Array[];
}

/** Scans a batch with every view secret, and wipes the secrets whether or not that succeeds. */
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
