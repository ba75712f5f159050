import { FULL_REWARD_ZONE } from '../../monero/cryptonote/constants.js';
import { median } from './median.js';

/** Number of blocks in the window of the long-term median. Source: cryptonote_config.h, as for the constants below. */
export const LONG_TERM_WINDOW = 100_000;
/** Number of blocks in the window of the short-term median. */
export const SHORT_TERM_WINDOW = 100;
/** Largest ratio of the short-term median to the long-term median. */
const SURGE_FACTOR = 50;

/** Returns the effective long-term median: at least the full reward zone. */
export const effectiveLongTermMedian = (longTermMedian: number): number =>
  Math.max(FULL_REWARD_ZONE, longTermMedian);

/**
 * Returns the weight with which a block counts in the long-term median; it is limited to a factor of 1.7 above and
 * below that median.
 * @param longTermMedian effective long-term median of the blocks before. Source: blockchain.cpp
 * `get_next_long_term_block_weight`.
 */
export function longTermWeight(weight: number, longTermMedian: number): number {
  const least = Math.floor((longTermMedian * 10) / 17);
  const most = longTermMedian + Math.floor((longTermMedian * 7) / 10);
  return Math.min(Math.max(weight, least), most);
}

/**
 * Returns the weight above which a block's reward decreases; twice this weight is the limit of a block.
 * @param longTermMedian effective long-term median of all blocks.
 * @param recent weights of the latest blocks. Source: blockchain.cpp `update_next_cumulative_weight_limit`.
 */
export const penaltyMedian = (longTermMedian: number, recent: readonly number[]): number =>
  Math.min(Math.max(longTermMedian, median(recent)), SURGE_FACTOR * longTermMedian);
