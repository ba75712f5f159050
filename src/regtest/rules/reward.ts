import {
  COINBASE_RESERVED_SIZE,
  DIFFICULTY_TARGET_SECONDS,
  FULL_REWARD_ZONE,
} from '../../cryptonote/constants.js';
import { amount, U64_MAX, type Amount } from '../../util/amount.js';

/** Atomic units that the curve leads to; what comes after is the tail. Source: cryptonote_config.h, as below. */
export const MONEY_SUPPLY = U64_MAX;
const MINUTES = DIFFICULTY_TARGET_SECONDS / 60;
const EMISSION_SHIFT = BigInt(20 - (MINUTES - 1));
const TAIL_REWARD = 300_000_000_000n * BigInt(MINUTES);

/**
 * What a block may newly make. A block above the median loses (weight/median - 1)² of it.
 * @param medianWeight below the full reward zone counts as that zone.
 * @param generated atomic units made so far.
 * @returns undefined for a block of more than twice the median.
 * Source: cryptonote_basic_impl.cpp `get_block_reward`.
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

/** Atomic units made including a block; never above the supply, so that the tail stays the tail. */
export const generatedAfter = (generated: bigint, reward: bigint): bigint =>
  reward < MONEY_SUPPLY - generated ? generated + reward : MONEY_SUPPLY;

/** Heaviest load of transactions that a template takes. Source: tx_pool.cpp `fill_block_template`. */
export const maxTemplateWeight = (medianWeight: number): number =>
  2 * Math.max(medianWeight, FULL_REWARD_ZONE) - COINBASE_RESERVED_SIZE;
