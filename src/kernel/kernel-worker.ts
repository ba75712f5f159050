import { parentPort } from 'node:worker_threads';
import { fastestKernel } from './fastest.js';
import { scanTask, type ScanTask } from './scan-task.js';
import { runInBackground } from '../util/thread-priority.js';

const port = parentPort;
if (port === null) throw new Error('kernel-worker runs as a worker thread only');
runInBackground();
// Threads load the plain kernel only where no other one works: it takes longer to load than all other modules.
const kernel = fastestKernel() ?? (await import('./reference-kernel.js')).referenceKernel;
port.on('message', (task: ScanTask) => port.postMessage(scanTask(kernel, task)));
