import { parentPort } from 'node:worker_threads';
import { fastestKernel } from './fastest.js';
import type { ScanBatch } from './kernel.js';
import { runInBackground } from '../util/thread-priority.js';

/** What the pool asks of a worker thread. */
export interface KernelTask {
  readonly batch: ScanBatch;
  readonly viewSecret: Uint8Array;
}

const port = parentPort;
if (port === null) throw new Error('kernel-worker runs as a worker thread only');
runInBackground();
// Loading the plain kernel takes longer than all the rest, so threads do it only where they need it.
const kernel = fastestKernel() ?? (await import('./reference-kernel.js')).referenceKernel;
port.on('message', ({ batch, viewSecret }: KernelTask) => {
  const hits = kernel.scan(batch, viewSecret);
  viewSecret.fill(0);
  port.postMessage(hits);
});
