import type { ScheduledFork } from '../daemon/daemon.js';
import { NEWEST_FORK } from '../monero/cryptonote/constants.js';

/** A hard fork whose rules are not final, as the daemon schedules it. */
export interface ComingFork {
  /** Version of its blocks. */
  readonly version: number;
  /** Height of its first block. */
  readonly height: number;
  /** Number of blocks before its first block; 0 if the next block is this one, negative after it. */
  readonly blocks: number;
}

/** Largest number of forks that are returned. */
const MAX_FORKS = 8;

/**
 * Returns the hard forks after the newest one whose rules are final, by ascending version, each with the first height that the
 * daemon names. @param height number of blocks of the daemon.
 */
export function comingForks(forks: readonly ScheduledFork[], height: number): readonly ComingFork[] {
  const found = new Map<number, ComingFork>();
  for (const { version, height: first } of forks)
    if (version > NEWEST_FORK && !found.has(version))
      found.set(version, { version, height: first, blocks: first - height });
  return [...found.values()].sort((a, b) => a.version - b.version).slice(0, MAX_FORKS);
}
