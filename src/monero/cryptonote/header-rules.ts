import type { Hash } from '../crypto/types.js';
import { blockHash } from './block.js';
import { earliestTimestamp, FUTURE_LIMIT } from './difficulty.js';
import type { Block } from './types.js';

/**
 * Facts of the header of a block.
 * @example
 * const header: ChainHeader = chainHeader(block);
 * header.majorVersion; // => 16
 */
export interface ChainHeader {
  readonly hash: Hash;
  /** Hash of the block before. */
  readonly prevHash: Hash;
  readonly majorVersion: number;
  /** Time of the block [Unix s]. */
  readonly timestamp: number;
}

/**
 * Returns the facts of the header of a block, and computes its hash.
 * @example
 * chainHeader(block).timestamp; // => 1_795_630_517
 */
export const chainHeader = (block: Block): ChainHeader => ({
  hash: blockHash(block),
  prevHash: block.header.prevHash,
  majorVersion: block.header.majorVersion,
  timestamp: block.header.timestamp,
});

/**
 * Reason for which a block is no part of a chain: an unknown parent; a timestamp before the median of the latest blocks,
 * or more than two hours ahead of the clock; a version below that of the parent; a version whose rules are not known; a
 * difficulty of more than 128 bits; or a block whose work was refused.
 * @example
 * const reason: HeaderRefusal = 'too_late';
 * new HeaderError(reason).message; // => 'the timestamp of the block is more than two hours ahead'
 */
export type HeaderRefusal =
  | 'unknown_parent'
  | 'too_early'
  | 'too_late'
  | 'older_version'
  | 'newer_fork'
  | 'difficulty_overflow'
  | 'refused_work';

const REFUSALS: Readonly<Record<HeaderRefusal, string>> = {
  unknown_parent: 'the parent of the block is not known',
  too_early: 'the timestamp of the block is before the median of the latest 60 blocks',
  too_late: 'the timestamp of the block is more than two hours ahead',
  older_version: 'the version of the block is below that of its parent',
  newer_fork: 'the version of the block has rules that are not known',
  difficulty_overflow: 'the difficulty of the block exceeds 128 bits',
  refused_work: 'the block has not the work of its difficulty',
};

/**
 * Error for a block that is no part of a chain.
 * @example
 * try {
 *   throw new HeaderError('unknown_parent');
 * } catch (error) {
 *   error instanceof HeaderError; // => true
 *   error.reason; // => 'unknown_parent'
 * }
 */
export class HeaderError extends Error {
  override readonly name = 'HeaderError';
  readonly reason: HeaderRefusal;

  constructor(reason: HeaderRefusal) {
    super(REFUSALS[reason]);
    this.reason = reason;
  }
}

/**
 * Checks the version and the timestamp of a block.
 * @param parentVersion version of the parent.
 * @param latest timestamps of the latest 60 blocks before the block [Unix s].
 * @param now time of the clock [Unix s].
 * @param newestFork newest version whose rules are known.
 * @throws HeaderError
 */
export function checkHeader(
  { majorVersion, timestamp }: ChainHeader,
  parentVersion: number,
  latest: readonly number[],
  now: number,
  newestFork: number,
): void {
  if (majorVersion > newestFork) throw new HeaderError('newer_fork');
  if (majorVersion < parentVersion) throw new HeaderError('older_version');
  if (timestamp > now + FUTURE_LIMIT) throw new HeaderError('too_late');
  if (timestamp < earliestTimestamp(latest)) throw new HeaderError('too_early');
}
