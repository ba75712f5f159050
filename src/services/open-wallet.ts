import { wipeKeys, type WalletKeys } from '../monero/wallet/keys.js';
import type { WalletLock } from '../store/file/wallet-lock.js';
import type { WalletStore } from '../store/wallet-store.js';
import type { Refresher } from '../refresh/refresher.js';
import { WalletError } from '../model/wallet-error.js';
import { AccountTags } from './accounts/account-tags.js';
import { Accounts } from './accounts/accounts.js';
import { AddressBook } from './accounts/address-book.js';
import { Balances } from './accounts/balances.js';
import { Annotations } from './accounts/notes.js';
import { ColdSigning, sealUnsigned } from './cold/cold-signing.js';
import { KeyImageTransfer } from './cold/key-image-transfer.js';
import { OutputTransfer } from './cold/output-transfer.js';
import type { HeldWallet } from './cluster/held-wallet.js';
import { AddressCache } from './context/address-cache.js';
import { ExportCipher } from './context/export-cipher.js';
import { type Keystore, isMultisigImportNeeded } from './context/keystore.js';
import { type WalletContext, WalletLocks } from './context/wallet-context.js';
import type { WalletPaths } from './context/wallet-directory.js';
import { TimeBounds } from './context/time-bounds.js';
import { TxNotices, type NoticeRunner } from './events/tx-notices.js';
import { WalletEventLog } from './events/wallet-event-log.js';
import { History } from './history/history.js';
import { Mining } from './mining.js';
import { MultisigInfoTransfer } from './multisig/multisig-info.js';
import { sealMultisig, MultisigSigning } from './multisig/multisig-signing.js';
import { MultisigSetup, type Rekey } from './multisig/multisig-setup.js';
import { FeeEstimator } from './payments/fee-estimator.js';
import { Orders } from './payments/orders.js';
import { PaymentMaker } from './payments/payment-maker.js';
import { Sweeps } from './payments/sweeps.js';
import { Transfers } from './payments/transfers.js';
import { Proofs } from './proofs/proofs.js';
import { Payouts } from './payouts/payouts.js';
import { ReserveBundles } from './proofs/reserve-bundles.js';
import { PaymentRequests } from './requests/payment-requests.js';
import { Refunds } from './payouts/refunds.js';
import { BackgroundSync } from './sync/background-sync.js';
import { LostPayments } from './sync/lost-payments.js';
import { MempoolTracker } from './sync/mempool-tracker.js';
import { OutputFreezing } from './sync/output-freezing.js';
import { PaymentRelay } from './sync/payment-relay.js';
import type { PaymentRoutes } from './sync/payment-routes.js';
import { PlacedKeyImages } from './sync/placed-key-images.js';
import { TxScan } from './sync/tx-scan.js';
import { SignedSets } from './sync/signed-sets.js';
import { WalletSync } from './sync/wallet-sync.js';
import { WalletWebhooks } from './webhooks/wallet-webhooks.js';
import type { WebhookSending } from './webhooks/webhook-sending.js';

/** Resources that an open wallet receives; the wallet creates the rest of its {@link WalletContext} itself. */
export interface OpenWalletParts extends Omit<
  WalletContext,
  'name' | 'addresses' | 'exports' | 'locks' | 'timeBounds' | 'assertOpen' | 'holding'
> {
  /** Paths of the wallet's files; absent for a wallet in memory, which also has no lock. */
  readonly paths?: WalletPaths;
  readonly lock?: WalletLock;
  /** Holding of the wallet in a cluster; absent without a cluster. */
  readonly held?: HeldWallet;
  readonly kdfRounds: number;
  readonly refresher: Refresher;
  readonly webhookSending: WebhookSending;
  /** Starts the commands of `--tx-notify`; absent if the option is not set. */
  readonly noticeRunner?: NoticeRunner;
  /** Replaces the keys of this wallet: closes the wallet and opens it again. */
  readonly rekey: (wallet: OpenWallet, ...args: Parameters<Rekey>) => ReturnType<Rekey>;
}

