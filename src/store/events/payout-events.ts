import type { Hash } from '../../monero/crypto/types.js';
import type { OrderTx } from '../../model/order.js';
import {
  spendingHash,
  type Payout,
  type PayoutReason,
  type PayoutShare,
  type PayoutState,
} from '../../model/payout.js';
import type { RefundChange } from '../../model/events.js';
import { backOff } from '../../util/clock.js';
import type { CredentialSpendWriter } from '../tables/credential-spends.js';
import type { EventWriter } from '../tables/events.js';
import { exclusions, trackOrder, type OrderTables } from '../tables/order-tracker.js';
import { inputsOf } from '../tables/rival-spends.js';
import type { OrderReader } from '../tables/orders.js';
import type { OutputWriter } from '../tables/output-writer.js';
import type { PayoutWriter } from '../tables/payouts.js';
import type { Rescan } from './chain-progress.js';

/** Tables that {@link PayoutEvents} uses. */
export interface PayoutEventParts extends Omit<OrderTables, 'orders' | 'outputs'> {
  readonly rows: EventWriter;
  readonly payouts: PayoutWriter;
  readonly credentialSpends: CredentialSpendWriter;
  readonly orders: OrderReader;
  readonly outputs: OutputWriter;
  readonly rescan: Rescan;
  /** Reports a change of a refund to the payment request whose money it returns. @param request number of the request. */
  readonly onRefund: (request: number, refund: RefundChange) => void;
}

/** Pauses before a payout whose batch the daemon has refused is sent again [s]. */
const RETRY = { first: 60, last: 3600 };

/** State of a batch by its order. */
interface Standing {
  /** `unsigned`: its set is to be signed elsewhere. `gone`: its transaction certainly never left this server. */
  readonly state: 'unsigned' | 'prepared' | 'relayed' | 'mined' | 'failed' | 'gone';
  /** Hash of its transaction; absent if it is gone. */
  readonly txHash?: Hash | undefined;
  /** Height of its block; mined batches only. */
  readonly height?: number | undefined;
  /** Reason why it failed. */
  readonly reason?: PayoutReason;
}

/** State of a payout by the state of its live batch. */
const STATE_OF = {
  unsigned: 'awaiting_signature',
  prepared: 'sending',
  relayed: 'sent',
  mined: 'mined',
} as const satisfies Readonly<Partial<Record<Standing['state'], PayoutState>>>;

/** A share of a payout with the standing of its batch. */
interface Attempt {
  readonly share: PayoutShare;
  readonly standing: Standing;
}

/** States at whose begin the amount of a payout is given back to the limits of its creator. */
const IS_UNPAID: ReadonlySet<PayoutState> = new Set(['failed', 'cancelled', 'rejected', 'expired']);

const IS_SENT: ReadonlySet<PayoutState> = new Set([
  'awaiting_signature',
  'sending',
  'sent',
  'mined',
  'confirmed',
]);

/**
 * Records the states of payouts, which follow from the orders that are their batches, and reports each change. A payout
 * whose batches have all failed returns to the queue.
 */
export class PayoutEvents {
  readonly #parts: PayoutEventParts;
  readonly #confirmations: number;

  /** @param confirmations number of confirmations of a confirmed payout. */
  constructor(parts: PayoutEventParts, confirmations: number) {
    this.#parts = parts;
    this.#confirmations = confirmations;
  }

  /** True if no payout waits for a height of the tip. */
  get isAtRest(): boolean {
    return !this.#parts.payouts.awaitsTip;
  }

  /** Reports a new payout. */
  begin(payout: Payout): void {
    this.#append(payout, payout.state);
  }

  /** Records and reports that a payout without a batch has come into another state. */
  move(payout: Payout, state: PayoutState): void {
    // The reason of the latest failure is the reason of the end.
    this.#move(payout, state, state === 'failed' ? { reason: payout.reason } : {});
  }

  /**
   * Records and reports the states of the payouts whose batches have changed, or for which the tip has reached an awaited
   * height.
   * @param tip height of the tip; -1 for an empty chain.
   */
  settle(tip: number): void {
    const { payouts, rescan } = this.#parts;
    // Until a rescan has reached the height of the former tip, blocks that it has not read again count.
    const reached = Math.max(tip, rescan.to ?? -1);
    for (const batch of payouts.changedBatches(reached)) this.#follow(batch, reached);
  }

