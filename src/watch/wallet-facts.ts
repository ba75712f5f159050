import type { RequestState } from '../model/payment-request.js';
import type { OpenWallet } from '../services/open-wallet.js';
import { readable } from './readable.js';
import { lagOf, type WalletLag } from './wallet-lag.js';

/** Parts of an open wallet that are watched. */
export interface WatchedWallet {
  readonly name: string;
  readonly store: Pick<OpenWallet['store'], 'height' | 'isDamaged' | 'version' | 'read' | 'fileSizes'>;
  readonly sync: Pick<OpenWallet['sync'], 'catchUp' | 'daemonHeight'> &
    Partial<Pick<OpenWallet['sync'], 'newerBlock' | 'unreadableInPool'>>;
  readonly paymentRoutes: Pick<OpenWallet['paymentRoutes'], 'held'>;
  readonly eventLog: Pick<OpenWallet['eventLog'], 'lastId'>;
  readonly webhooks: Pick<OpenWallet['webhooks'], 'backlog'>;
}

/** Facts of a wallet that depend on its store only. */
interface StoredFacts {
  readonly pendingPayments: number;
  readonly failedPayments: number;
  /** Number of events that wait for their first attempt of a delivery. */
  readonly webhookEvents: number;
  /** Number of deliveries that wait for a further attempt. */
  readonly webhookRetries: number;
  /** Id of the latest event. */
  readonly lastEvent: number;
  /** Number of payment requests by the state that their events have reported; empty if there are none. */
  readonly requests: ReadonlyMap<RequestState, number>;
}

/** Facts of an open wallet for metrics and pages. */
export interface WalletFacts extends WalletLag, StoredFacts {
  readonly name: string;
  /** Number of blocks that are still to be read again for addresses that were not watched before; 0 if there are none. */
  readonly blocksAgain: number;
  /** Number of payments that wait for the daemon that they were sent to. */
  readonly heldPayments: number;
  /** Number of transactions in the pool that could not be read. */
  readonly unreadableInPool: number;
  readonly storeBytes: number;
  /** Size of the write-ahead log [bytes]. */
  readonly logBytes: number;
}

const UNKNOWN: StoredFacts = {
  ...{ pendingPayments: 0, failedPayments: 0, webhookEvents: 0, webhookRetries: 0, lastEvent: 0 },
  requests: new Map(),
};

/** Reads facts of wallets. Reads a store only if it has changed since the last call. */
export class WalletFactReader {
  readonly #known = new WeakMap<WatchedWallet, { readonly version: number; readonly facts: StoredFacts }>();

  /** Reads the facts of a wallet. @param latest number of blocks in a recent answer of the daemon. */
  read(wallet: WatchedWallet, latest?: number): WalletFacts {
    const { main, log } = wallet.store.fileSizes();
    return {
      name: wallet.name,
      ...lagOf(wallet, latest),
      ...this.#stored(wallet),
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
  const { unmined, requests } = store.read((r) => ({
    unmined: r.outgoing.unminedCounts(),
    requests: r.requests.counts(),
  }));
  const { events, retries } = webhooks.backlog();
  return {
    ...{ pendingPayments: unmined.pending, failedPayments: unmined.failed, requests },
    ...{ webhookEvents: events, webhookRetries: retries, lastEvent: eventLog.lastId },
  };
}
