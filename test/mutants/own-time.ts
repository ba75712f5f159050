import { readFileSync } from 'node:fs';

const NS_PER_MS = 1_000_000;
const TICK_MS = 1000;

/** Returns the time that the main thread of a process was ready, and other programs had the processors [ms]. */
function queuedMs(pid: number | 'self'): number {
  try {
    const [, queuedNs] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ');
    return Number(queuedNs) / NS_PER_MS;
  } catch {
    // Not Linux, or the process has ended.
    return 0;
  }
}

/** Clock of a process that stands while other programs have its processor. Source: proc_pid_schedstat(5). */
export function ownMs(pid: number | 'self' = 'self'): number {
  // Another program may get the processor between the two clocks: then they are read again.
  for (let queued = queuedMs(pid); ;) {
    const now = performance.now();
    const after = queuedMs(pid);
    if (after === queued) return now - queued;
    queued = after;
  }
}

/**
 * Calls back once a process had a processor, or asked for none, for a time. Unlike a timer it does not depend on what else
 * the machine does; of a time in which this process was stopped it counts two seconds.
 * @returns timer; `clearTimeout` ends it.
 */
export function afterOwnTime(
  callback: () => void,
  ms: number,
  pid: number | 'self' = 'self',
): NodeJS.Timeout {
  let left = ms;
  let last = ownMs(pid);
  // Timer: a test under a mutant may run for ever.
  const timer = setInterval(
    () => {
      const now = ownMs(pid);
      left -= Math.min(now - last, 2 * TICK_MS);
      last = now;
      if (left > 0) return;
      clearInterval(timer);
      callback();
    },
    Math.min(ms, TICK_MS),
  );
  return timer;
}
