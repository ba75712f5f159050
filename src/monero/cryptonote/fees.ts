import { amount, type Amount } from '../../util/amount.js';
import { RING_SIZE } from './constants.js';
import { weightClawback } from './transaction.js';

/** Fee rates of the network. */
export interface FeeRates {
  /** Fee rates for the priorities 1 to 4 [atomic units per byte of weight]. */
  readonly perByte: readonly bigint[];
  /** Fees are rounded up to a multiple of this amount [atomic units]. */
  readonly quantizationMask: bigint;
}

const LOWEST_PRIORITY = 1;
const HIGHEST_PRIORITY = 4;

/**
 * Returns the fee rate of a priority; priority 0, the default, has the lowest rate. Source: wallet2.cpp `get_base_fee`.
 */
export function feePerByte({ perByte }: FeeRates, priority: number): bigint {
  const level = Math.min(Math.max(priority, LOWEST_PRIORITY), HIGHEST_PRIORITY);
  const rate = perByte[level - 1];
  if (rate === undefined) throw new RangeError('no fee rate for this priority');
  return rate;
}

/** Computes the fee of a weight. @param rate atomic units per byte. Source: wallet2.cpp `calculate_fee_from_weight`. */
export function feeOfWeight(weight: number, rate: bigint, { quantizationMask: mask }: FeeRates): Amount {
  return amount(((BigInt(weight) * rate + mask - 1n) / mask) * mask);
}

/** Largest size of a relative ring offset [bytes], for a chain of some hundred million outputs. */
const MAX_OFFSET_BYTES = 4;
/** Size of a ring offset in upstream's estimate [bytes]. */
const USUAL_OFFSET_BYTES = 2;
/** Size of a ring member before RingCT in upstream's estimate [bytes]. */
const PLAIN_MEMBER_BYTES = 80;

/**
 * Numbers of inputs, ring members and outputs, and size of extra, from which the size of a transaction is estimated.
 */
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
 * Computes an upper estimate of the weight of a transaction with CLSAG, Bulletproofs+ and view tags. Source:
 * wallet2.cpp `estimate_rct_tx_size`, `estimate_tx_weight`.
 */
export function estimateWeight(inputs: number, ringSize: number, outputs: number, extraSize: number): number {
  return rctSize({ inputs, ringSize, outputs, extraSize }, MAX_OFFSET_BYTES) + clawbackOf(outputs);
}

/**
 * Returns the weight that one more input adds to a transaction. Source: wallet2.cpp `create_transactions_2`, fractional
 * threshold.
 */
export const weightOfInput = (): number =>
  estimateWeight(2, RING_SIZE, 2, 0) - estimateWeight(1, RING_SIZE, 2, 0);

/**
 * Estimates size and weight as upstream does for clients, with ring offsets of usual length.
 * @param rct false if the inputs are outputs from before RingCT. Source: wallet2.cpp `estimate_tx_size_and_weight`.
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
