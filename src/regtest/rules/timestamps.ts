import { DIFFICULTY_TARGET_SECONDS } from '../../cryptonote/constants.js';
import { median } from './median.js';

/** Blocks whose median a new block may not lie before. Source: cryptonote_config.h, as below. */
export const TIMESTAMP_WINDOW = 60;
/** Seconds that a block may lie ahead of the clock. */
export const FUTURE_LIMIT = 2 * 60 * 60;

/**
 * Earliest timestamp of the next block.
 * @param latest timestamps of the latest blocks, 60 of them; with fewer nothing is asked.
 * Source: blockchain.cpp `check_block_timestamp`.
 */
export const earliestTimestamp = (latest: readonly number[]): number =>
  latest.length < TIMESTAMP_WINDOW ? 0 : median(latest);

/**
 * The time that locks are held against: what the chain says, so that all nodes agree.
 * @param latest timestamps of the latest 60 blocks, oldest first. @param now seconds, where the chain is shorter.
 * Source: blockchain.cpp `get_adjusted_time`.
 */
export function adjustedTime(latest: readonly number[], now: number): number {
  const last = latest.at(-1);
  if (latest.length < TIMESTAMP_WINDOW || last === undefined) return now;
  const projected = median(latest) + ((TIMESTAMP_WINDOW + 1) * DIFFICULTY_TARGET_SECONDS) / 2;
  return Math.min(last + DIFFICULTY_TARGET_SECONDS, projected);
}
