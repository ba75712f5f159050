import { HandOverMutex, Mutex } from '../../util/concurrency.js';
import type { ReplacedBlocks } from '../../monero/wallet/scan/findings.js';
import type { WalletStore } from '../../store/wallet-store.js';
import type { Rng } from '../../util/random.js';
import type { ExportFormat } from '../../monero/wallet/exchange/exported-outputs.js';
import type { WorkerPools } from '../workers/worker-pools.js';
import type { AddressCache } from './address-cache.js';
import type { TimeOfDay } from '../../util/clock.js';
import type { DaemonAccess } from './daemon-access.js';
import type { ExportCipher } from './export-cipher.js';
import type { Keystore } from './keystore.js';
import type { OpenAlias } from './openalias.js';
import type { TimeBounds } from './time-bounds.js';
import type { PayoutRules } from '../../model/payout-rule.js';
import type { ConfirmationScale } from '../../model/payment-request.js';
import type { Hash } from '../../monero/crypto/types.js';

/**
 * Resources of one open wallet, shared by its services. The context contains no service: a service takes the resources
 * that it uses (`Pick<WalletContext, …>`) and other services as named parameters. `open-wallet.ts` creates it.
 */
export interface WalletContext {
  /** Name of the wallet in the wallet directory; empty for a wallet in memory. */
  readonly name: string;
  readonly store: WalletStore;
  readonly keystore: Keystore;
  /** Texts and keys of the wallet's own addresses. */
  readonly addresses: AddressCache;
  /** Encrypts data for other wallets with the same view key. */
  readonly exports: ExportCipher;
  /** Version of the format in which outputs are exported. */
  readonly exportFormat: ExportFormat;
  readonly daemon: DaemonAccess;
  readonly openAlias: OpenAlias;
  readonly workers: WorkerPools;
  readonly clock: TimeOfDay;
  readonly timeBounds: TimeBounds;
  readonly rng: Rng;
  readonly log: WalletLog;
  readonly events: WalletEvents;
  readonly requestSettings: RequestSettings;
  readonly payoutSettings: PayoutSettings;
  /** Age at which events are deleted [ms]. */
  readonly eventRetentionMs: number;
  readonly locks: WalletLocks;
  /** Holding of the wallet by this process of a cluster; absent without a cluster. */
  readonly holding?: Holding;
  /**
   * Checks that the wallet is open; to be called after each `await`. @throws WalletError `no_wallet` once it is closed.
   */
  readonly assertOpen: () => void;
}

/** Holding of an open wallet by this process of a cluster. */
export interface Holding {
  /**
   * Resolves once all changes that were made so far are stored by a quorum of the cluster's databases. To be awaited
   * before the process sends an answer, a payment or an event that depends on these changes.
   * @throws WalletError `not_replicated` if the changes may not be stored, `wallet_elsewhere` after the loss of the
   * wallet.
   */
  settled(): Promise<void>;
  /**
   * Checks that this process still holds the wallet. @throws WalletError `wallet_elsewhere`; `not_replicated` if this
   * is unknown for lack of a quorum.
   */
  assertHeld(): void;
  /** Id up to which the events of the wallet are stored by a quorum; later events are not shown yet. */
  readonly eventsUpTo: number;
}

/** Settings of payment requests. */
export interface RequestSettings {
  /** Numbers of confirmations that requests need, by their amount. */
  readonly scale: ConfirmationScale;
  /** Address of the pay pages without the token, ending with a slash; absent: there are no pay pages. */
  readonly payUrl?: string;
}

/** Settings of the queue of payouts. */
export interface PayoutSettings {
  /** Time that a payout waits for others before a batch with less than 15 payouts leaves [s]; 0: no time. */
  readonly interval: number;
  /** Time that the oldest payout waits before unlocked money is kept for it [s]. */
  readonly patience: number;
  /** Highest fee rate [atomic units per byte]; absent: any rate. */
  readonly maxFeeRate?: bigint;
  /** Number of outputs that a paying account keeps, by dividing its change; 0: as many as its batches need. */
  readonly outputs: number;
  /** Time until which the set of a batch of a view-only wallet may be signed [s]. */
  readonly signingTime: number;
  /** Rules by which other persons must approve payouts. */
  readonly rules: PayoutRules;
}

/** Number of payments of a wallet that are made at the same time: two threads sign, and one more asks the daemon. */
const MOST_PAYMENTS = 3;

/** Locks of one open wallet. Order of acquisition: `refresh`, `payment`, `spentStates`. */
export class WalletLocks {
  /** Held while blocks are fetched and committed. */
  readonly refresh = new Mutex();
  /**
   * Held while a payment is made, so that no output is selected twice. A payment may hand it over to the next one once
   * its planner holds its inputs.
   */
  readonly payment = new HandOverMutex(MOST_PAYMENTS);
  /**
   * Held from the request to the daemon for spent key images until its answer is recorded, so that a later answer wins.
   */
  readonly spentStates = new Mutex();

  /** Runs a task while both `refresh` and `payment` are held. */
  exclusive<T>(task: () => Promise<T>): Promise<T> {
    return this.refresh.run(() => this.payment.run(task));
  }
}

/** Notifications of open wallets, each with the name of the wallet (empty in memory). Listeners must not throw. */
export interface WalletEvents {
  /**
   * Called when transactions that pay the wallet are seen for the first time, in the pool or in blocks; at least one.
   */
  readonly onIncoming: (name: string, txHashes: readonly Hash[]) => void;
  /**
   * Called when blocks were scanned.
   * @param height number of blocks that the wallet knows. @param daemonHeight number of blocks that the daemon has.
   * @param scanned number of blocks scanned since the last call.
   */
  readonly onProgress: (name: string, height: number, daemonHeight: number, scanned: number) => void;
  /** Called when a reorganisation replaced blocks of the wallet, after their replacements were committed. */
  readonly onReorganised?: (name: string, blocks: ReplacedBlocks) => void;
  readonly onClosed: (name: string) => void;
  /** Called when events were appended to the store and committed. */
  readonly onEvents?: (name: string) => void;
  /** Called when a payment request was created, cancelled or extended. @param token random name of its pay page. */
  readonly onRequest?: (name: string, token: Uint8Array) => void;
}

/** Logger for messages about one open wallet. */
export interface WalletLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Returns a logger that adds the wallet's name to each line. A child logger of pino cannot be used, because it keeps
 * the log level of the time at which it was created.
 */
export const namedLog = (log: WalletLog, name: string): WalletLog => ({
  info: (fields, message) => log.info({ name, ...fields }, message),
  warn: (fields, message) => log.warn({ name, ...fields }, message),
  error: (fields, message) => log.error({ name, ...fields }, message),
});
