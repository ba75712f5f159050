import type { BlockVersion } from '../../daemon/errors.js';
import { parseAddress } from '../../monero/cryptonote/address.js';
import type { Address } from '../../monero/cryptonote/types.js';
import type { Prices } from '../../monero/wallet/select/fees.js';
import { MAX_PAYEES } from '../../monero/wallet/select/transfer-request.js';
import { POLICY } from '../../model/payout-rule.js';
import { readySince, type Payout } from '../../model/payout.js';
import { amount, sum } from '../../util/amount.js';
import { backOff, monotonicMs, unixSeconds } from '../../util/clock.js';
import { SharedRun } from '../../util/concurrency.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import type { Balances } from '../accounts/balances.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { FeeEstimator } from '../payments/fee-estimator.js';
import type { PaymentMaker } from '../payments/payment-maker.js';
import type { WalletSync } from '../sync/wallet-sync.js';
import {
  composeBatch,
  MOST_CONSIDERED,
  outputsOfTwo,
  type Candidate,
  type ComposeTerms,
  type Composition,
} from './batch-composer.js';
import type { PayoutApprovals } from './payout-approvals.js';
import type { PayoutBatches } from './payout-batches.js';
import { blockOf, setbackOf, type Obstacle, type Setback } from './payout-obstacles.js';
import type { Treasury } from './treasury.js';

type Context = Pick<WalletContext, 'assertOpen' | 'clock' | 'keystore' | 'log' | 'payoutSettings' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly approvals: PayoutApprovals;
  readonly balances: Balances;
  readonly batches: PayoutBatches;
  readonly feeEstimator: FeeEstimator;
  readonly payments: Pick<PaymentMaker, 'fork' | 'planner'>;
  readonly sync: Pick<WalletSync, 'isSynced'>;
  readonly treasury: Treasury;
}

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

/** State of the round of an account. */
interface AccountRound {
  readonly account: number;
  /** Payouts of which the last batch was composed. */
  candidates: readonly Candidate[];
  /** Numbers of the payouts that are being paid, and of those that cannot be paid in this round. */
  readonly left: Set<number>;
  /** Largest size of the next batch. */
  most: number;
  /** True if the daemon cannot be asked now. */
  isBlocked: boolean;
}

/** Prices with the time at which they were read [ms of `monotonicMs`]. */
interface ReadPrices {
  readonly pricesFor: (priority: number) => Prices;
  /** Fork since which no payments are made; undefined: payments are made. */
  readonly fork: BlockVersion | undefined;
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

  /**
   * Returns the present prices for each priority, and the fork since which no payments are made, if there is one.
   * @throws WalletError, DaemonError
   */
  async prices(): Promise<Pick<ReadPrices, 'pricesFor' | 'fork'>> {
    return this.#current();
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
   * Sends the batches of an account that are due. The next one is made while others are signed and sent.
   * @returns false if the daemon cannot be asked now.
   */
  async #sendDue(account: number): Promise<boolean> {
    const round: AccountRound = {
      ...{ account, candidates: [], left: new Set(), most: MAX_PAYEES, isBlocked: false },
    };
    const running = new Set<Promise<void>>();
    try {
      while (!round.isBlocked && !this.#isClosed) {
        const composed = await this.#compose(round);
        if (composed !== undefined) {
          const { isHeld, ended } = this.#pay(round, composed);
          const noted = ended.then(() => void running.delete(noted));
          // It is awaited later; an error that is thrown meanwhile counts then.
          noted.catch(() => undefined);
          running.add(noted);
          await isHeld;
        } else if (running.size === 0) break;
        // A batch that ends may leave payouts or money for another one.
        if (composed === undefined) await Promise.race(running);
        this.#context.assertOpen();
        await yieldToEventLoop();
      }
      await Promise.all(running);
      return !round.isBlocked;
    } finally {
      await Promise.allSettled(running);
    }
  }

