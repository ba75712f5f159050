import { readFileSync } from 'node:fs';
import type { RunningProcess } from '../test/support/processes/process.js';

/** Time between two samples of {@link MemoryWatch} [ms]. */
const SAMPLE_MS = 10;

/** Process id of a running server. */
export const pidOf = ({ process: { child } }: { readonly process: RunningProcess }): number => child.pid ?? 0;

/** Reads the user and system time of a process or thread from its `stat` file [s]. */
function cpuSecondsIn(stat: string): number {
  const fields = readFileSync(stat, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** User and system time of a process [s]. Linux only. */
export const cpuSeconds = (pid: number): number => cpuSecondsIn(`/proc/${pid}/stat`);

/** User and system time of the main thread of a process [s]. Linux only. */
export const mainThreadSeconds = (pid: number): number => cpuSecondsIn(`/proc/${pid}/task/${pid}/stat`);

/** Reads a size from a file of a process, which gives it in kB [MiB]. */
function mebibytesIn(file: string, name: string): number {
  const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(file, 'utf8')) ?? [];
  return Number(kilobytes ?? '0') / 1024;
}

/**
 * Memory that a process alone holds [MiB]. Unchanged pages of files, such as those of its program, are not in it: other
 * processes share them, and the system frees them when it needs memory. Linux only. Source: proc_pid_smaps(5).
 */
export const memoryMiB = (pid: number): number => mebibytesIn(`/proc/${pid}/smaps_rollup`, 'Anonymous');

/**
 * Memory that a process alone holds, as {@link memoryMiB}, by a counter that is read at once, where that takes milliseconds
 * [MiB]. Linux only. Source: proc_pid_status(5).
 */
export const countedMiB = (pid: number): number => mebibytesIn(`/proc/${pid}/status`, 'RssAnon');

/** Finds the most memory that a process alone holds while it is watched, as {@link countedMiB} counts it. Linux only. */
export class MemoryWatch {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  #peakMiB = 0;

  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS).unref();
  }

  /** Ends the watch. @returns the peak [MiB]. */
  stop(): number {
    clearInterval(this.#timer);
    this.#sample();
    return this.#peakMiB;
  }

  #sample(): void {
    try {
      this.#peakMiB = Math.max(this.#peakMiB, countedMiB(this.#pid));
    } catch {
      // The process has ended.
      clearInterval(this.#timer);
    }
  }
}
