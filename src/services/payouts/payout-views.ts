import { isWaiting, readySince, type Payout, type PayoutAction } from '../../model/payout.js';
import type { PayoutPayment } from '../../store/tables/payout-row.js';
import type { Amount } from '../../util/amount.js';
import { unixSeconds } from '../../util/clock.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { PayoutApprovals } from './payout-approvals.js';
import { UnlockTimes, type Unlocking } from './payout-forecast.js';
import type { Obstacle } from './payout-obstacles.js';
import type { PayoutQueue } from './payout-queue.js';

type Context = Pick<WalletContext, 'clock' | 'keystore' | 'payoutSettings' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly approvals: Pick<PayoutApprovals, 'releaseOf'>;
  readonly queue: Pick<PayoutQueue, 'obstacleOf'>;
}

/** Reason why a payout is not sent yet. */
export type Waiting =
  | Obstacle
  | { readonly kind: 'approval'; readonly needed: number; readonly given: number }
  /** The payout is approved, and is sent at a time [Unix s] at the earliest. */
  | { readonly kind: 'delay'; readonly time: number }
  | { readonly kind: 'paused'; readonly reason: string }
  /** A payment that it refunds was reversed: an amount of the request is missing [atomic units]. */
  | { readonly kind: 'reversed'; readonly missing: Amount }
  /** The payout is sent at a time [Unix s] at the earliest. `retry`: after the daemon has refused its batch. */
  | { readonly kind: 'not_before' | 'retry'; readonly time: number }
  /** The payout waits for others until a time [Unix s], so that one transaction pays them. */
  | { readonly kind: 'batch'; readonly time: number };

/** A payout with its payment, or with the reason why it waits. */
export interface PayoutView {
  readonly payout: Payout;
  /** Payment of the batch that contains it; absent: it is in no batch. */
  readonly payment?: PayoutPayment;
  /** Number of blocks from the block of its payment to the tip; 0 while it is not mined. */
  readonly confirmations: number;
  /** Id of the payment request whose money it returns; absent: it is no refund. */
  readonly requestId?: string;
  /** Actions of clients, the oldest first. */
  readonly actions: readonly PayoutAction[];
  /** Reason why it waits; absent if it does not wait. */
  readonly waitingFor?: Waiting;
  /** Height and time at which it can be paid, if it waits for locked money that is enough. */
  readonly unlocking?: Unlocking | undefined;
}

/** Views payouts: adds their payments and actions, and the reasons why they wait. */
export class PayoutViews {
  readonly #context: Context;
  readonly #services: Services;
  readonly #unlockTimes: UnlockTimes;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
    this.#unlockTimes = new UnlockTimes(context);
  }

  /**
   * Views a payout as it is now: a long list is viewed in slices, between which blocks may change the payouts that were
   * read for it.
   */
  view({ sequence }: Pick<Payout, 'sequence'>): PayoutView {
    const { store, keystore } = this.#context;
    // States are recorded when the pages of blocks are committed.
    store.commitPages();
    const recorded = store.read((r) => r.payouts.at(sequence));
    const payout = keystore.hidesNotes ? withoutNotes(recorded) : recorded;
    const waitingFor = isWaiting(payout.state) ? this.#waitingOf(payout) : undefined;
    const payment = isWaiting(payout.state)
      ? undefined
      : store.read((r) => r.payouts.paymentOf(payout.sequence));
    const { height } = payment ?? {};
    const { refund } = payout;
    return {
      payout,
      actions: store.read((r) => r.payouts.actionsOn(payout.sequence)),
      ...(payment === undefined ? {} : { payment }),
      ...(refund === undefined
        ? {}
        : { requestId: store.read((r) => r.requests.at(refund.request)).requestId }),
      confirmations: height === undefined ? 0 : Math.max(0, store.height() - height),
      ...(waitingFor === undefined ? {} : { waitingFor }),
      ...(waitingFor?.kind === 'unlocked'
        ? { unlocking: this.#unlockTimes.when(payout.account, waitingFor.missing) }
        : {}),
    };
  }

  #waitingOf(payout: Payout): Waiting {
    const { sequence, account, notBefore = 0, retryAt = 0 } = payout;
    const { store, clock, payoutSettings } = this.#context;
    const release = store.read((r) => this.#services.approvals.releaseOf(r, payout));
    if (release.kind === 'approval' || release.kind === 'reversed') return release;
    const pause = store.read((r) => r.payouts.pauseOf(account));
    if (pause !== undefined) return { kind: 'paused', reason: pause.reason };
    const now = unixSeconds(clock);
    if (notBefore > now) return { kind: 'not_before', time: notBefore };
    if (release.kind === 'delay') return release;
    if (retryAt > now) return { kind: 'retry', time: retryAt };
    const obstacle = this.#services.queue.obstacleOf(sequence);
    if (obstacle !== undefined) return obstacle;
    return { kind: 'batch', time: readySince(payout) + payoutSettings.interval };
  }
}

/** Returns a payout without its facts that concern the client alone. */
function withoutNotes(payout: Payout): Payout {
  const { reference: _, metadata: __, ...rest } = payout;
  return rest;
}
