import { amount, type Amount } from '../util/amount.js';
import { MAX_TX_WEIGHT } from '../cryptonote/constants.js';
import { weightClawback } from '../cryptonote/transaction.js';

/** 1 slow, 2 normal, 3 fast, 4 fastest; 0 leaves the choice to the wallet. */
export type Priority = 0 | 1 | 2 | 3 | 4;

/** What the daemon asks for. */
export interface Fees {
  /** Atomic units per byte of weight, from slow to fastest. */
  readonly perByte: readonly bigint[];
  /** Fees are rounded up to a multiple of this, at least 1. */
  readonly quantizationMask: bigint;
}

/** The fee of one byte and the rounding: all that a transaction's fee depends on beside its weight. */
export interface FeeRate {
  readonly perByte: bigint;
  readonly quantizationMask: bigint;
}

/** A transaction is closed once its estimated weight reaches two thirds of the limit. Source: wallet2.cpp `TX_WEIGHT_TARGET`. */
export const TX_WEIGHT_TARGET = Math.floor((MAX_TX_WEIGHT * 2) / 3);

export const isPriority = (value: number): value is Priority =>
  Number.isInteger(value) && value >= 0 && value <= 4;

/**
 * The rate of a priority; 0 is the slowest, see {@link choosePriority}.
 * @throws RangeError when the daemon's table is too short or not positive. Source: wallet2.cpp `get_base_fee`.
 */
export function feeRate({ perByte, quantizationMask }: Fees, priority: Priority): FeeRate {
  const rate = perByte[Math.max(1, priority) - 1];
  if (rate === undefined || rate < 1n || quantizationMask < 1n)
    throw new RangeError('fee table: no such fee');
  return { perByte: rate, quantizationMask };
}

/** `weight · perByte`, rounded up. @throws RangeError beyond u64. Source: wallet2.cpp `calculate_fee_from_weight`. */
export function feeOfWeight({ perByte, quantizationMask }: FeeRate, weight: number): Amount {
  const exact = BigInt(weight) * perByte;
  return amount(((exact + quantizationMask - 1n) / quantizationMask) * quantizationMask);
}

/** How busy the chain is. */
export interface Traffic {
  /** Blocks that a slow payment would wait behind the pool. */
  readonly backlogBlocks: number;
  /** Weights of the last ten blocks. */
  readonly recentWeights: readonly number[];
  /** Heaviest block allowed; half of it is the full reward zone. */
  readonly blockWeightLimit: number;
}

const FULL_PERCENT = 80;

/**
 * What the wallet chooses for priority 0: slow while blocks are emptier than 80 % and nobody waits.
 * Source: wallet2.cpp `adjust_priority`.
 */
export function choosePriority(priority: Priority, traffic: Traffic): Priority {
  if (priority !== 0) return priority;
  if (traffic.backlogBlocks > 0) return 2;
  const zone = (traffic.blockWeightLimit / 2) * traffic.recentWeights.length;
  if (zone <= 0) return 2;
  const filled = traffic.recentWeights.reduce((total, weight) => total + weight, 0);
  return Math.floor((100 * filled) / zone) > FULL_PERCENT ? 2 : 1;
}

/**
 * Weight expected before rings and outputs are known; the true one differs by some bytes per input.
 * @param extraSize bytes of the transaction's extra. Source: wallet2.cpp `estimate_tx_weight`, CLSAG and Bulletproofs+.
 */
export function estimateWeight(inputs: number, ringSize: number, outputs: number, extraSize: number): number {
  const rounds = 6 + Math.ceil(Math.log2(Math.max(1, outputs)));
  const head = 1 + 6 + extraSize + 1 + 4;
  const input = 1 + 6 + 2 * ringSize + 32 + (32 * ringSize + 64) + 32;
  const output = 6 + 32 + 1 + 8 + 32;
  const proof = 32 * (6 + 2 * rounds) + 3;
  return head + inputs * input + outputs * output + proof + weightClawback(true, 2 ** (rounds - 6));
}
