import type { BlockVersion } from '../daemon/errors.js';
import { faultOf } from '../model/wallet-error.js';
import { seesPayments } from '../monero/wallet/keys.js';
import type { RequestState } from '../model/payment-request.js';
import type { OpenWallet } from '../services/open-wallet.js';
import { NO_SUMS, paymentSums, type PaymentSums } from '../services/history/payment-sums.js';
import type { Obstacle } from '../services/payouts/payout-obstacles.js';
import { systemClock, unixSeconds, type TimeOfDay } from '../util/clock.js';
import {
  lowAccounts,
  NO_PAYOUTS,
  payoutAges,
  payoutFigures,
  type PayoutFigures,
  type PayoutWait,
} from '../services/payouts/payout-figures.js';

/** Reads a value from the store of an open wallet; undefined if the store is damaged or the wallet was closed. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (faultOf(error) !== undefined) return undefined;
    throw error;
  }
}

/** Parts of an open wallet that determine how many blocks it lacks. */
export interface FollowingWallet {
  readonly store: { height(): number; readonly isDamaged: boolean };
  readonly sync: {
    /** Number of blocks of the daemon; 0 before the first refresh. */
    readonly daemonHeight: number;
    readonly newerBlock?: BlockVersion | undefined;
  };
  /** Keys of the wallet, which reads no blocks if they make addresses alone. */
  readonly keys?: Parameters<typeof seesPayments>[0];
}

/** Blocks of a wallet in comparison with the daemon. */
interface WalletLag {
  /** Number of blocks that the wallet knows; 0 if its store cannot be read. */
  readonly height: number;
  /** Number of blocks of the daemon; undefined while it is unknown. */
  readonly daemonHeight: number | undefined;
  /** Number of blocks that the wallet lacks; 0 while it is unknown. */
  readonly blocks: number;
  readonly isDamaged: boolean;
  /** Block of an unknown newer version at which the last refresh of the wallet ended. */
  readonly newerBlock?: BlockVersion | undefined;
}

/**
 * Compares the blocks of a wallet with the chain of the daemon. Reads the store only if it has changed since the last
 * call.
 * @param latest number of blocks in a recent answer of the daemon; undefined: the number at the wallet's last refresh.
 */
export function lagOf({ store, sync, keys = {} }: FollowingWallet, latest?: number): WalletLag {
  const height = readable(() => store.height());
  const known = seesPayments(keys) ? (latest ?? sync.daemonHeight) : 0;
  const daemonHeight = known === 0 ? undefined : known;
  const blocks = height === undefined ? 0 : Math.max(0, (daemonHeight ?? 0) - height);
  const { newerBlock } = sync;
  return { height: height ?? 0, daemonHeight, blocks, isDamaged: store.isDamaged, newerBlock };
}

/** Parts of an open wallet that are watched. */
export interface WatchedWallet {
  readonly name: string;
  readonly store: Pick<OpenWallet['store'], 'height' | 'isDamaged' | 'version' | 'read' | 'fileSizes'>;
  readonly sync: Pick<OpenWallet['sync'], 'catchUp' | 'daemonHeight'> &
    Partial<Pick<OpenWallet['sync'], 'newerBlock' | 'unreadableInPool'>>;
  readonly keys?: NonNullable<FollowingWallet['keys']>;
  readonly paymentRoutes: Pick<OpenWallet['paymentRoutes'], 'held'>;
  readonly eventLog: Pick<OpenWallet['eventLog'], 'lastId'>;
  readonly webhooks: Pick<OpenWallet['webhooks'], 'backlog' | 'counts'>;
  readonly payouts: Pick<OpenWallet['payouts'], 'obstacleCounts'>;
}

/** Facts of a wallet that depend on its store only. */
interface StoredFacts {
  readonly pendingPayments: number;
  readonly failedPayments: number;
  /** Time at which the oldest payment was made that was sent and is not mined [Unix s]; undefined without such payments. */
  readonly oldestPending: number | undefined;
  /** Numbers of orders with a payment in no block, and of failed orders; undefined without orders. */
  readonly orders: { readonly waiting: number; readonly failed: number } | undefined;
  /** Number of enabled webhooks, and of those that are disabled because they answered 410. */
  readonly enabledWebhooks: number;
  readonly disabledWebhooks: number;
  /** Number of events that wait for their first attempt of a delivery. */
  readonly webhookEvents: number;
  /** Number of deliveries that wait for a further attempt. */
  readonly webhookRetries: number;
  /** Id of the latest event. */
  readonly lastEvent: number;
  /** Number of payment requests by the state that their events have reported; empty if there are no requests. */
  readonly requests: ReadonlyMap<RequestState, number>;
  readonly payouts: PayoutFigures;
  /** Number of accounts whose balance is below the limit of their policy. */
  readonly lowAccounts: number;
}

