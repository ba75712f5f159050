import { LIES, type Lie } from '../support/values/lies.js';

/** Lies to senders that the plan has steps of their own for. */
const OF_STEPS = /^(forgotten-payment|refused-payment|refused-and-relayed)/;

/** Lies about heights, blocks, pool and transactions that concern a wallet that waits for its payments. */
export const OF_READERS = [
  ...['wrong-height', 'lower-height', 'unsynchronised', 'wrong-top-hash', 'page-height', 'lower-page-height'],
  ...['invented-hashes', 'other-header-hash', 'changed-key-image', 'removed-key-image', 'hidden-pool'],
  ...['double-spend-hidden', 'double-spend-seen', 'unknown-pool', 'mined-pool', 'lower-mined-height'],
  ...['unmined-transactions', 'missed-transactions', 'forged-pool-spend', 'fewer-output-indices'],
];

const nameOf = ({ what }: Lie): string => what.split('=')[0] ?? '';

/**
 * Lies of a node to the server that sends payouts: about fees, rings, the fork, heights, blocks, and the pool. Whatever it
 * believes of them, no payout may be paid twice, or count as mined without a block.
 */
export const SENDER_LIES: readonly Lie[] = [
  ...LIES.transfer.filter(({ what }) => !OF_STEPS.test(what)),
  ...[...LIES.refresh, ...LIES.pool].filter(
    (lie) => OF_READERS.includes(nameOf(lie)) && !lie.what.includes(','),
  ),
];
