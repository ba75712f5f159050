import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Resource limits that tests lower to make file operations fail. Source: getrlimit(2). */
export type Limit = 'fsize' | 'nofile';

const NAMES: Readonly<Record<Limit, RegExp>> = {
  fsize: /^Max file size +(\S+)/m,
  nofile: /^Max open files +(\S+)/m,
};

/** Sets the soft limit of a running process. @returns a function that restores it. */
export function lowerLimit(pid: number, limit: Limit, value: number): () => void {
  const before = NAMES[limit].exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1] ?? 'unlimited';
  const set = (soft: string): unknown => execFileSync('prlimit', ['--pid', `${pid}`, `--${limit}=${soft}:`]);
  set(`${value}`);
  return () => void set(before);
}

/** Limit of open files that leaves a process a number of spare descriptors. */
export function limitWithSpare(pid: number, spare: number): number {
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let limit = 0;
  for (let free = 0; free < spare || open.has(limit); limit++) if (!open.has(limit)) free += 1;
  return limit;
}