/** One open wallet: creates its context, and its services in the order of their dependencies. */
export class OpenWallet {
  readonly context: WalletContext;
  readonly sync: WalletSync;
  readonly mempool: MempoolTracker;
  readonly outputFreezing: OutputFreezing;
  readonly txScan: TxScan;
  readonly backgroundSync: BackgroundSync;
  readonly accounts: Accounts;
  readonly tags: AccountTags;
  readonly addressBook: AddressBook;
  readonly annotations: Annotations;
  readonly balances: Balances;
  readonly history: History;
  readonly eventLog: WalletEventLog;
  readonly webhooks: WalletWebhooks;
  readonly proofs: Proofs;
  readonly reserveBundles: ReserveBundles;
  readonly mining: Mining;
  readonly feeEstimator: FeeEstimator;
  readonly paymentRoutes: PaymentRoutes;
  readonly payments: PaymentMaker;
  readonly orders: Orders;
  readonly paymentRequests: PaymentRequests;
  readonly refunds: Refunds;
  readonly transfers: Transfers;
  readonly payouts: Payouts;
  readonly sweeps: Sweeps;
  readonly outputTransfer: OutputTransfer;
  readonly keyImageTransfer: KeyImageTransfer;
  readonly coldSigning: ColdSigning;
  readonly multisigSetup: MultisigSetup;
  readonly multisigInfoTransfer: MultisigInfoTransfer;
  readonly multisigSigning: MultisigSigning;
  readonly #parts: OpenWalletParts;
  readonly #exports: ExportCipher;
  readonly #notices: TxNotices | undefined;
  #closed = false;
  #isLockDetached = false;

  constructor(parts: OpenWalletParts) {
    this.#parts = parts;
    this.#exports = new ExportCipher(parts.keystore.keys, parts.kdfRounds, parts.rng);
    const context = this.#createContext();
    this.context = context;

    const relay = new PaymentRelay(context);
    this.paymentRoutes = relay.routes;
    const lostPayments = new LostPayments(context, { relay });
    const mempool = new MempoolTracker(context);
    const signedSets = new SignedSets(context);
    const placedKeyImages = new PlacedKeyImages(context);
    const { refresher } = parts;
    const sync = new WalletSync(context, { refresher, mempool, lostPayments, placedKeyImages, signedSets });
    this.mempool = mempool;
    this.sync = sync;
    this.txScan = new TxScan(context, { sync });
    this.backgroundSync = new BackgroundSync(context, { sync });

    const accounts = new Accounts(context, { sync });
    this.accounts = accounts;
    this.tags = new AccountTags(context, { accounts });
    this.addressBook = new AddressBook(context, { accounts });
    this.annotations = new Annotations(context);
    this.balances = new Balances(context, { accounts });
    this.history = new History(context, { accounts, annotations: this.annotations });
    this.eventLog = new WalletEventLog(context);
    this.webhooks = new WalletWebhooks(context, { sending: parts.webhookSending });
    const { noticeRunner: runner } = parts;
    this.#notices = runner && new TxNotices(context, { runner });
    this.proofs = new Proofs(context, { accounts });
    this.reserveBundles = new ReserveBundles(context, { accounts });
    this.mining = new Mining(context, { accounts });

    this.outputTransfer = new OutputTransfer(context, { accounts, sync });
    this.keyImageTransfer = new KeyImageTransfer(context, { sync });
    this.feeEstimator = new FeeEstimator(context);
    const payments = new PaymentMaker(context, {
      ...{ accounts, mempool, relay, feeEstimator: this.feeEstimator },
      sealUnsigned: (txs) => sealUnsigned(context, this.outputTransfer, txs),
      sealMultisig: (txs) => sealMultisig(context, txs),
    });
    this.payments = payments;
    const { spending } = payments;
    this.outputFreezing = new OutputFreezing(context, { sync, lostPayments, spending });
    this.orders = new Orders(context, { relay });
    this.paymentRequests = new PaymentRequests(context, { accounts, sync });
    this.transfers = new Transfers({ accounts, balances: this.balances, payments });
    this.sweeps = new Sweeps(context, { accounts, outputFreezing: this.outputFreezing, payments });
    this.coldSigning = new ColdSigning(context, {
      ...{ accounts, payments, outputTransfer: this.outputTransfer },
      keyImageTransfer: this.keyImageTransfer,
    });
    this.payouts = new Payouts(context, {
      ...{ accounts, sync, payments, balances: this.balances, feeEstimator: this.feeEstimator },
      ...{
        coldSigning: this.coldSigning,
        orders: this.orders,
        sweeps: this.sweeps,
        transfers: this.transfers,
      },
    });
    const { payouts, paymentRequests: requests } = this;
    this.refunds = new Refunds(context, { accounts, payouts, requests });
    this.multisigSetup = new MultisigSetup(context, { sync, rekey: (change) => parts.rekey(this, change) });
    this.multisigInfoTransfer = new MultisigInfoTransfer(context, { sync });
    this.multisigSigning = new MultisigSigning(context, { accounts, payments });

    const { held } = parts;
    const showEvents = (): void => {
      context.events.onEvents?.(context.name);
      this.#notices?.onEvents();
    };
    held?.attach(parts.store, showEvents);
    parts.store.watchEvents(() => {
      if (held === undefined) showEvents();
      else held.advanceEvents(sync.isSynced);
      this.webhooks.onEvents();
      this.paymentRequests.onEvents();
    });
    lostPayments.adoptPrepared();
    this.webhooks.start();
    this.#notices?.start();
    this.paymentRequests.start();
    this.payouts.start();
  }

