import type { PayoutReason, PayoutState } from '../../model/payout.js';
import type { PayoutView, Waiting } from '../../services/payouts/payout-views.js';
import { coinsText, counted, grouped } from './words.js';

/** Names of the states of payouts. */
export const PAYOUT_NAMES: Readonly<Record<PayoutState, string>> = {
  awaiting_approval: 'Waiting for approval',
  queued: 'Queued',
  awaiting_signature: 'Waiting for a signature',
  sending: 'Being sent',
  sent: 'In the mempool',
  mined: 'Mined',
  confirmed: 'Confirmed',
  failed: 'Failed',
  cancelled: 'Cancelled',
  rejected: 'Rejected',
  expired: 'Expired',
};

const REASON_TEXTS: Readonly<Record<PayoutReason, string>> = {
  not_sent: 'its batch never left this server',
  refused: 'the node refused its batch',
  overtaken: 'another transaction spends an input of its batch',
  lost: 'neither the mempool nor the chain contains its batch',
  reorganised: 'its block was replaced',
  unsigned: 'its set was not signed in time',
};

/** Writes the reason why a payout returned to the queue, or failed. */
export const payoutReasonText = (reason: PayoutReason): string => REASON_TEXTS[reason];

/** Writes a time in UTC. @param seconds Unix time [s]. */
export const utcText = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Writes what a payout waits for. @param withSums false: without amounts. */
export function waitingText(waiting: Waiting, unlocking: PayoutView['unlocking'], withSums = true): string {
  switch (waiting.kind) {
    case 'approval':
      return `other persons must approve it: ${waiting.given} of ${counted(waiting.needed, 'approval')}`;
    case 'delay':
      return `it is approved, and sent at ${utcText(waiting.time)} at the earliest`;
    case 'paused':
      return `payouts are paused: ${waiting.reason}`;
    case 'not_before':
      return `it is not to be sent before ${utcText(waiting.time)}`;
    case 'retry':
      return `the node refused its batch, the next attempt is at ${utcText(waiting.time)}`;
    case 'batch':
      return `others may join its batch until ${utcText(waiting.time)}`;
    case 'fee':
      return withSums
        ? `its share of the fee would be ${coinsText(waiting.fee)}, above its limit or that of the server`
        : 'its share of the fee would be above its limit or that of the server';
    case 'node':
      return waiting.reason;
    case 'fork':
      return `this server makes no payments since the fork to version ${waiting.version} at block ${grouped(waiting.height)}`;
    case 'behind':
      return `unlocked money is kept for the older payout ${waiting.payoutId}`;
    case 'reversed':
      return `it refunds a payment that was reversed: ${coinsText(waiting.missing)} of its request are missing`;
    case 'earlier':
      return `an earlier batch cannot be excluded yet: ${waiting.reason}`;
    case 'unlocked': {
      const missing =
        waiting.missing === 0n || !withSums ? 'more money' : `${coinsText(waiting.missing)} more`;
      const when =
        unlocking === undefined
          ? 'no locked money is enough'
          : `at ${counted(unlocking.height, 'block')}, about ${utcText(unlocking.time)}`;
      return `${missing} must be unlocked, ${when}`;
    }
  }
}

/** Writes the block of a payout with its confirmations; an empty text while it is not mined. */
export const blockText = ({ payment, confirmations }: PayoutView): string =>
  payment?.height === undefined
    ? ''
    : `block ${grouped(payment.height)}, ${counted(confirmations, 'confirmation')}`;
