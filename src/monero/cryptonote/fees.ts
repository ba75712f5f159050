import { amount, type Amount } from '../../util/amount.js';
import { RING_SIZE } from './constants.js';
import { weightClawback } from './transaction.js';

/** Fee rates of the network. */
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

/** Maximum bytes of a relative ring offset in a chain of some hundred million outputs. */
const MAX_OFFSET_BYTES = 4;
/** Bytes of a ring offset in upstream's estimate. */
const USUAL_OFFSET_BYTES = 2;
/** Bytes of a ring member before RingCT in upstream's estimate. */
const PLAIN_MEMBER_BYTES = 80;

/** Dimensions from which the size of a transaction is estimated. */
export interface TxDimensions {
  readonly inputs: number;
  readonly ringSize: number;
  readonly outputs: number;
  readonly extraSize: number;
}

const roundsOf = (outputs: number): number => 6 + Math.ceil(Math.log2(Math.max(1, outputs)));

function rctSize({ inputs, ringSize, outputs, extraSize }: TxDimensions, offsetBytes: number): number {
  const prefix = 1 + 6 + inputs * (1 + 6 + ringSize * offsetBytes + 32) + outputs * (6 + 32 + 1) + extraSize;
  const rangeProof = 1 + 32 * (6 + 2 * roundsOf(outputs)) + 3;
  const signatures = inputs * (32 * (ringSize + 1) + 32 + 32);
  const base = 8 * outputs + 32 * outputs + 4;
  return prefix + base + rangeProof + signatures;
}

const clawbackOf = (outputs: number): number => weightClawback(true, 2 ** (roundsOf(outputs) - 6));

/**
 * Upper estimate of the weight of a CLSAG and Bulletproofs+ transaction with view tags.
 * Source: wallet2.cpp `estimate_rct_tx_size`, `estimate_tx_weight`.
 */
export function estimateWeight(inputs: number, ringSize: number, outputs: number, extraSize: number): number {
  return rctSize({ inputs, ringSize, outputs, extraSize }, MAX_OFFSET_BYTES) + clawbackOf(outputs);
}

/** Weight that one more input adds to a transaction. Source: wallet2.cpp `create_transactions_2`, fractional threshold. */
export const weightOfInput = (): number =>
  estimateWeight(2, RING_SIZE, 2, 0) - estimateWeight(1, RING_SIZE, 2, 0);

/**
 * Size and weight as upstream estimates them for callers, with ring offsets of usual length.
 * @param rct false for inputs from before RingCT. Source: wallet2.cpp `estimate_tx_size_and_weight`.
 */
export function usualSizeAndWeight(
  dimensions: TxDimensions,
  rct: boolean,
): { readonly size: number; readonly weight: number } {
  const { inputs, ringSize, outputs, extraSize } = dimensions;
  if (rct) {
    const size = rctSize(dimensions, USUAL_OFFSET_BYTES);
    return { size, weight: size + clawbackOf(outputs) };
  }
  const size = inputs * ringSize * PLAIN_MEMBER_BYTES + extraSize + outputs;
  return { size, weight: size };
}