  #follow(batch: number, tip: number): void {
    const { payouts } = this.#parts;
    const known = new Map<number, Standing>();
    const standingOf = (sequence: number): Standing => {
      const standing = known.get(sequence) ?? this.#standingOf(sequence);
      known.set(sequence, standing);
      return standing;
    };
    const before = payouts.heightOf(batch);
    for (const { payout } of payouts.sharesIn(batch)) {
      const attempts = payouts
        .sharesOf(payout)
        .map((share): Attempt => ({ share, standing: standingOf(share.batch) }));
      this.#update(payouts.at(payout), attempts, { tip, before });
    }
    const { state, height } = standingOf(batch);
    this.#setFrozen(batch, state === 'unsigned');
    if (state === 'gone') return payouts.removeBatch(batch);
    const due = height === undefined ? undefined : height + this.#confirmations - 1;
    payouts.settleBatch(batch, { height, dueHeight: due === undefined || due <= tip ? undefined : due });
  }

  /**
   * Frees the inputs of the sets with the given rings, which a payment is about to spend. They are frozen again if the
   * payment is never sent.
   */
  release(rings: Hash): void {
    for (const batch of this.#parts.payouts.batchesWith(rings)) this.#setFrozen(batch, false);
  }

  /** Freezes the inputs of a batch while its set is to be signed elsewhere, and thaws them otherwise. */
  #setFrozen(batch: number, isFrozen: boolean): void {
    const { orders, outputs, payouts } = this.#parts;
    if (!payouts.setFrozen(batch, isFrozen)) return;
    for (const { made } of orders.bySequence(batch)?.transactions ?? [])
      for (const input of inputsOf({ outputs }, made)) outputs.setFrozen(input, isFrozen);
  }

  /** Updates one payout. @param view height of the tip, and height of the block that was reported before. */
  #update(
    payout: Payout,
    attempts: readonly Attempt[],
    { tip, before }: { readonly tip: number; readonly before: number | undefined },
  ): void {
    const live =
      attempts.find(({ standing }) => standing.state === 'mined') ??
      attempts.findLast(({ standing }) => standing.state === 'relayed') ??
      attempts.findLast(({ standing }) => standing.state === 'prepared' || standing.state === 'unsigned');
    if (live === undefined) return this.#return(payout, attempts);
    const { state, height } = live.standing;
    if (payout.batch !== undefined && payout.batch !== live.share.batch)
      this.#parts.payouts.follow(payout.sequence, live.share.batch);
    const isLower = IS_SENT.has(payout.state) && before !== undefined && before !== height;
    const reason = isLower ? ('reorganised' as const) : undefined;
    if (state === 'failed' || state === 'gone') return;
    if (state !== 'mined' || height === undefined) {
      const next = STATE_OF[state];
      if (payout.state !== next) this.#move(payout, next, { live, reason });
      return;
    }
    const next = height + this.#confirmations - 1 <= tip ? 'confirmed' : 'mined';
    // A block that was replaced by another one with the same transaction is reported anew.
    if (payout.state !== next || isLower) this.#move(payout, next, { live, reason });
  }

  /** Returns a payout to the queue if it counts as sent and all batches with it have failed. */
  #return(payout: Payout, attempts: readonly Attempt[]): void {
    if (!IS_SENT.has(payout.state)) return;
    const failures = attempts.filter(({ standing }) => standing.state === 'failed').length;
    const reason = attempts.at(-1)?.standing.reason ?? 'not_sent';
    const wait = reason === 'refused' ? backOff(failures, RETRY) : 0;
    this.#move(payout, 'queued', {
      reason,
      ...(wait === 0 ? {} : { retryAt: this.#parts.rows.now() + wait }),
    });
  }

  #standingOf(batch: number): Standing {
    const { orders, outgoing, outputs, payouts } = this.#parts;
    const order = orders.bySequence(batch);
    if (order === undefined) return { state: 'gone', reason: 'not_sent' };
    const { state, positions } = trackOrder({ orders, outgoing, outputs }, order);
    const current = positions[0]?.current;
    if (current === undefined) return { state: 'gone', reason: 'not_sent' };
    const { height } = current;
    const txHash = current.made.signed?.txHash;
    if (state === 'failed') return { state, txHash, reason: this.#failureOf(current) };
    if (state === 'prepared' && !current.sent && !current.isRecorded) {
      if (payouts.isExpired(batch)) return { state: 'failed', reason: 'unsigned' };
      return { state: 'unsigned' };
    }
    return { state, txHash, height };
  }

  /** Returns the reason why an attempt has failed. */
  #failureOf(tx: OrderTx): PayoutReason {
    if (tx.withdrawn === 'refused') return 'refused';
    return exclusions(this.#parts, tx).length > 0 ? 'overtaken' : 'lost';
  }

  #move(
    payout: Payout,
    state: PayoutState,
    {
      live,
      reason,
      retryAt,
    }: {
      readonly live?: Attempt;
      readonly reason?: PayoutReason | undefined;
      readonly retryAt?: number;
    } = {},
  ): void {
    const { payouts, rows } = this.#parts;
    payouts.setState(payout.sequence, state, { time: rows.now(), reason, retryAt, batch: live?.share.batch });
    this.#settleSpending(payout, state);
    this.#append(payout, state, { was: payout.state, reason, live });
  }

  /** Gives the amount of a payout back to the limits of its creator, or counts it again. */
  #settleSpending({ creator, payoutId, state: before }: Payout, state: PayoutState): void {
    if (creator === undefined || IS_UNPAID.has(before) === IS_UNPAID.has(state)) return;
    const { credentialSpends } = this.#parts;
    if (IS_UNPAID.has(state)) credentialSpends.withdraw(creator, spendingHash(payoutId));
    else credentialSpends.restore(creator, spendingHash(payoutId));
  }

  #append(
    { sequence, account, amount, refund }: Payout,
    state: PayoutState,
    {
      was,
      reason,
      live,
    }: {
      readonly was?: PayoutState;
      readonly reason?: PayoutReason | undefined;
      readonly live?: Attempt | undefined;
    } = {},
  ): void {
    const { txHash, height } = live?.standing ?? {};
    this.#parts.rows.append({
      type: `payout.${state}`,
      data: { sequence, account, amount, was, reason, txHash, height, fee: live?.share.fee },
    });
    if (refund !== undefined)
      this.#parts.onRefund(refund.request, { payout: sequence, amount, state, txHash });
  }
}
