import { readFileSync } from 'node:fs';
import type { RunningProcess } from '../test/support/process.js';

/** Resource usage of a process. */
export interface Usage {
  /** User and system time [s]. */
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  readonly residentMiB: number;
  /** Part of the resident memory that holds pages of files, such as the program of Node.js; other processes share it. */
  readonly fileMiB: number;
}

/** Process id of a running server. */
export const pidOf = ({ process: { child } }: { readonly process: RunningProcess }): number => child.pid ?? 0;

/** Reads the user and system time of a process or thread from its `stat` file [s]. */
function cpuSecondsIn(stat: string): number {
  const fields = readFileSync(stat, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** User and system time of the main thread of a process [s]. Linux only. */
export const mainThreadSeconds = (pid: number): number => cpuSecondsIn(`/proc/${pid}/task/${pid}/stat`);

/** Reads the usage of a process. Linux only. */
export function usage(pid: number): Usage {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? '0') / 1024;
  return {
    cpuSeconds: cpuSecondsIn(`/proc/${pid}/stat`),
    peakMiB: mebibytes('VmHWM'),
    residentMiB: mebibytes('VmRSS'),
    fileMiB: mebibytes('RssFile'),
  };
}
