import {
  FULL_REWARD_ZONE,
  COINBASE_RESERVED_SIZE,
  DIFFICULTY_TARGET_SECONDS,
  DECIMAL_PLACES,
} from '../../monero/cryptonote/constants.js';
import { amount, U64_MAX, type Amount } from '../../util/amount.js';
import { median, middleValue } from '../../util/median.js';

/** A multiset of integers whose median is computed fast if it has few distinct values with many copies each. */
export class MedianBag {
  readonly #counts = new Map<number, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(value: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    this.#size += 1;
  }

  /** Removes one copy of a value. @throws RangeError if the value is not in the bag. */
  remove(value: number): void {
    const count = this.#counts.get(value);
    if (count === undefined) throw new RangeError('the value is not in the bag');
    if (count === 1) this.#counts.delete(value);
    else this.#counts.set(value, count - 1);
    this.#size -= 1;
  }

  /** Returns the median of the values and of additional zeros. @param zeros number of additional zeros. */
  median(zeros = 0): number {
    const ascending = [...this.#counts].sort(([a], [b]) => a - b);
    return middleValue(this.#size + zeros, (rank) => {
      let passed = zeros;
      if (rank < passed) return 0;
      for (const [value, count] of ascending) {
        passed += count;
        if (rank < passed) return value;
      }
      return 0;
    });
  }
}

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
 * Returns the weight with which a block counts in the long-term median; the weight is limited to a factor of 1.7 above
 * and below this median.
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

/**
 * Amount at which the main emission ends and the tail emission begins [atomic units]. Source: cryptonote_config.h, as
 * for the constants below.
 */
export const MONEY_SUPPLY = U64_MAX;
const MINUTES = DIFFICULTY_TARGET_SECONDS / 60;
const EMISSION_SHIFT = BigInt(20 - (MINUTES - 1));
const TAIL_REWARD = 300_000_000_000n * BigInt(MINUTES);

/**
 * Computes the emission of a block [atomic units]. A block above the median loses the fraction (weight/median − 1)².
 * @param medianWeight median of the weights of recent blocks; a value below the full reward zone counts as the full
 * reward zone.
 * @param generated emission before the block [atomic units].
 * @returns undefined for a block of more than twice the median. Source: cryptonote_basic_impl.cpp `get_block_reward`.
 */
export function blockReward(medianWeight: number, weight: number, generated: bigint): Amount | undefined {
  const curve = (MONEY_SUPPLY - generated) >> EMISSION_SHIFT;
  const base = curve < TAIL_REWARD ? TAIL_REWARD : curve;
  const median = Math.max(medianWeight, FULL_REWARD_ZONE);
  if (weight <= median) return amount(base);
  if (weight > 2 * median) return undefined;
  const [m, w] = [BigInt(median), BigInt(weight)];
  return amount((base * (2n * m - w) * w) / m / m);
}

/**
 * Returns the emission after a block [atomic units], which is limited to the supply so that the tail emission
 * continues.
 */
export const generatedAfter = (generated: bigint, reward: bigint): bigint =>
  reward < MONEY_SUPPLY - generated ? generated + reward : MONEY_SUPPLY;

/** Returns the largest total weight of the payments in a template. Source: tx_pool.cpp `fill_block_template`. */
export const maxTemplateWeight = (medianWeight: number): number =>
  2 * Math.max(medianWeight, FULL_REWARD_ZONE) - COINBASE_RESERVED_SIZE;

/**
 * Transaction weight at which the fee scaling is calibrated. Source: cryptonote_config.h, as for the constants below.
 */
const REFERENCE_WEIGHT = 3000n;
const ZONE = BigInt(FULL_REWARD_ZONE);
/** Fees are multiples of this amount [atomic units]. Source: blockchain.cpp `get_fee_quantization_mask`. */
export const QUANTIZATION_MASK = 10n ** BigInt(DECIMAL_PLACES - 8);
const ROUNDING_PLACES = 2;

/** Largest number of blocks for which a fee estimate stays valid. */
export const MAX_GRACE_BLOCKS = 100;

/**
 * Returns the minimum fee per byte of weight [atomic units].
 * @param reward reward of an empty block [atomic units].
 * @param medianWeight the smaller of the penalty median and the long-term median. Source: blockchain.cpp
 * `get_dynamic_base_fee`.
 */
export function leastFeePerByte(reward: bigint, medianWeight: number): bigint {
  const median = BigInt(Math.max(medianWeight, FULL_REWARD_ZONE));
  const fee = (reward * REFERENCE_WEIGHT) / median / median;
  return fee - fee / 20n;
}

/** Returns true if a fee is at most 2 % below the minimum. Source: blockchain.cpp `check_fee`. */
export function isFeeEnough(fee: bigint, weight: number, perByte: bigint): boolean {
  const exact = BigInt(weight) * perByte;
  const needed = ((exact + QUANTIZATION_MASK - 1n) / QUANTIZATION_MASK) * QUANTIZATION_MASK;
  return fee >= needed - needed / 50n;
}

/**
 * Returns the recommended fees per byte of weight [atomic units]: slow, normal, fast, fastest. The names follow
 * ArticMine's paper of February 2021.
 * @param reward reward of an empty block [atomic units].
 * @param mnw penalty median after the grace blocks.
 * @param mlw long-term median at that time. Source: blockchain.cpp `get_dynamic_base_fee_estimate_2021_scaling`.
 */
export function feeEstimates(reward: bigint, mnw: number, mlw: number): readonly bigint[] {
  const Mnw = BigInt(mnw);
  const Mfw = BigInt(Math.min(mnw, mlw));
  const Fl = (reward * REFERENCE_WEIGHT) / (Mfw * Mfw);
  const Fn = (4n * reward * REFERENCE_WEIGHT) / (Mfw * Mfw);
  const Fm = (16n * reward * REFERENCE_WEIGHT) / (ZONE * Mfw);
  const surge = (4n * Fm * Mfw) / ((32n * REFERENCE_WEIGHT * Mnw) / ZONE);
  const Fh = surge > 4n * Fm ? surge : 4n * Fm;
  return [Fl, Fn, Fm, Fh].map((fee) => roundUp(fee, ROUNDING_PLACES));
}

/**
 * Rounds a number up to the given number of significant digits. Source: cryptonote_format_utils.cpp `round_money_up`.
 */
export function roundUp(value: bigint, digits: number): bigint {
  const unit = 10n ** BigInt(Math.max(0, value.toString().length - digits));
  return ((value + unit - 1n) / unit) * unit;
}
