import { CARROT_FORK, CARROT_ONLY_FORK, FORK_RULES } from '../monero/fork-rules.js';
import { DIFFICULTY_TARGET_SECONDS } from '../monero/cryptonote/constants.js';
import type { ComingFork } from './coming-forks.js';
import { durationText, grouped } from './status/words.js';

/** Notice of a fork, for the status page and the log. */
export interface ForkNotice extends ComingFork {
  /** True if wallets stop at the fork, so that the server must be changed before. */
  readonly isUrgent: boolean;
  /** When the fork is: its block, and the estimated date of one that is ahead. */
  readonly when: string;
  /** Sentence for the operator: when the fork is, and what this server can and cannot do after it. */
  readonly text: string;
}

/** Number of blocks before a fork from which it is reported: 60 days. */
export const NOTICE_BLOCKS = (60 * 86_400) / DIFFICULTY_TARGET_SECONDS;

/**
 * Returns the notices of the forks that are near or past. Of those that are past, only the first one counts that changes what
 * the server does: that at which wallets stop, or else that after which no payments are made.
 * @param newestFork newest version of blocks whose rules the server knows. @param now time [Unix s].
 */
export function forkNotices(
  forks: readonly ComingFork[],
  { newestFork, now }: { readonly newestFork: number; readonly now: number },
): readonly ForkNotice[] {
  const past = forks.filter(({ blocks }) => blocks <= 0);
  const changing = past.find(({ version }) => version > newestFork) ?? past[0];
  const near = forks.filter(({ blocks }) => blocks > 0 && blocks <= NOTICE_BLOCKS);
  return [...(changing === undefined ? [] : [changing]), ...near].map((fork) => {
    const when = whenOf(fork, now);
    return {
      ...{ ...fork, when, isUrgent: fork.version > newestFork },
      text: `${subjectOf(fork, when)}: ${abilitiesAfter(fork.version, newestFork)} (docs/fork.md)`,
    };
  });
}

const subjectOf = ({ version, blocks }: ComingFork, when: string): string =>
  blocks > 0
    ? `hard fork to version ${version} at ${when}`
    : `the network is past the hard fork to version ${version}, since ${when}`;

/** Writes the block of a fork, and the time until it with the estimated date. The date lies within the time of notices. */
function whenOf({ height, blocks }: ComingFork, now: number): string {
  const block = `block ${grouped(height)}`;
  if (blocks <= 0) return block;
  const seconds = blocks * DIFFICULTY_TARGET_SECONDS;
  return `${block}, in about ${durationText(seconds)}, on ${dateText(now + seconds)}`;
}

const dateText = (seconds: number): string => new Date(1000 * seconds).toISOString().slice(0, 10);

function abilitiesAfter(version: number, newestFork: number): string {
  if (version <= newestFork)
    return `this server goes on to receive by --fork-rules ${FORK_RULES}, and makes no payments from ${version === CARROT_FORK ? 'that block' : `version ${CARROT_FORK}`} on`;
  return version <= CARROT_ONLY_FORK
    ? `wallets stop at that block unless --fork-rules ${FORK_RULES} is set; payments are not made after it in either case`
    : 'wallets stop at that block: update this server';
}
