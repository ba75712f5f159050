import { FULL_REWARD_ZONE } from '../../monero/cryptonote/constants.js';
import { median } from './median.js';

/** Blocks of the long-term median. Source: cryptonote_config.h, as below. */
export const LONG_TERM_WINDOW = 100_000;
/** Blocks of the short-term median. */
export const SHORT_TERM_WINDOW = 100;
/** Maximum ratio of the short-term to the long-term median. */
const SURGE_FACTOR = 50;

/** Long-term median, at least the full reward zone. */
export const effectiveLongTermMedian = (longTermMedian: number): number =>
  Math.max(FULL_REWARD_ZONE, longTermMedian);

/**
 * Weight of a block in the long-term median: within a factor of 1.7 of that median.
 * @param longTermMedian effective median of the blocks before. Source: blockchain.cpp `get_next_long_term_block_weight`.
 */
export function longTermWeight(weight: number, longTermMedian: number): number {
  const least = Math.floor((longTermMedian * 10) / 17);
  const most = longTermMedian + Math.floor((longTermMedian * 7) / 10);
  return Math.min(Math.max(weight, least), most);
}

/**
 * Median above which a block is penalised; twice this is the limit of a block.
 * @param longTermMedian effective median of all blocks. @param recent weights of the latest blocks.
 * Source: blockchain.cpp `update_next_cumulative_weight_limit`.
 */
export const penaltyMedian = (longTermMedian: number, recent: readonly number[]): number =>
  Math.min(Math.max(longTermMedian, median(recent)), SURGE_FACTOR * longTermMedian);
