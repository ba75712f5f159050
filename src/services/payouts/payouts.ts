import type { Prices } from '../../monero/wallet/select/fees.js';
import {
  badPayout,
  isWaiting,
  termsHash,
  WHOLE_WALLET,
  type Payout,
  type PayoutClient,
  type PayoutPause,
  type PayoutState,
} from '../../model/payout.js';
import type { Hash } from '../../monero/crypto/types.js';
import { faultOf, WalletError, type Fault } from '../../model/wallet-error.js';
import type { PayoutFilter } from '../../store/tables/payout-row.js';
import type { Spender } from '../../model/spender.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import { unixSeconds } from '../../util/clock.js';
import { workSlices } from '../../util/event-loop.js';
import type { Period } from '../../util/ranges.js';
import type { Accounts } from '../accounts/accounts.js';
import type { Balances } from '../accounts/balances.js';
import type { ColdSigning } from '../cold/cold-signing.js';
import { newestFirst, oldestFirst } from '../context/row-pages.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { FeeEstimator } from '../payments/fee-estimator.js';
import type { Orders } from '../payments/orders.js';
import type { PaymentMaker } from '../payments/payment-maker.js';
import type { Sweeps } from '../payments/sweeps.js';
import type { Transfers } from '../payments/transfers.js';
import type { WalletSync } from '../sync/wallet-sync.js';
import { PayoutApprovals } from './payout-approvals.js';
import { PayoutBatches, type UnsignedSet } from './payout-batches.js';
import { forecast, type Forecast } from './payout-forecast.js';
import { PayoutIntake, type IntakeResult, type PayoutCreator, type PayoutRequest } from './payout-intake.js';
import type { Obstacle } from './payout-obstacles.js';
import { PayoutQueue } from './payout-queue.js';
import { PayoutViews, type PayoutView } from './payout-views.js';
import { Treasury } from './treasury.js';

type Context = Pick<
  WalletContext,
  | 'assertOpen'
  | 'clock'
  | 'exportFormat'
  | 'exports'
  | 'keystore'
  | 'log'
  | 'name'
  | 'payoutSettings'
  | 'rng'
  | 'store'
>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
  readonly balances: Balances;
  readonly feeEstimator: FeeEstimator;
  readonly coldSigning: Pick<ColdSigning, 'submit'>;
  readonly orders: Orders;
  readonly payments: Pick<PaymentMaker, 'fork' | 'planner' | 'spending'>;
  readonly sweeps: Sweeps;
  readonly sync: WalletSync;
  readonly transfers: Transfers;
}

/** Page of a list of payouts. */
export interface PayoutPage {
  readonly payouts: readonly PayoutView[];
  /** Number that the payouts of the next page lie below; absent on the last page. */
  readonly next?: number;
}

/** Result of a signed set: its transactions, or the fault for which none was relayed. */
export type Submitted = { readonly txHashes: readonly Hash[] } | { readonly fault: Fault };

/** A payout of a call for which nothing was done, and the fault that is the reason. */
interface Refusal {
  readonly payoutId: string;
  readonly fault: Fault;
}

/** Result of one payout of a call. */
export type PayoutOutcome = PayoutView | Refusal;

/** Checks the right of a client to a payout. @throws WalletError `credential_denied` */
export type MayUse = (payout: Payout) => void;

/** Number of queued payouts for which a request to send them at once is recorded. */
const MOST_NOTED = 1000;

/** Payouts of one wallet: amounts that payees are owed, which a queue pays in batches. */
export class Payouts {
  readonly #context: Context;
  readonly #services: Services;
  readonly #approvals: PayoutApprovals;
  readonly #intake: PayoutIntake;
  readonly #batches: PayoutBatches;
  readonly #queue: PayoutQueue;
  readonly #views: PayoutViews;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
    const approvals = new PayoutApprovals(context);
    const batches = new PayoutBatches(context, { ...services, approvals });
    const { spending } = services.payments;
    this.#approvals = approvals;
    this.#batches = batches;
    this.#intake = new PayoutIntake(context, { ...services, approvals, spending });
    const treasury = new Treasury(context, { ...services, batches, intake: this.#intake });
    this.#queue = new PayoutQueue(context, { ...services, approvals, batches, treasury });
    this.#views = new PayoutViews(context, { approvals, queue: this.#queue });
  }

  /** Begins to send queued payouts. To be called once. */
  start(): void {
    this.#queue.start();
  }

  close(): void {
    this.#queue.close();
  }

  /** Creates payouts: see {@link PayoutIntake.create}. Nothing waits for the daemon. */
  async create(
    requests: readonly PayoutRequest[],
    creator: PayoutCreator,
  ): Promise<readonly PayoutOutcome[]> {
    const results = await this.#intake.create(requests, creator, this.#queue.knownPrices?.(0));
    this.#queue.wake();
    return this.#outcomes(
      results.map((result: IntakeResult) => ('fault' in result ? result : result.payout)),
    );
  }

