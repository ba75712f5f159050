import { DaemonError } from '../../daemon/errors.js';
import { parseAddress } from '../../monero/cryptonote/address.js';
import type { Address } from '../../monero/cryptonote/types.js';
import type { Prices } from '../../monero/wallet/select/fees.js';
import { MAX_PAYEES } from '../../monero/wallet/select/transfer-request.js';
import { POLICY } from '../../model/payout-rule.js';
import { readySince, type Payout } from '../../model/payout.js';
import { faultOf, type Fault } from '../../model/wallet-error.js';
import { amount, ZERO } from '../../util/amount.js';
import { backOff, monotonicMs, unixSeconds } from '../../util/clock.js';
import { SharedRun } from '../../util/concurrency.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import type { Balances } from '../accounts/balances.js';
import { reasonOf } from '../context/fault-reason.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { FeeEstimator } from '../payments/fee-estimator.js';
import type { WalletSync } from '../sync/wallet-sync.js';
import {
  composeBatch,
  MOST_CONSIDERED,
  outputsOfTwo,
  type Candidate,
  type ComposeTerms,
  type Composition,
  type Shortfall,
} from './batch-composer.js';
import type { PayoutApprovals } from './payout-approvals.js';
import { PayoutTaken, type PayoutBatches } from './payout-batches.js';
import type { Treasury } from './treasury.js';

type Context = Pick<WalletContext, 'assertOpen' | 'clock' | 'keystore' | 'log' | 'payoutSettings' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly approvals: PayoutApprovals;
  readonly balances: Balances;
  readonly batches: PayoutBatches;
  readonly feeEstimator: FeeEstimator;
  readonly sync: Pick<WalletSync, 'isSynced'>;
  readonly treasury: Treasury;
}

/** Reason why a queued payout was not sent in the last round of the queue. */
export type Obstacle =
  | Shortfall
  /** The daemon cannot be asked, or the wallet has not read its blocks. */
  | { readonly kind: 'node'; readonly reason: string }
  /** An earlier batch may still be mined and cannot be excluded yet. */
  | { readonly kind: 'earlier'; readonly reason: string };

/** Number of payouts of which addresses and obstacles are kept. */
const MOST_KNOWN = 4 * MOST_CONSIDERED;
/** Time between two looks at the queue while payouts wait for money, fees or the daemon [ms]. */
const LOOK_MS = 1000;
/** Time between two looks at the policies of a wallet that has policies [ms]. */
const POLICY_LOOK_MS = 2000;
/** Longest time between two looks at the clock [ms], because steps of the clock move the times of payouts. */
const LONGEST_LOOK_MS = 60_000;
/** Time for which prices are used for further batches [ms]. */
const PRICES_MS = 15_000;
/** Pauses after failures of the daemon [ms]. */
const NODE_RETRY = { first: 1000, last: 60_000 };
/** Period by whose batches the number of outputs that an account needs is estimated [s]. */
const RATE_SECONDS = 3 * 3600;
/** Time for which change is locked [s]: ten blocks. */
const LOCK_SECONDS = 1200;
/** Largest number of outputs that an account keeps by itself. */
const MOST_OUTPUTS = 64;

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

/** Prices with the time at which they were read [ms of `monotonicMs`]. */
interface ReadPrices {
  readonly pricesFor: (priority: number) => Prices;
  readonly time: number;
}

/** Sends queued payouts in batches, one after the other, whenever a batch is due and can be paid. */
export class PayoutQueue {
  readonly #context: Context;
  readonly #services: Services;
  readonly #rounds = new SharedRun(() => this.#round());
  readonly #obstacles = new Map<number, Obstacle>();
  /** Parsed addresses of queued payouts by their numbers. */
  readonly #addresses = new Map<number, Address>();
  /** Number up to which payouts of an account leave without waiting for others. */
  readonly #urgent = new Map<number, number>();
  #prices: ReadPrices | undefined;
  /** Number of rounds in a row in which the daemon could not be asked. */
  #nodeFailures = 0;
  /** True if the wallet may have payouts, which are never deleted. */
  #isUsed = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** Begins to send the payouts that were queued before. To be called once. */
  start(): void {
    this.#isUsed = !this.#context.store.read((r) => r.payouts.isEmpty);
    this.#schedule(this.#isUsed ? 0 : LONGEST_LOOK_MS);
  }

