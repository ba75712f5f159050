import { readFileSync, writeFileSync } from 'node:fs';

/** Resets the peak of the process. Source: proc_pid_clear_refs(5). */
const RESET_PEAK = '5';

const KIB = 1024;

/** Returns a field of the memory of this process [bytes]. */
function memoryOf(field: 'VmHWM' | 'VmRSS'): number {
  const [, kib] =
    new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kib) * KIB;
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
