import { readFileSync, writeFileSync } from 'node:fs';

/** Kinds of memory that a core dump of this process includes, as a hex bit mask. Source: core(5). */
const FILTER = '/proc/self/coredump_filter';

/** Soft limit of the size of core dumps. Source: getrlimit(2), proc(5). */
const LIMIT = /^Max core file size +(\S+)/m;

/**
 * Excludes all memory from core dumps of this process, because they would contain the keys of open wallets. Node.js
 * cannot lower the size limit of core dumps; `bin/wallet-rpc` does. The filter also applies where a program collects
 * dumps whatever the limit is. Linux only.
 * @returns false when core dumps are on and would contain keys.
 */
export function keepKeysFromCoreDumps(): boolean {
  try {
    writeFileSync(FILTER, '0');
    if (Number.parseInt(readFileSync(FILTER, 'utf8'), 16) === 0) return true;
  } catch {
    // No such file, or a read-only /proc: the limit decides.
  }
  try {
    return LIMIT.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] === '0';
  } catch {
    // Not Linux: the limit is unknown.
    return true;
  }
}
