import { amount, type Amount } from '../../../util/amount.js';
import { FULL_REWARD_ZONE, MAX_TX_WEIGHT, RING_SIZE } from '../../cryptonote/constants.js';
import { weightClawback } from '../../cryptonote/transaction.js';
import type { Address } from '../../cryptonote/types.js';

/*
 * Rules for the fee of a payment: rate and priority, the weight that is known before a transaction is built, the fee of a
 * weight, and the ceilings. `settleFee` computes the fee of the exact weight.
 */

/** Fee rates of the network. */
export interface FeeRates {
  /** Fee rates for the priorities 1 to 4 [atomic units per byte of weight]. */
  readonly perByte: readonly bigint[];
  /** Fees are rounded up to a multiple of this amount [atomic units]. */
  readonly quantizationMask: bigint;
}

/** Fee rates and priority of a payment. */
export interface Prices {
  readonly rates: FeeRates;
  /** Fee level, from 1 to 4. */
  readonly priority: number;
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

/**
 * Divides a fee into equal shares, which add up to it exactly; the first shares are one atomic unit larger if the fee
 * cannot be divided. The outputs of a transaction have equal weights, so equal shares are shares by weight.
 */
export function feeShares(fee: Amount, count: number): Amount[] {
  const share = fee / BigInt(count);
  const remainder = Number(fee % BigInt(count));
  return Array.from({ length: count }, (_, i) => amount(share + (i < remainder ? 1n : 0n)));
}

/** Largest size of a relative ring offset [bytes], for a chain of some hundred million outputs. */
const MAX_OFFSET_BYTES = 4;
/** Size of a ring offset in the reference's estimate [bytes]. */
const USUAL_OFFSET_BYTES = 2;
/** Size of a ring member before RingCT in the reference's estimate [bytes]. */
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
 * Estimates size and weight as the reference does for clients, with ring offsets of usual length.
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

/** Priority of a payment: 1 slow, 2 normal, 3 fast, 4 fastest. */
export type Priority = 1 | 2 | 3 | 4;

/** Load of the network, from which a priority is chosen. */
export interface Traffic {
  /** Number of full blocks that the pool transactions ahead of a slow payment fill. */
  readonly backlogBlocks: number;
  /** Weights of the last {@link RECENT_BLOCKS} blocks. */
  readonly recentWeights: readonly number[];
  /** Largest block weight; half of this weight is the full reward zone. */
  readonly blockWeightLimit: number;
}

export const RECENT_BLOCKS = 10;

/** Share of the full reward zone from which blocks count as full [%]. */
const FULL = 80;

/**
 * Chooses the priority of a payment that requests no priority: slow while blocks are not full and the pool has no
 * backlog. Source: wallet2.cpp `adjust_priority`.
 */
export function choosePriority({ backlogBlocks, recentWeights, blockWeightLimit }: Traffic): Priority {
  if (backlogBlocks > 0 || recentWeights.length < RECENT_BLOCKS) return 2;
  const zone = Math.floor(blockWeightLimit / 2);
  if (zone <= 0) return 2;
  const filled = recentWeights.reduce((total, weight) => total + weight, 0);
  return Math.floor((100 * filled) / (zone * recentWeights.length)) > FULL ? 2 : 1;
}

/** Weight and fee of a pool transaction. */
export interface PoolEntry {
  readonly weight: number;
  readonly fee: bigint;
}

/**
 * Returns the number of full blocks that the pool transactions with a fee of at least `perByte` per byte fill. Source:
 * wallet2.cpp `estimate_backlog`.
 */
export function backlogBlocks(
  pool: readonly PoolEntry[],
  perByte: bigint,
  fullRewardZone: number = FULL_REWARD_ZONE,
): number {
  const ahead = pool.reduce(
    (total, { weight, fee }) => (weight > 0 && fee >= perByte * BigInt(weight) ? total + weight : total),
    0,
  );
  return Math.floor(ahead / Math.max(1, fullRewardZone));
}

/** Weight from which a transaction gets no further inputs or payees. Source: wallet2.cpp `TX_WEIGHT_TARGET`. */
export const TARGET_WEIGHT = Math.floor((MAX_TX_WEIGHT * 2) / 3);

/**
 * Returns the size of tx_extra [bytes]: a public key and the nonce with a payment id, and one additional key per output
 * unless a subaddress is the only payee.
 */
function extraSize(payees: readonly { readonly address: Address }[], outputs: number): number {
  const mixed = payees.length > 1 && payees.some(({ address }) => address.kind === 'subaddress');
  return 33 + 11 + (mixed ? 2 + 32 * outputs : 0);
}

/** Returns an upper estimate of the weight, including change outputs or a dummy output. */
export function weightOf(
  inputs: number,
  payees: readonly { readonly address: Address }[],
  changeOutputs = 1,
): number {
  const outputs = Math.max(1, payees.length) + changeOutputs;
  return estimateWeight(inputs, RING_SIZE, outputs, extraSize(payees, outputs));
}

/**
 * Returns the fee of one more input [atomic units]; an output whose amount is below this fee is not worth spending.
 * Source: wallet2.cpp `create_transactions_2`, fractional threshold.
 */
export const costOfInput = (rates: FeeRates, priority: number): bigint =>
  BigInt(weightOfInput()) * feePerByte(rates, priority);

/** Highest fee of a transaction, 1 XMR [atomic units]: the heaviest transaction at the fastest rate pays less. */
export const FEE_CEILING = amount(1_000_000_000_000n);

/** Approximate weight of a transaction with two inputs and two outputs. */
const SAMPLE_WEIGHT = 2000;

/** Lowest block reward [atomic units]. */
const TAIL_REWARD = 600_000_000_000n;

/**
 * Height from which the base reward is {@link TAIL_REWARD}. From this height on, the reward that a daemon reports is
 * ignored, so that the daemon cannot raise the ceiling. Source: the first block of mainnet with the tail emission.
 */
const TAIL_HEIGHT = 2_641_623;

/** Returns the fee of a transaction of weight {@link SAMPLE_WEIGHT} [atomic units]. */
export const sampleFee = ({ rates, priority }: Prices): Amount =>
  feeOfWeight(SAMPLE_WEIGHT, feePerByte(rates, priority), rates);

/**
 * Returns the highest accepted fee of a transaction of weight {@link SAMPLE_WEIGHT} [atomic units]: 1000 times the
 * lowest rate per byte, 3000 · reward / zone², with the block reward and the full reward zone. The fastest level has
 * about 200 times that rate. Source: blockchain.cpp `get_dynamic_base_fee`.
 */
export function sampleCeiling(lastReward: Amount, height: number): Amount {
  const reward = height < TAIL_HEIGHT && lastReward > TAIL_REWARD ? lastReward : TAIL_REWARD;
  const perByte = (1000n * 3000n * reward) / BigInt(FULL_REWARD_ZONE) ** 2n;
  return amount(perByte * BigInt(SAMPLE_WEIGHT));
}
