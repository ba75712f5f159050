import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** Nice value added to the process's: below the threads that answer requests, well above idle priority. */
const NICE_STEP = 10;

/** Highest nice value, the lowest priority. */
const MAX_NICE = 19;

/**
 * Lowers the priority of this thread, for work without a tight deadline. Has no effect on platforms where threads have
 * no priority of their own.
 */
export function runInBackground(): void {
  try {
    // Linux counts a thread as a process of its own here.
    setPriority(
      Number(basename(readlinkSync('/proc/thread-self'))),
      Math.min(MAX_NICE, getPriority(process.pid) + NICE_STEP),
    );
  } catch {
    // The link does not exist, or the change is not allowed.
  }
}
