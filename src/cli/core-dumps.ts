import { readFileSync, writeFileSync } from 'node:fs';

/** Kinds of memory that a core dump of this process holds, as bits in hex. Source: core(5). */
const FILTER = '/proc/self/coredump_filter';

/** Soft limit of the size of core dumps. Source: getrlimit(2), proc(5). */
const LIMIT = /^Max core file size +(\S+)/m;

/**
 * Leaves all memory out of core dumps of this process, as they would hold the keys of open wallets. Node.js cannot
 * lower the limit of their size, which `bin/wallet-rpc` does; the filter also counts where a program collects dumps
 * whatever the limit is. Linux alone.
 * @returns false where dumps are on and would hold keys.
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
    // Not Linux: nothing is known.
    return true;
  }
}
