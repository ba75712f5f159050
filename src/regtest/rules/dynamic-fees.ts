import { DECIMAL_PLACES, FULL_REWARD_ZONE } from '../../monero/cryptonote/constants.js';

/** Transaction weight for which the scaling is calibrated. Source: cryptonote_config.h, as below. */
const REFERENCE_WEIGHT = 3000n;
const ZONE = BigInt(FULL_REWARD_ZONE);
/** Fees are multiples of this. Source: blockchain.cpp `get_fee_quantization_mask`. */
export const QUANTIZATION_MASK = 10n ** BigInt(DECIMAL_PLACES - 8);
const ROUNDING_PLACES = 2;

/** Maximum number of blocks for which an estimate stays valid. */
export const MAX_GRACE_BLOCKS = 100;

/**
 * Minimum fee per byte of weight.
 * @param reward of an empty block. @param medianWeight the smaller of the penalty and the long-term median.
 * Source: blockchain.cpp `get_dynamic_base_fee`.
 */
export function leastFeePerByte(reward: bigint, medianWeight: number): bigint {
  const median = BigInt(Math.max(medianWeight, FULL_REWARD_ZONE));
  const fee = (reward * REFERENCE_WEIGHT) / median / median;
  return fee - fee / 20n;
}

/** True when a fee is at most 2 % below the minimum. Source: blockchain.cpp `check_fee`. */
export function isFeeEnough(fee: bigint, weight: number, perByte: bigint): boolean {
  const exact = BigInt(weight) * perByte;
  const needed = ((exact + QUANTIZATION_MASK - 1n) / QUANTIZATION_MASK) * QUANTIZATION_MASK;
  return fee >= needed - needed / 50n;
}

/**
 * Recommended fees per byte: slow, normal, fast, fastest; in the notation of ArticMine's paper of February 2021.
 * @param mnw penalty median some blocks from now. @param mlw long-term median then.
 * Source: blockchain.cpp `get_dynamic_base_fee_estimate_2021_scaling`.
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

/** Rounds up to a number of significant digits. Source: cryptonote_format_utils.cpp `round_money_up`. */
export function roundUp(value: bigint, digits: number): bigint {
  const unit = 10n ** BigInt(Math.max(0, value.toString().length - digits));
  return ((value + unit - 1n) / unit) * unit;
}