  /** Composes the next batch of an account; undefined if none is due or can be paid now. */
  async #compose(round: AccountRound): Promise<Composition | undefined> {
    const { account, left, most } = round;
    const { store, clock } = this.#context;
    const now = unixSeconds(clock);
    if (store.read((r) => r.payouts.pauseOf(account)) !== undefined) return undefined;
    const candidates = this.#candidates(account, now).filter(({ payout }) => !left.has(payout.sequence));
    round.candidates = candidates;
    if (candidates.length === 0 || !this.#isDue(account, candidates, now)) return undefined;
    if (!this.#services.sync.isSynced)
      return this.#block(round, {
        kind: 'node',
        reason: 'the wallet has not read the blocks of the daemon',
      });
    let composed: Composition;
    try {
      const { fork } = await this.#current();
      if (fork !== undefined) return this.#block(round, { kind: 'fork', ...fork });
      composed = composeBatch(candidates, await this.#terms(account, candidates, { now, most }));
    } catch (error) {
      return this.#block(round, blockOf(error));
    }
    for (const { payout } of candidates) this.#obstacles.delete(payout.sequence);
    for (const [sequence, shortfall] of composed.shortfalls) this.#obstacles.set(sequence, shortfall);
    return composed.batch.length === 0 ? undefined : composed;
  }

  /** Begins to pay a batch. `isHeld` is false if the payment ended before its inputs were held. */
  #pay(
    round: AccountRound,
    composed: Composition,
  ): { readonly isHeld: Promise<boolean>; readonly ended: Promise<void> } {
    const { promise: isHeld, resolve } = Promise.withResolvers<boolean>();
    const { batch } = composed;
    const pay = async (): Promise<void> => {
      for (const { payout } of batch) round.left.add(payout.sequence);
      let setback: Setback | undefined = { skipped: [] };
      try {
        await this.#services.batches.pay(round.account, composed, () => resolve(true));
      } catch (error) {
        setback = setbackOf(error, batch);
        if (setback === undefined) this.#block(round, blockOf(error));
      } finally {
        for (const { payout } of batch) round.left.delete(payout.sequence);
        resolve(false);
      }
      round.most = setback?.most ?? MAX_PAYEES;
      for (const { payout } of setback?.skipped ?? []) {
        round.left.add(payout.sequence);
        if (setback?.obstacle !== undefined) this.#obstacles.set(payout.sequence, setback.obstacle);
      }
    };
    return { isHeld, ended: pay() };
  }

  /** Ends a round in which no payout can be sent now. */
  #block(round: AccountRound, obstacle: Obstacle): undefined {
    round.isBlocked = true;
    for (const { payout } of round.candidates) this.#obstacles.set(payout.sequence, obstacle);
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
    const { balances, payments } = this.#services;
    const { pricesFor } = await this.#current();
    const held = payments.planner.held(account);
    const available = amount(balances.unlocked(account) - sum(held.map((output) => output.amount)));
    const enough = outputsOfTwo(candidates.length);
    return {
      ...{ pricesFor, now, most, maxFeeRate: payoutSettings.maxFeeRate, patience: payoutSettings.patience },
      available,
      // Read only for a payout that lacks money, because it takes longer the more payments are unmined.
      get locked() {
        return (balances.ofAccounts(false).get(account)?.total ?? available) - available;
      },
      lackingOutputs: this.#lackingOutputs(account, candidates.length, now),
      spendableOutputs: store.read(
        (r) => r.spendableOutputs.countOpenUpTo(enough + held.length, account, store.height()) - held.length,
      ),
    };
  }

  async #current(): Promise<ReadPrices> {
    const now = monotonicMs();
    if (this.#prices !== undefined && now - this.#prices.time < PRICES_MS) return this.#prices;
    const { maxFeeRate } = this.#context.payoutSettings;
    const { feeEstimator, payments } = this.#services;
    const [pricesFor, fork] = await Promise.all([
      feeEstimator.payoutPrices(maxFeeRate),
      payments.fork.active(),
    ]);
    this.#context.assertOpen();
    this.#prices = { pricesFor, fork, time: now };
    return this.#prices;
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