  /** Returns a payout by the id that its client gave. @throws WalletError `payout_missing` */
  get(payoutId: string): PayoutView {
    return this.#views.view(this.#find(payoutId));
  }

  /** Lists payouts that match a filter, latest first. @param before number that the payouts lie below. */
  async list(filter: PayoutFilter, before: number, limit: number): Promise<PayoutPage> {
    const { store, keystore } = this.#context;
    const { hidesNotes } = keystore;
    if (hidesNotes && filter.reference !== undefined) return { payouts: [] };
    store.commitPages();
    const below = Math.min(before, store.read((r) => r.payouts.last()) + 1);
    const found = await newestFirst(
      below,
      limit,
      (range, most) => store.read((r) => r.payouts.list({ ...filter, byNotes: !hidesNotes }, range, most)),
      this.#context.assertOpen,
    );
    const last = found.at(-1);
    return {
      payouts: await workSlices.map(found, (payout) => this.#views.view(payout)),
      ...(found.length < limit || last === undefined ? {} : { next: last.sequence }),
    };
  }

  /** Reads the payouts that were created in a period, page by page, the oldest first. */
  async *createdIn(period: Period): AsyncGenerator<readonly PayoutView[]> {
    const { store, assertOpen } = this.#context;
    const pages = oldestFirst(
      (above, limit) => store.read((r) => r.payouts.createdIn(period, above, limit)),
      assertOpen,
    );
    for await (const page of pages) yield page.map((payout) => this.#views.view(payout));
  }

  /** Cancels payouts that were not sent. @param mayUse checks the right of the client to a payout. */
  cancel(
    payoutIds: readonly string[],
    client: PayoutClient,
    mayUse: MayUse,
  ): Promise<readonly PayoutOutcome[]> {
    const { clock } = this.#context;
    const assertUnsent = this.#unsentCheck(payoutIds);
    return this.#each(payoutIds, mayUse, (w, payout) => {
      if (payout.state === 'cancelled') return;
      if (!isWaiting(payout.state)) throw badPayout(`the payout is ${payout.state}`);
      assertUnsent(payout);
      w.payouts.act(payout.sequence, 'cancelled', client, { time: unixSeconds(clock) });
      w.events.payouts.move(payout, 'cancelled');
    });
  }

