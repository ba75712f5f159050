import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** So much below what answers requests; well above what is to run only when nothing else does. */
const BELOW = 10;

/** The lowest that there is. */
const LOWEST = 19;

/**
 * Has this thread run after others where all want the processor: work that nobody waits for by the millisecond.
 * Where threads have no priorities of their own, nothing changes.
 */
export function runInBackground(): void {
  try {
    // Linux counts a thread as a process of its own here.
    setPriority(
      Number(basename(readlinkSync('/proc/thread-self'))),
      Math.min(LOWEST, getPriority(process.pid) + BELOW),
    );
  } catch {
    // No such link, or not allowed.
  }
}
