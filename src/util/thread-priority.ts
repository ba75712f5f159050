import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** Nice value added to the process's: below the threads that answer requests, well above idle priority. */
const NICE_STEP = 10;

/** Highest nice value, the lowest priority. */
const MAX_NICE = 19;

/** Directory with one entry for each thread of this process, on Linux. */
const THREADS = '/proc/self/task';

/**
 * Name of V8's threads, which compile and collect garbage for all others: `V8Worker` in Node.js 24, `node-V8Worker` in 26.
 * Earlier versions do not set it.
 */
const ENGINE_THREAD = /^(?:node-)?V8Worker$/;

/** Lowers the priority of a thread of this process. @param id Linux counts a thread as a process of its own here. */
function lower(id: number): void {
  setPriority(id, Math.min(MAX_NICE, getPriority(process.pid) + NICE_STEP));
}

/** Runs a change of priorities. It has no effect on platforms without priorities of threads, or where it is not allowed. */
function ifPossible(change: () => void): void {
  try {
    change();
  } catch {
    // The directory of threads does not exist, or the change is not allowed.
  }
}

/** Lowers the priority of this thread, for work without a tight deadline. */
export function runInBackground(): void {
  ifPossible(() => lower(Number(basename(readlinkSync('/proc/thread-self')))));
}

/** Lowers the priority of V8's own threads. They are there from the start of the process. */
export function runEngineInBackground(): void {
  ifPossible(() => {
    for (const id of readdirSync(THREADS))
      if (ENGINE_THREAD.test(readFileSync(`${THREADS}/${id}/comm`, 'utf8').trim())) lower(Number(id));
  });
}
