import {
  COINBASE_RESERVED_SIZE,
  DIFFICULTY_TARGET_SECONDS,
  FULL_REWARD_ZONE,
} from '../../monero/cryptonote/constants.js';
import { amount, U64_MAX, type Amount } from '../../util/amount.js';

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
 * @param medianWeight median of the weights of recent blocks; a value below the full reward zone counts as that zone.
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

/** Returns the emission after a block [atomic units]; not above the supply, so that the tail emission continues. */
export const generatedAfter = (generated: bigint, reward: bigint): bigint =>
  reward < MONEY_SUPPLY - generated ? generated + reward : MONEY_SUPPLY;

/** Returns the largest total weight of the payments in a template. Source: tx_pool.cpp `fill_block_template`. */
export const maxTemplateWeight = (medianWeight: number): number =>
  2 * Math.max(medianWeight, FULL_REWARD_ZONE) - COINBASE_RESERVED_SIZE;
