import { parentPort, workerData } from 'node:worker_threads';
import { loadKernel } from './load-kernel.js';
import { scanTask, type ScanAnswer, type ScanTask } from './scan-task.js';
import { RequestActivity } from '../../util/request-activity.js';

const port = parentPort;
if (port === null) throw new Error('kernel-worker runs as a worker thread only');
const kernel = loadKernel();
const activity = new RequestActivity((workerData as { readonly requests: SharedArrayBuffer }).requests);

/**
 * Scans the batch of a message. An error becomes the answer: it must not end the thread, and with it other batches that
 * were sent ahead.
 */
function answer(task: ScanTask): ScanAnswer {
  try {
    return { hits: scanTask(kernel, task, activity) };
  } catch (error) {
    return { error: error as Error };
  }
}

port.on('message', (task: ScanTask) => port.postMessage(answer(task)));
