import type { OpenWallet } from '../services/open-wallet.js';
import { readable } from './readable.js';
import { lagOf, type WalletLag } from './wallet-lag.js';

/** The parts of an open wallet that are watched. */
export interface WatchedWallet {
  readonly name: string;
  readonly store: Pick<OpenWallet['store'], 'height' | 'isDamaged' | 'version' | 'read' | 'fileSizes'>;
  readonly sync: Pick<OpenWallet['sync'], 'daemonHeight'>;
  readonly paymentRoutes: Pick<OpenWallet['paymentRoutes'], 'held'>;
  readonly eventLog: Pick<OpenWallet['eventLog'], 'lastId'>;
  readonly webhooks: Pick<OpenWallet['webhooks'], 'backlog'>;
}

/** Facts that depend on the store alone. */
interface StoredFacts {
  readonly pendingPayments: number;
  readonly failedPayments: number;
  /** Events that wait for their first attempt. */
  readonly webhookEvents: number;
  /** Deliveries that wait for another attempt. */
  readonly webhookRetries: number;
  /** Id of the latest event. */
  readonly lastEvent: number;
}

/** Figures of an open wallet. */
export interface WalletFacts extends WalletLag, StoredFacts {
  readonly name: string;
  /** Payments that wait for the daemon they were sent to. */
  readonly heldPayments: number;
  readonly storeBytes: number;
  /** Size of the write-ahead log. */
  readonly logBytes: number;
}

const UNKNOWN: StoredFacts = {
  ...{ pendingPayments: 0, failedPayments: 0, webhookEvents: 0, webhookRetries: 0, lastEvent: 0 },
};

/** Reads figures of wallets. The store of a wallet is read only if it has changed since. */
export class WalletFactReader {
  readonly #known = new WeakMap<WatchedWallet, { readonly version: number; readonly facts: StoredFacts }>();

  /** @param latest number of blocks by a recent answer of the daemon. */
  read(wallet: WatchedWallet, latest?: number): WalletFacts {
    const { main, log } = wallet.store.fileSizes();
    return {
      name: wallet.name,
      ...lagOf(wallet, latest),
      ...this.#stored(wallet),
      heldPayments: wallet.paymentRoutes.held,
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

/** @throws WalletError for a store that is damaged or was closed. */
function factsIn({ store, eventLog, webhooks }: WatchedWallet): StoredFacts {
  const { pending, failed } = store.read((r) => r.outgoing.unminedCounts());
  const { events, retries } = webhooks.backlog();
  return {
    ...{ pendingPayments: pending, failedPayments: failed },
    ...{ webhookEvents: events, webhookRetries: retries, lastEvent: eventLog.lastId },
  };
}
