import type { WalletStore } from '../../store/wallet-store.js';
import type { Rng } from '../../util/random.js';
import type { ExportFormat } from '../../monero/wallet/exchange/exported-outputs.js';
import type { WorkerPools } from '../workers/worker-pools.js';
import type { AddressCache } from './address-cache.js';
import type { TimeOfDay } from '../../util/clock.js';
import type { DaemonAccess } from './daemon-access.js';
import type { ExportCipher } from './export-cipher.js';
import type { Keystore } from './keystore.js';
import type { RequestSettings } from './request-settings.js';
import type { Holding } from './holding.js';
import type { OpenAlias } from './openalias.js';
import type { TimeBounds } from './time-bounds.js';
import type { WalletEvents } from './wallet-events.js';
import type { WalletLocks } from './wallet-locks.js';
import type { WalletLog } from './wallet-log.js';

/**
 * Resources of one open wallet, shared by its services. Contains no service: a service takes the resources that it uses
 * (`Pick<WalletContext, …>`) and other services as named parameters. `open-wallet.ts` creates it.
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
