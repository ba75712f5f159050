import { DECIMAL_PLACES, FULL_REWARD_ZONE } from '../../monero/cryptonote/constants.js';

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