/** Facts of an open wallet for metrics and pages. */
export interface WalletFacts extends WalletLag, StoredFacts {
  readonly name: string;
  /**
   * Number of blocks that are still to be read again for addresses that were not watched before; 0 if there are no such
   * blocks.
   */
  readonly blocksAgain: number;
  /** Number of payments that wait for the daemon that they were sent to. */
  readonly heldPayments: number;
  /** Number of transactions in the pool that could not be read. */
  readonly unreadableInPool: number;
  readonly storeBytes: number;
  /** Size of the write-ahead log [bytes]. */
  readonly logBytes: number;
  /** Age of the oldest payment that was sent and is not mined [s]; undefined without such payments. */
  readonly pendingAge: number | undefined;
  /** Time for which the oldest payout has waited [s], by what it waits for. */
  readonly payoutAges: ReadonlyMap<PayoutWait, number>;
  /** Number of queued payouts that the last round of the queue could not send, by the kind of the reason. */
  readonly payoutObstacles: ReadonlyMap<Obstacle['kind'], number>;
}

const UNKNOWN: StoredFacts = {
  ...{ pendingPayments: 0, failedPayments: 0, oldestPending: undefined, orders: undefined },
  ...{ enabledWebhooks: 0, disabledWebhooks: 0, webhookEvents: 0, webhookRetries: 0, lastEvent: 0 },
  ...{ requests: new Map(), payouts: NO_PAYOUTS, lowAccounts: 0 },
};

/** Reads facts of wallets. Reads a store only if it has changed since the last call. */
export class WalletFactReader {
  readonly #clock: TimeOfDay;
  readonly #known = new WeakMap<WatchedWallet, { readonly version: number; readonly facts: StoredFacts }>();

  constructor(clock: TimeOfDay = systemClock) {
    this.#clock = clock;
  }

  /** Reads the facts of a wallet. @param latest number of blocks in a recent answer of the daemon. */
  read(wallet: WatchedWallet, latest?: number): WalletFacts {
    const { main, log } = wallet.store.fileSizes();
    const stored = this.#stored(wallet);
    const now = unixSeconds(this.#clock);
    const { oldestPending } = stored;
    const hasQueue = (stored.payouts.counts.get('queued') ?? 0) > 0;
    return {
      name: wallet.name,
      ...lagOf(wallet, latest),
      ...stored,
      payoutAges: payoutAges(stored.payouts, now),
      pendingAge: oldestPending === undefined ? undefined : Math.max(0, now - oldestPending),
      payoutObstacles: (hasQueue ? readable(() => wallet.payouts.obstacleCounts()) : undefined) ?? new Map(),
      blocksAgain: readable(() => blocksAgainOf(wallet)) ?? 0,
      heldPayments: wallet.paymentRoutes.held,
      unreadableInPool: wallet.sync.unreadableInPool ?? 0,
      storeBytes: main,
      logBytes: log,
    };
  }

  #stored(wallet: WatchedWallet): StoredFacts {
    const { version } = wallet.store;
    const known = this.#known.get(wallet);
    if (known?.version === version) return known.facts;
    const facts = readable(() => factsIn(wallet)) ?? known?.facts ?? UNKNOWN;
    this.#known.set(wallet, { version, facts });
    return facts;
  }
}

function blocksAgainOf({ sync: { catchUp } }: WatchedWallet): number {
  return catchUp === undefined ? 0 : Math.max(0, catchUp.height - catchUp.next);
}

/** Reads facts from the store. @throws WalletError for a store that is damaged or was closed. */
function factsIn({ store, eventLog, webhooks }: WatchedWallet): StoredFacts {
  const { unmined, ...counted } = store.read((r) => ({
    unmined: r.outgoing.unminedCounts(),
    oldestPending: r.outgoingSearch.oldestPending(1)[0]?.timestamp,
    orders: r.orders.figures(),
    requests: r.requests.counts(),
    payouts: payoutFigures(r),
    lowAccounts: lowAccounts(r).size,
  }));
  const { events, retries } = webhooks.backlog();
  const { enabled, disabled } = webhooks.counts();
  return {
    ...{ pendingPayments: unmined.pending, failedPayments: unmined.failed, ...counted },
    ...{ enabledWebhooks: enabled, disabledWebhooks: disabled },
    ...{ webhookEvents: events, webhookRetries: retries, lastEvent: eventLog.lastId },
  };
}

const DAY_SECONDS = 86_400;

/** Sums of a wallet, with the day and the version of the store to which they belong. */
interface Known {
  readonly version: number;
  readonly day: number;
  readonly sums: PaymentSums;
}

/**
 * Reads the sums of the payments since 00:00 UTC. Reads a store only if it has changed, or a day has begun, since the
 * last call.
 */
export class DaySumReader {
  readonly #clock: TimeOfDay;
  readonly #known = new WeakMap<object, Known>();

  constructor(clock: TimeOfDay) {
    this.#clock = clock;
  }

  /** Reads the sums of a wallet. While its store cannot be read, returns the sums of an earlier call. */
  async read(wallet: Pick<WatchedWallet, 'store'>): Promise<PaymentSums> {
    const day = Math.floor(unixSeconds(this.#clock) / DAY_SECONDS);
    const known = this.#known.get(wallet);
    const { version } = wallet.store;
    if (known?.version === version && known.day === day) return known.sums;
    try {
      const sums = await paymentSums(wallet.store, day * DAY_SECONDS);
      this.#known.set(wallet, { version, day, sums });
      return sums;
    } catch (error) {
      if (faultOf(error) === undefined) throw error;
      return known?.day === day ? known.sums : NO_SUMS;
    }
  }
}
