import type { Hash } from '../crypto/types.js';
import { median } from '../../util/median.js';
import { DIFFICULTY_TARGET_SECONDS } from './constants.js';

/** Number of blocks from which a difficulty is computed. Source: cryptonote_config.h, as for all constants here. */
const DIFFICULTY_WINDOW = 720;
/** Number of latest blocks that a difficulty does not depend on, once there are enough older ones. */
const DIFFICULTY_LAG = 15;
/** Number of earliest and of latest timestamps of a full window that are left out. */
const DIFFICULTY_CUT = 60;
/** Number of blocks before a block from which its difficulty follows; the genesis block is none of them. */
export const DIFFICULTY_BLOCKS = DIFFICULTY_WINDOW + DIFFICULTY_LAG;
/** Time between two blocks before version 2 [s]. */
const FIRST_TARGET_SECONDS = 60;

/** Difficulties have 128 bits. */
const MAX_DIFFICULTY = (1n << 128n) - 1n;
const MAX_HASH = (1n << 256n) - 1n;

/**
 * Timestamp of a block, and the work up to this block.
 * @example
 * const point: WorkPoint = { timestamp: 1_697_813_342, cumulativeDifficulty: 312_831_186_335_450_213n };
 * point.timestamp; // => 1_697_813_342
 */
export interface WorkPoint {
  /** Time of the block [Unix s]. */
  readonly timestamp: number;
  /** Sum of the difficulties of the block and of all blocks before it. */
  readonly cumulativeDifficulty: bigint;
}

/**
 * Returns the time in which a block should follow its parent [s].
 * @param majorVersion version of the block.
 * @example
 * blockTarget(16); // => 120
 */
export const blockTarget = (majorVersion: number): number =>
  majorVersion < 2 ? FIRST_TARGET_SECONDS : DIFFICULTY_TARGET_SECONDS;

/**
 * Computes the difficulty of the next block.
 * @param latest the latest {@link DIFFICULTY_BLOCKS} blocks before it, oldest first, without the genesis block; all if
 * there are fewer.
 * @param targetSeconds time between two blocks [s].
 * @returns zero for a difficulty of more than 128 bits: no block can follow. Source: difficulty.cpp `next_difficulty`.
 * @example
 * nextDifficulty([], 120); // => 1n
 */
export function nextDifficulty(latest: readonly WorkPoint[], targetSeconds: number): bigint {
  const length = Math.min(latest.length, DIFFICULTY_WINDOW);
  if (length <= 1) return 1n;
  const timestamps = Float64Array.from({ length }, (_, i) => (latest[i] as WorkPoint).timestamp).sort();
  const kept = Math.min(length, DIFFICULTY_WINDOW - 2 * DIFFICULTY_CUT);
  const begin = Math.ceil((length - kept) / 2);
  const end = begin + kept - 1;
  const seconds = BigInt(Math.max((timestamps[end] as number) - (timestamps[begin] as number), 1));
  const work =
    (latest[end] as WorkPoint).cumulativeDifficulty - (latest[begin] as WorkPoint).cumulativeDifficulty;
  const difficulty = (work * BigInt(targetSeconds) + seconds - 1n) / seconds;
  return difficulty > MAX_DIFFICULTY ? 0n : difficulty;
}

/**
 * True if a hash has the work of a difficulty: the hash, as a little-endian integer, times the difficulty is less than
 * 2^256. Source: difficulty.cpp `check_hash`.
 * @example
 * meetsDifficulty(block.header.prevHash, 1n); // => true
 */
export function meetsDifficulty(hash: Hash, difficulty: bigint): boolean {
  let value = 0n;
  for (const byte of hash.toReversed()) value = (value << 8n) | BigInt(byte);
  return value * difficulty <= MAX_HASH;
}

/** Number of latest blocks whose median timestamp is the lower limit for a new block. */
export const TIMESTAMP_WINDOW = 60;
/** Largest time by which the timestamp of a block may be ahead of the clock [s]. */
export const FUTURE_LIMIT = 2 * 60 * 60;

/**
 * Returns the earliest timestamp of the next block [Unix s].
 * @param latest timestamps of the latest 60 blocks; with fewer there is no limit. Source: blockchain.cpp
 * `check_block_timestamp`.
 * @example
 * earliestTimestamp([]); // => 0
 */
export const earliestTimestamp = (latest: readonly number[]): number =>
  latest.length < TIMESTAMP_WINDOW ? 0 : median(latest);
