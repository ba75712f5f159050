import { parentPort } from 'node:worker_threads';
import type { ScanBatch } from './kernel.js';
import { loadKernel } from './load-kernel.js';

/** What the pool asks of a worker thread. */
export interface KernelTask {
  readonly batch: ScanBatch;
  readonly viewSecret: Uint8Array;
}

const port = parentPort;
if (port === null) throw new Error('kernel-worker runs as a worker thread only');
const kernel = loadKernel();
port.on('message', ({ batch, viewSecret }: KernelTask) => {
  const hits = kernel.scan(batch, viewSecret);
  viewSecret.fill(0);
  port.postMessage(hits);
});
