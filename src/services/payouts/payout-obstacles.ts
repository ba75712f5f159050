import { DaemonError, type BlockVersion } from '../../daemon/errors.js';
import { faultOf, type Fault } from '../../model/wallet-error.js';
import { amount, ZERO } from '../../util/amount.js';
import { reasonOf } from '../context/fault-reason.js';
import type { Candidate, Shortfall } from './batch-composer.js';
import { PayoutTaken } from './payout-batches.js';

/** Reason why a queued payout was not sent in the last round of the queue. */
export type Obstacle =
  | Shortfall
  /** The daemon cannot be asked, or the wallet has not read its blocks. */
  | { readonly kind: 'node'; readonly reason: string }
  /** No payments are made since a fork of the network. */
  | ({ readonly kind: 'fork' } & BlockVersion)
  /** An earlier batch may still be mined and cannot be excluded yet. */
  | { readonly kind: 'earlier'; readonly reason: string };

/** Change of a round of the queue after a batch could not be paid. */
export interface Setback {
  /** Payouts that the rest of the round leaves out. */
  readonly skipped: readonly Candidate[];
  /** Reason why they are left out; undefined: their states tell it. */
  readonly obstacle?: Obstacle;
  /** Largest size of the next batch; undefined: any size. */
  readonly most?: number;
}

/** Kinds of faults by which a batch cannot be paid with the outputs that are unlocked, while a smaller one may be. */
const SHORTAGES: ReadonlySet<Fault['kind']> = new Set([
  'fee_too_high',
  'not_enough_money',
  'not_enough_unlocked_money',
  'tx_not_possible',
  'needs_split',
  'tx_too_large',
  'transfer_failed',
  'zero_amount',
]);

/**
 * Returns how a round goes on after a batch could not be paid; undefined: no batch can be paid now, see {@link blockOf}.
 * @throws an unexpected error unchanged.
 */
export function setbackOf(error: unknown, batch: readonly Candidate[]): Setback | undefined {
  if (error instanceof PayoutTaken) return { skipped: [] };
  const fault = faultOf(error);
  switch (fault?.kind) {
    case 'max_fee_exceeded': {
      const share = amount((fault.fee + BigInt(batch.length) - 1n) / BigInt(batch.length));
      const unwilling = batch.filter(({ payout: { maxFee } }) => maxFee !== undefined && maxFee < share);
      return {
        skipped: unwilling.length === 0 ? batch : unwilling,
        obstacle: { kind: 'fee', fee: share },
      };
    }
    case 'order_failed':
      return { skipped: batch, obstacle: { kind: 'earlier', reason: fault.reason } };
    case 'tx_rejected':
      // The payouts have returned to the queue, where they wait.
      return { skipped: batch };
    default:
  }
  if (fault === undefined || !SHORTAGES.has(fault.kind)) {
    expectedReason(error);
    return undefined;
  }
  if (batch.length > 1) return { skipped: [], most: Math.ceil(batch.length / 2) };
  if (fault.kind === 'fee_too_high') return { skipped: batch, obstacle: { kind: 'fee', fee: fault.fee } };
  const missing = 'available' in fault ? amount(fault.needed - fault.available) : ZERO;
  return { skipped: batch, obstacle: { kind: 'unlocked', missing } };
}

/** Returns the obstacle of an expected error after which no batch can be paid now. @throws any other error unchanged. */
export function blockOf(error: unknown): Obstacle {
  const fault = faultOf(error);
  if (fault?.kind !== 'payments_ended') return { kind: 'node', reason: expectedReason(error) };
  const { height, version } = fault;
  return { kind: 'fork', height, version };
}

/** Returns the reason of an expected error. @throws any other error unchanged. */
function expectedReason(error: unknown): string {
  if (error instanceof DaemonError || faultOf(error) !== undefined) return reasonOf(error).reason;
  throw error;
}
