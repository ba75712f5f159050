import { workerData } from 'node:worker_threads';
import { RequestActivity } from '../../util/request-activity.js';
import { answerCalls, job } from '../../util/thread-jobs.js';
import { loadKernel } from './load-kernel.js';
import { scanTask, type ScanTask } from './scan-task.js';

const kernel = loadKernel();
const activity = new RequestActivity((workerData as { readonly requests: SharedArrayBuffer }).requests);

/** Scans a batch, and wipes its secret keys. */
const JOBS = { scan: job((task: ScanTask) => scanTask(kernel, task, activity)) };

export type KernelJobs = typeof JOBS;

// A batch that fails must not end the thread, because other batches were already sent to the thread.
answerCalls<Error>(JOBS, (error) => error as Error);
