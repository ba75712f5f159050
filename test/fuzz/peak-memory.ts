import { readFileSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Resets the peak of the process. Source: proc_pid_clear_refs(5). */
const RESET_PEAK = '5';

const KIB = 1024;

/** Returns a field of the memory of this process [bytes]. */
function memoryOf(field: 'VmHWM' | 'VmRSS'): number {
  const [, kib] =
    new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kib) * KIB;
}

let collect: (() => void) | undefined;

/** Frees the memory of objects that nothing uses. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  collect ??= runInNewContext('gc') as () => void;
  collect();
  // Another thread frees what was collected. The next collection waits for its end.
  collect();
}

/** Measures the greatest memory of this process from a moment on. */
export class PeakMemory {
  #before = 0;

  constructor() {
    this.reset();
  }

  reset(): void {
    writeFileSync('/proc/self/clear_refs', RESET_PEAK);
    this.#before = memoryOf('VmRSS');
  }

  /** Greatest growth of the process since the last reset, with objects that nothing uses any more [bytes]. */
  grown(): number {
    return Math.max(0, memoryOf('VmHWM') - this.#before);
  }
}
