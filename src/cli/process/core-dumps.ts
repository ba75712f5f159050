import { readFileSync, writeFileSync } from 'node:fs';

/** File with the kinds of memory that a core dump of this process includes, as a bit mask in hex. Source: core(5). */
const FILTER = '/proc/self/coredump_filter';

/** Matches the soft limit for the size of core dumps. Source: getrlimit(2), proc(5). */
const LIMIT = /^Max core file size +(\S+)/m;

/**
 * Excludes all memory from core dumps of this process, since the memory contains the keys of open wallets. Node.js
 * cannot lower the size limit of core dumps; `bin/wallet-rpc` does. The mask also has an effect where a program
 * collects dumps independently of the limit. Linux only.
 * @returns false if core dumps are enabled and would contain keys.
 */
export function keepKeysFromCoreDumps(): boolean {
  try {
    writeFileSync(FILTER, '0');
    if (Number.parseInt(readFileSync(FILTER, 'utf8'), 16) === 0) return true;
  } catch {
    // The file does not exist, or /proc is read-only: the size limit decides.
  }
  try {
    return LIMIT.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] === '0';
  } catch {
    // The limit is unknown: the system is not Linux.
    return true;
  }
}