  #createContext(): WalletContext {
    const { paths, store, keystore, daemon, openAlias, workers, clock, rng, log, events } = this.#parts;
    const { exportFormat, eventRetentionMs, requestSettings, payoutSettings, held } = this.#parts;
    const name = paths?.name ?? '';
    const assertOpen = (): void => this.assertOpen();
    return {
      ...{ name, store, keystore, daemon, openAlias, workers, clock, rng, log, events, eventRetentionMs },
      ...{ exportFormat, requestSettings, payoutSettings, assertOpen },
      ...(held === undefined ? {} : { holding: held }),
      exports: this.#exports,
      addresses: new AddressCache(() => {
        assertOpen();
        return keystore.keys;
      }),
      locks: new WalletLocks(),
      timeBounds: new TimeBounds({ store, clock }),
    };
  }

  /**
   * Checks that the wallet is open; to be called after each `await`. @throws WalletError `no_wallet` once it is closed.
   */
  assertOpen(): void {
    if (this.#closed) throw new WalletError({ kind: 'no_wallet' });
  }

  /** Name of the wallet in the wallet directory; empty for a wallet in memory. */
  get name(): string {
    return this.context.name;
  }

  get store(): WalletStore {
    return this.context.store;
  }

  get keystore(): Keystore {
    return this.context.keystore;
  }

  get keys(): WalletKeys {
    return this.keystore.keys;
  }

  get isViewOnly(): boolean {
    return this.keystore.isViewOnly;
  }

  /** Paths of the wallet's files; undefined for a wallet in memory. */
  get paths(): WalletPaths | undefined {
    return this.#parts.paths;
  }

  /** True if an output lacks its key image until this wallet imports multisig info of other signers. */
  get isMultisigImportNeeded(): boolean {
    return isMultisigImportNeeded(this.context);
  }

  /**
   * Moves the write-ahead log into the store, and writes the keys file again if it was deleted. Acknowledged changes
   * are also on disk without this call.
   */
  async save(): Promise<void> {
    this.store.checkpointSync();
    if (await this.keystore.restoreFile())
      this.context.log.warn({}, 'the keys file of the open wallet was deleted; it was written again');
  }

  /** Holding of the wallet in a cluster; undefined without a cluster. */
  get held(): HeldWallet | undefined {
    return this.#parts.held;
  }

  /**
   * Takes the lock and the holding of the wallet: {@link close} does not end them any more.
   * @returns the lock; undefined for a wallet in memory.
   */
  detachLock(): Pick<OpenWalletParts, 'lock' | 'held'> {
    this.#isLockDetached = true;
    const { lock, held } = this.#parts;
    return { ...(lock === undefined ? {} : { lock }), ...(held === undefined ? {} : { held }) };
  }

  /**
   * Closes the wallet: aborts its calls to the daemon, stops its refresh, webhooks and `--tx-notify`, closes the store,
   * wipes the keys.
   */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.context.daemon.close();
    this.sync.stop();
    this.#notices?.close();
    this.paymentRequests.close();
    this.payouts.close();
    const webhooksEnd = this.webhooks.close();
    await this.payments.waitForPayment();
    await webhooksEnd;
    const { held, lock } = this.#parts;
    const isReplicated = (await held?.detach()) ?? false;
    await this.store.waitForCheckpoint();
    try {
      this.store.close();
    } finally {
      if (!this.#isLockDetached) lock?.release();
      this.context.events.onClosed(this.name);
      this.#exports.wipe();
      wipeKeys(this.keys);
      if (!this.#isLockDetached) await held?.end(isReplicated);
    }
  }
}