  /** Approves payouts whose terms have the given hashes. @param mayUse checks the right of the client to a payout. */
  approve(
    approvals: readonly { readonly payoutId: string; readonly terms: Hash }[],
    client: PayoutClient,
    mayUse: MayUse,
  ): Promise<readonly PayoutOutcome[]> {
    const termsOf = new Map(approvals.map(({ payoutId, terms }) => [payoutId, terms]));
    const results = this.#each([...termsOf.keys()], mayUse, (w, payout) =>
      this.#approvals.approve(w, payout, client, termsOf.get(payout.payoutId) ?? termsHash(payout)),
    );
    this.#queue.wake();
    return results;
  }

  /** Rejects payouts that wait for approvals. @param mayUse checks the right of the client to a payout. */
  reject(
    payoutIds: readonly string[],
    client: PayoutClient,
    mayUse: MayUse,
  ): Promise<readonly PayoutOutcome[]> {
    const assertUnsent = this.#unsentCheck(payoutIds);
    return this.#each(payoutIds, mayUse, (w, payout) => {
      assertUnsent(payout);
      this.#approvals.reject(w, payout, client);
    });
  }

  /**
   * Returns the check that no earlier batch with a payout may still be mined: a payout that ends unpaid must not be paid
   * afterwards. The check throws WalletError `bad_payout`.
   */
  #unsentCheck(payoutIds: readonly string[]): (payout: Payout) => void {
    const { store } = this.#context;
    const isLive = new Set(
      payoutIds.filter((payoutId) => {
        const payout = store.read((r) => r.payouts.byId(payoutId));
        return payout !== undefined && isWaiting(payout.state) && this.#batches.mayBeMined(payout);
      }),
    );
    return ({ payoutId }) => {
      if (isLive.has(payoutId))
        throw badPayout(
          'an earlier batch with the payout may still be mined: pause it, or wait until it is paid anew',
        );
    };
  }

  /**
   * Acts on each payout of a call, in one transaction. A fault of one payout does not stop the others.
   * @param act throws its fault before it writes. @returns a result for each id, in their order.
   */
  #each(
    payoutIds: readonly string[],
    mayUse: MayUse,
    act: (w: WalletWriter, payout: Payout) => void,
  ): Promise<readonly PayoutOutcome[]> {
    const results = this.#context.store.write((w) =>
      payoutIds.map((payoutId) => {
        const payout = w.payouts.byId(payoutId);
        if (payout === undefined) return { payoutId, fault: { kind: 'payout_missing', payoutId } as const };
        try {
          mayUse(payout);
          act(w, payout);
          return w.payouts.at(payout.sequence);
        } catch (error) {
          const fault = faultOf(error);
          if (fault === undefined) throw error;
          return { payoutId, fault };
        }
      }),
    );
    return this.#outcomes(results);
  }

  /** Views the payouts of a call, and passes the faults on. Pauses in a long list. */
  #outcomes(results: readonly (Payout | Refusal)[]): Promise<readonly PayoutOutcome[]> {
    return workSlices.map(results, (result) => ('fault' in result ? result : this.#views.view(result)));
  }

  /** Lists the batches whose sets another wallet is to sign. */
  unsigned(): Promise<readonly UnsignedSet[]> {
    return this.#batches.unsigned();
  }

  /** Relays a signed set of a batch. @param hex set as hex digits. @throws an error of the daemon or the store. */
  async submit(hex: string, spender: Spender | undefined): Promise<Submitted> {
    try {
      const { payments } = await this.#services.coldSigning.submit(hex, spender);
      return { txHashes: payments.flatMap(({ signed }) => signed?.txHash ?? []) };
    } catch (error) {
      const fault = faultOf(error);
      if (fault === undefined) throw error;
      return { fault };
    }
  }

  /** Sends the queued payouts of an account now, as far as they can be paid. @throws WalletError */
  async send(account: number, client: PayoutClient): Promise<void> {
    this.#services.accounts.assertAccount(account);
    const { store, clock } = this.#context;
    const time = unixSeconds(clock);
    const queued = store.read((r) => r.payouts.queued(account, time, MOST_NOTED));
    if (queued.length > 0)
      store.write((w) => {
        for (const { sequence } of queued) w.payouts.act(sequence, 'sent', client, { time });
      });
    await this.#queue.send(account);
  }

  /** Pauses the payouts of an account. @param account undefined: of the whole wallet. @throws WalletError */
  pause(account: number | undefined, reason: string): readonly PayoutPause[] {
    if (account !== undefined) this.#services.accounts.assertAccount(account);
    const { store, clock } = this.#context;
    store.write((w) =>
      w.payouts.pause({ account: account ?? WHOLE_WALLET, reason, time: unixSeconds(clock) }),
    );
    return this.pauses();
  }

  /** Ends the pause of an account. @param account undefined: of the whole wallet. */
  resume(account: number | undefined): readonly PayoutPause[] {
    this.#context.store.write((w) => w.payouts.resume(account ?? WHOLE_WALLET));
    this.#queue.wake();
    return this.pauses();
  }

  /** Lists the pauses, the pause of the whole wallet first. */
  pauses(): readonly PayoutPause[] {
    return this.#context.store.read((r) => r.payouts.pauses());
  }

  /** Counts the payouts in each state. */
  counts(): ReadonlyMap<PayoutState, number> {
    return this.#context.store.read((r) => r.payouts.counts());
  }

  /** Returns the queued payout that could have been sent first; undefined without queued payouts. */
  oldest(): PayoutView | undefined {
    const { store } = this.#context;
    const [first, ...others] = store.read((r) => r.payoutFigures.oldestQueued());
    if (first === undefined) return undefined;
    const { sequence } = others.reduce(
      (oldest, other) => (other.since < oldest.since ? other : oldest),
      first,
    );
    return this.#views.view(store.read((r) => r.payouts.at(sequence)));
  }

  /**
   * Counts the queued payouts that the last round of the queue did not send, by the kind of the reason, without those of
   * paused accounts.
   */
  obstacleCounts(): ReadonlyMap<Obstacle['kind'], number> {
    const byKind = new Map<Obstacle['kind'], number[]>();
    for (const [sequence, { kind }] of this.#queue.obstacles) {
      const known = byKind.get(kind);
      if (known === undefined) byKind.set(kind, [sequence]);
      else known.push(sequence);
    }
    if (byKind.size === 0) return new Map();
    return this.#context.store.read(
      (r) => new Map([...byKind].map(([kind, numbers]) => [kind, r.payoutFigures.countSendable(numbers)])),
    );
  }

  /**
   * Computes the batches that the queue of an account and further requests would make now, without changing anything.
   * @throws WalletError `account_out_of_range`, `fee_rates_unknown`; DaemonError
   */
  async estimate(account: number, requests: readonly PayoutRequest[]): Promise<Forecast> {
    this.#services.accounts.assertAccount(account);
    const { pricesFor, fork } = await this.#queue.prices();
    this.#context.assertOpen();
    return forecast(this.#context, this.#services, {
      ...{ account, requests, pricesFor, fork },
      check: (request: PayoutRequest, prices: Prices) => this.#intake.check(request, prices),
    });
  }

  #find(payoutId: string): Payout {
    const payout = this.#context.store.read((r) => r.payouts.byId(payoutId));
    if (payout === undefined) throw new WalletError({ kind: 'payout_missing', payoutId });
    return payout;
  }
}
