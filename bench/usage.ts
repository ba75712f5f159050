import { readFileSync } from 'node:fs';

/** Resource usage of a process. */
export interface Usage {
  /** User and system time [s]. */
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  readonly residentMiB: number;
}

/** Reads the usage of a process. Linux only. */
export function usage(pid: number): Usage {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? '0') / 1024;
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
    peakMiB: mebibytes('VmHWM'),
    residentMiB: mebibytes('VmRSS'),
  };
}
