import { DIFFICULTY_TARGET_SECONDS } from '../../monero/cryptonote/constants.js';
import { median } from './median.js';

/**
 * Number of latest blocks whose median timestamp is the lower limit for a new block. Source: cryptonote_config.h, as
 * for the constant below.
 */
export const TIMESTAMP_WINDOW = 60;
/** Largest time by which the timestamp of a block may be ahead of the clock [s]. */
export const FUTURE_LIMIT = 2 * 60 * 60;

/**
 * Returns the earliest timestamp of the next block [Unix s].
 * @param latest timestamps of the latest 60 blocks; with fewer there is no limit. Source: blockchain.cpp
 * `check_block_timestamp`.
 */
export const earliestTimestamp = (latest: readonly number[]): number =>
  latest.length < TIMESTAMP_WINDOW ? 0 : median(latest);

/**
 * Returns the time with which unlock times are compared [Unix s]. It is derived from the chain, so that all nodes
 * agree.
 * @param latest timestamps of the latest 60 blocks, oldest first.
 * @param now clock [Unix s], used for a shorter chain. Source: blockchain.cpp `get_adjusted_time`.
 */
export function adjustedTime(latest: readonly number[], now: number): number {
  const last = latest.at(-1);
  if (latest.length < TIMESTAMP_WINDOW || last === undefined) return now;
  const projected = median(latest) + ((TIMESTAMP_WINDOW + 1) * DIFFICULTY_TARGET_SECONDS) / 2;
  return Math.min(last + DIFFICULTY_TARGET_SECONDS, projected);
}