  /** Looks at the queue soon, because payouts or their rules have changed. */
  wake(): void {
    this.#isUsed = true;
    this.#schedule(0);
  }

  /**
   * Sends the payouts of an account that are queued now without waiting for others, as far as they can be paid.
   * @returns when a round with these payouts has ended.
   */
  async send(account: number): Promise<void> {
    this.#urgent.set(
      account,
      this.#context.store.read((r) => r.payouts.last()),
    );
    await this.#rounds.run();
    this.#schedule(LOOK_MS);
  }

  /** Stops to send payouts; a batch that is being made is finished. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Prices that were read last, of any age; undefined: none were read. */
  get knownPrices(): ((priority: number) => Prices) | undefined {
    return this.#prices?.pricesFor;
  }

  /** Returns the present prices for each priority. @throws WalletError, DaemonError */
  async prices(): Promise<(priority: number) => Prices> {
    return this.#currentPrices();
  }

  /** Returns the reason why a queued payout was not sent in the last round; undefined: no reason is known. */
  obstacleOf(sequence: number): Obstacle | undefined {
    return this.#obstacles.get(sequence);
  }

  /** Reasons why queued payouts were not sent in the last round, by their numbers; some may have been cancelled since then. */
  get obstacles(): ReadonlyMap<number, Obstacle> {
    return this.#obstacles;
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#look(), Math.min(ms, LONGEST_LOOK_MS));
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    let next: number;
    try {
      await this.#services.treasury.look();
      // The many wallets of a server that have no payouts leave their stores at rest.
      if (this.#isUsed || this.#services.treasury.isUsed) await this.#rounds.run();
      next = this.#untilNext();
    } catch (error) {
      if (this.#isClosed) return;
      this.#context.log.error({ err: error }, 'payouts could not be sent; they are tried again');
      next = LONGEST_LOOK_MS;
    }
    this.#schedule(next);
  }

  /** Returns the time until the next look at the queue [ms]. */
  #untilNext(): number {
    const { store } = this.#context;
    if (this.#nodeFailures > 0) return backOff(this.#nodeFailures, NODE_RETRY);
    if (this.#services.treasury.isUsed) return POLICY_LOOK_MS;
    if (!this.#isUsed) return LONGEST_LOOK_MS;
    // The rules of waiting payouts may change in their file.
    const isWaiting = store.read(
      ({ payouts }) => payouts.waitingAfter(0, 1).length > 0 || payouts.unsignedBatches().length > 0,
    );
    return isWaiting ? LOOK_MS : LONGEST_LOOK_MS;
  }

  async #round(): Promise<void> {
    const { store, keystore } = this.#context;
    this.#context.assertOpen();
    this.#services.batches.endOverdue();
    await this.#services.approvals.judge();
    const accounts = store.read((r) => r.payouts.queuedAccounts());
    if (accounts.length === 0) {
      this.#obstacles.clear();
      this.#addresses.clear();
      return;
    }
    // In the background the wallet lacks its spend key for a while only.
    if (keystore.background !== undefined) return;
    for (const account of accounts) {
      if (await this.#sendDue(account)) continue;
      this.#nodeFailures += 1;
      return;
    }
    this.#nodeFailures = 0;
  }

  /**
   * Sends the batches of an account that are due. The next one is made while one is sent.
   * @returns false if the daemon cannot be asked now.
   */
  async #sendDue(account: number): Promise<boolean> {
    const { store, clock } = this.#context;
    const skipped = new Set<number>();
    let most = MAX_PAYEES;
    let [before, last]: Promise<number | undefined>[] = [];
    try {
      for (;;) {
        const now = unixSeconds(clock);
        if (store.read((r) => r.payouts.pauseOf(account)) !== undefined) break;
        const candidates = this.#candidates(account, now).filter(
          ({ payout }) => !skipped.has(payout.sequence),
        );
        if (most === 0 || candidates.length === 0 || !this.#isDue(account, candidates, now)) break;
        if (!this.#services.sync.isSynced)
          return this.#blockAll(candidates, 'the wallet has not read the blocks of the daemon');
        let composed: Composition;
        try {
          composed = composeBatch(candidates, await this.#terms(account, candidates, { now, most }));
        } catch (error) {
          return this.#blockAll(candidates, expectedReason(error));
        }
        for (const { payout } of candidates) this.#obstacles.delete(payout.sequence);
        for (const [sequence, shortfall] of composed.shortfalls) this.#obstacles.set(sequence, shortfall);
        if (composed.batch.length === 0) break;
        const { isRecorded, ended } = this.#pay(account, composed, { candidates, skipped });
        [before, last] = [last, ended];
        const size = (await isRecorded) ? MAX_PAYEES : await ended;
        if (size === undefined || (before !== undefined && (await before) === undefined)) return false;
        most = size;
        this.#context.assertOpen();
        if (this.#isClosed) break;
        await yieldToEventLoop();
      }
      return last === undefined || (await last) !== undefined;
    } finally {
      await Promise.allSettled([before, last]);
    }
  }

  /**
   * Begins to pay a batch. `isRecorded` is false if the payment ended before it was recorded; `ended` is the largest size
   * of the next batch, as {@link #handle} returns it.
   */
  #pay(
    account: number,
    composed: Composition,
    { candidates, skipped }: { readonly candidates: readonly Candidate[]; readonly skipped: Set<number> },
  ): { readonly isRecorded: Promise<boolean>; readonly ended: Promise<number | undefined> } {
    const { promise: isRecorded, resolve } = Promise.withResolvers<boolean>();
    const pay = async (): Promise<number | undefined> => {
      try {
        await this.#services.batches.pay(account, composed, () => resolve(true));
        return MAX_PAYEES;
      } catch (error) {
        const size = this.#handle(error, composed.batch, skipped);
        if (size === undefined) this.#blockAll(candidates, expectedReason(error));
        return size;
      } finally {
        resolve(false);
      }
    };
    const ended = pay();
    // It is awaited later; an error that is thrown meanwhile counts then.
    ended.catch(() => undefined);
    return { isRecorded, ended };
  }

  /**
   * Decides how to go on after a batch could not be paid.
   * @param skipped payouts that the round leaves out; those that cannot be paid now are added.
   * @returns largest size of the next batch; 0: the account is paused; undefined: the daemon cannot be asked now.
   * @throws an unexpected error.
   */
  #handle(error: unknown, batch: readonly Candidate[], skipped: Set<number>): number | undefined {
    if (error instanceof PayoutTaken) return this.#isPaused(batch) ? 0 : MAX_PAYEES;
    const fault = faultOf(error);
    const skip = (candidates: readonly Candidate[], obstacle: Obstacle | undefined): number => {
      for (const { payout } of candidates) {
        skipped.add(payout.sequence);
        if (obstacle !== undefined) this.#obstacles.set(payout.sequence, obstacle);
      }
      return MAX_PAYEES;
    };
    if (fault?.kind === 'max_fee_exceeded') {
      const share = amount((fault.fee + BigInt(batch.length) - 1n) / BigInt(batch.length));
      const unwilling = batch.filter(({ payout: { maxFee } }) => maxFee !== undefined && maxFee < share);
      return skip(unwilling.length === 0 ? batch : unwilling, { kind: 'fee', fee: share });
    }
    if (fault?.kind === 'fee_too_high' && batch.length === 1)
      return skip(batch, { kind: 'fee', fee: fault.fee });
    if (fault?.kind === 'order_failed') return skip(batch, { kind: 'earlier', reason: fault.reason });
    // The payouts have returned to the queue, where they wait.
    if (fault?.kind === 'tx_rejected') return skip(batch, undefined);
    if (fault === undefined || !SHORTAGES.has(fault.kind)) return undefined;
    if (batch.length > 1) return Math.ceil(batch.length / 2);
    const missing = 'available' in fault ? amount(fault.needed - fault.available) : ZERO;
    return skip(batch, { kind: 'unlocked', missing });
  }

  #isPaused([first]: readonly Candidate[]): boolean {
    return (
      first !== undefined &&
      this.#context.store.read((r) => r.payouts.pauseOf(first.payout.account)) !== undefined
    );
  }

  /** Notes that no payout can be sent now. @returns false */
  #blockAll(candidates: readonly Candidate[], reason: string): false {
    for (const { payout } of candidates) this.#obstacles.set(payout.sequence, { kind: 'node', reason });
    return false;
  }

  readonly #addressOf = ({ sequence, address }: Payout): Address => {
    const parsed = this.#addresses.get(sequence) ?? parseAddress(address);
    this.#addresses.set(sequence, parsed);
    return parsed;
  };

  #candidates(account: number, now: number): Candidate[] {
    for (const known of [this.#addresses, this.#obstacles]) if (known.size > MOST_KNOWN) known.clear();
    const held: Payout[] = [];
    const candidates = this.#context.store.read((r) => {
      const { payouts } = r;
      const queued = payouts.queued(account, now, MOST_CONSIDERED);
      // A sweep leaves only while no other payout waits for the money.
      const isFromPolicy = ({ creator }: Payout): boolean => creator === POLICY;
      const owed = queued.filter((payout) => !isFromPolicy(payout));
      return (owed.length > 0 ? owed : queued).flatMap((payout): readonly Candidate[] => {
        const { kind } = this.#services.approvals.releaseOf(r, payout);
        if (kind === 'approval') held.push(payout);
        if (kind !== 'released') return [];
        const isReturned = payout.reason !== undefined;
        const earlier = isReturned ? payouts.sharesOf(payout.sequence).map(({ batch }) => batch) : [];
        const addressOf = this.#addressOf;
        return [
          {
            ...{ payout, earlier: earlier.join(), since: readySince(payout) },
            // To parse the addresses of all candidates would block the thread; a batch needs a few.
            get address() {
              return addressOf(payout);
            },
          },
        ];
      });
    });
    // They returned to the queue after their rules had changed.
    if (held.length > 0)
      this.#context.store.write((w) => {
        for (const payout of held) w.events.payouts.move(payout, 'awaiting_approval');
      });
    return candidates;
  }

  /** True if a batch is due: it is full, or a payout has waited long enough, or a client wants it to leave. */
  #isDue(account: number, candidates: readonly Candidate[], now: number): boolean {
    const { interval } = this.#context.payoutSettings;
    const urgent = this.#urgent.get(account) ?? 0;
    return (
      candidates.length >= MAX_PAYEES ||
      candidates.some(({ payout, since }) => payout.sequence <= urgent || now - since >= interval)
    );
  }

  async #terms(
    account: number,
    candidates: readonly Candidate[],
    { now, most }: Pick<ComposeTerms, 'most' | 'now'>,
  ): Promise<ComposeTerms> {
    const { payoutSettings, store } = this.#context;
    const { balances } = this.#services;
    const pricesFor = await this.#currentPrices();
    const available = balances.unlocked(account);
    return {
      ...{ pricesFor, now, most, maxFeeRate: payoutSettings.maxFeeRate, patience: payoutSettings.patience },
      available,
      // Read only for a payout that lacks money, because it takes longer the more payments are unmined.
      get locked() {
        return (balances.ofAccounts(false).get(account)?.total ?? available) - available;
      },
      lackingOutputs: this.#lackingOutputs(account, candidates.length, now),
      spendableOutputs: store.read((r) =>
        r.spendableOutputs.countOpenUpTo(outputsOfTwo(candidates.length), account, store.height()),
      ),
    };
  }

  async #currentPrices(): Promise<(priority: number) => Prices> {
    const now = monotonicMs();
    if (this.#prices !== undefined && now - this.#prices.time < PRICES_MS) return this.#prices.pricesFor;
    const { maxFeeRate } = this.#context.payoutSettings;
    const pricesFor = await this.#services.feeEstimator.payoutPrices(maxFeeRate);
    this.#context.assertOpen();
    this.#prices = { pricesFor, time: now };
    return pricesFor;
  }

  /**
   * Returns the number of outputs that an account lacks so that it can pay a batch while the change of the others is
   * locked, by the batches of the last hours and of the queue.
   */
  #lackingOutputs(account: number, queued: number, now: number): number {
    const { store, payoutSettings } = this.#context;
    const outputs = this.#services.treasury.outputsOf(account) ?? payoutSettings.outputs;
    if (outputs === 1) return 0;
    return store.read((r) => {
      const rate = r.payouts.batchesSince(account, now - RATE_SECONDS);
      const usual = Math.ceil((rate * LOCK_SECONDS) / RATE_SECONDS) + Math.ceil(queued / MAX_PAYEES);
      const wanted = outputs > 0 ? outputs : Math.min(usual, MOST_OUTPUTS);
      const held = r.spendableOutputs.countUpTo(wanted, account) + r.payouts.unminedBatches(account);
      return Math.max(0, wanted - held);
    });
  }
}

/** Returns the reason of an expected error. @throws any other error unchanged. */
function expectedReason(error: unknown): string {
  if (error instanceof DaemonError || faultOf(error) !== undefined) return reasonOf(error).reason;
  throw error;
}
