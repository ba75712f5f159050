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
const MAX_OFFSET_BYTES = 4;
/** What upstream reckons with. */
const USUAL_OFFSET_BYTES = 2;
/** Upstream's figure for a ring member of an input from before RingCT. */
const PLAIN_MEMBER_BYTES = 80;

/** What a transaction is reckoned by before it is made. */
export interface TxOutline {
  readonly inputs: number;
  readonly ringSize: number;
  readonly outputs: number;
  readonly extraSize: number;
}

const roundsOf = (outputs: number): number => 6 + Math.ceil(Math.log2(Math.max(1, outputs)));

function rctSize({ inputs, ringSize, outputs, extraSize }: TxOutline, offsetBytes: number): number {
  const prefix = 1 + 6 + inputs * (1 + 6 + ringSize * offsetBytes + 32) + outputs * (6 + 32 + 1) + extraSize;
  const rangeProof = 1 + 32 * (6 + 2 * roundsOf(outputs)) + 3;
  const signatures = inputs * (32 * (ringSize + 1) + 32 + 32);
  const base = 8 * outputs + 32 * outputs + 4;
  return prefix + base + rangeProof + signatures;
}

const clawbackOf = (outputs: number): number => weightClawback(true, 2 ** (roundsOf(outputs) - 6));

/**
 * Weight of a CLSAG and Bulletproofs+ transaction with view tags, from above.
 * Source: wallet2.cpp `estimate_rct_tx_size`, `estimate_tx_weight`.
 */
export function estimateWeight(inputs: number, ringSize: number, outputs: number, extraSize: number): number {
  return rctSize({ inputs, ringSize, outputs, extraSize }, MAX_OFFSET_BYTES) + clawbackOf(outputs);
}

/**
 * Size and weight as upstream tells them to callers: offsets of usual length.
 * @param rct false: of outputs from before RingCT. Source: wallet2.cpp `estimate_tx_size_and_weight`.
 */
export function usualSizeAndWeight(
  outline: TxOutline,
  rct: boolean,
): { readonly size: number; readonly weight: number } {
  const { inputs, ringSize, outputs, extraSize } = outline;
  if (rct) {
    const size = rctSize(outline, USUAL_OFFSET_BYTES);
    return { size, weight: size + clawbackOf(outputs) };
  }
  const size = inputs * ringSize * PLAIN_MEMBER_BYTES + extraSize + outputs;
  return { size, weight: size };
}
