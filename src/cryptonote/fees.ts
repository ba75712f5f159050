import { amount, type Amount } from '../util/amount.js';
import { weightClawback } from './transaction.js';

/** What the network asks for. */
export interface FeeRates {
  /** Atomic units per byte of weight for priorities 1 to 4. */
  readonly perByte: readonly bigint[];
  /** Fees are multiples of this. */
  readonly quantizationMask: bigint;
}

const LOWEST_PRIORITY = 1;
const HIGHEST_PRIORITY = 4;

/** Rate of a priority; 0, the default, is the lowest. Source: wallet2.cpp `get_base_fee`. */
export function feePerByte({ perByte }: FeeRates, priority: number): bigint {
  const level = Math.min(Math.max(priority, LOWEST_PRIORITY), HIGHEST_PRIORITY);
  const rate = perByte[level - 1];
  if (rate === undefined) throw new RangeError('no fee rate for this priority');
  return rate;
}

/** Source: wallet2.cpp `calculate_fee_from_weight`. */
export function feeOfWeight(weight: number, rate: bigint, { quantizationMask: mask }: FeeRates): Amount {
  return amount(((BigInt(weight) * rate + mask - 1n) / mask) * mask);
}

/** Bytes that one relative ring offset takes at most in a chain of some hundred million outputs. */
const OFFSET_BYTES = 4;

/**
 * Weight of a CLSAG and Bulletproofs+ transaction with view tags, from above.
 * Source: wallet2.cpp `estimate_rct_tx_size`, `estimate_tx_weight`.
 */
export function estimateWeight(inputs: number, ringSize: number, outputs: number, extraSize: number): number {
  const rounds = 6 + Math.ceil(Math.log2(Math.max(1, outputs)));
  const prefix = 1 + 6 + inputs * (1 + 6 + ringSize * OFFSET_BYTES + 32) + outputs * (6 + 32 + 1) + extraSize;
  const rangeProof = 1 + 32 * (6 + 2 * rounds) + 3;
  const signatures = inputs * (32 * (ringSize + 1) + 32 + 32);
  const base = 1 + 8 * outputs + 32 * outputs + 4;
  return prefix + base + rangeProof + signatures + weightClawback(true, 2 ** (rounds - 6));
}
