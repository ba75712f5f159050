import { SPENDABLE_AGE_BLOCKS } from '../../monero/cryptonote/constants.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { Hash, KeyImage } from '../../monero/crypto/types.js';
import { DaemonError } from '../../daemon/errors.js';
import { RefreshCancelled } from '../../refresh/refresh-error.js';
import type { RefreshResult, RefreshTarget } from '../../refresh/refresh-run.js';
import type { Refresher } from '../../refresh/refresher.js';
import type { ScannerState } from '../../refresh/scan/scanner-state.js';
import type { PoolFinding } from '../../refresh/scan/wallet-scanner.js';
import type { BatchFindings, TxBatch } from '../../refresh/scan/transaction-scan.js';
import type { WalletId } from '../../refresh/messages.js';
import { toHex } from '../../util/bytes.js';
import { monotonicMs } from '../../util/monotonic-time.js';
import { SharedRun } from '../../util/shared-run.js';
import type { LocatedOutput, SpendingKeys } from '../../monero/wallet/scan/key-images.js';
import {
  hasFindings,
  type BlockRef,
  type PageFindings,
  type ImportedKeyImage,
  type TxFindings,
} from '../../monero/wallet/model/records.js';
import type { PackedSubaddresses } from '../../monero/wallet/scan/packed-subaddresses.js';
import type { Lookahead } from '../../monero/wallet/scan/subaddress-table.js';
import type { WalletContext } from '../context/wallet-context.js';
import { ArrivalHeight } from './arrival-height.js';
import { EventRetention } from './event-retention.js';
import type { LostPayments } from './lost-payments.js';
import { assertWatchable } from './lookahead-limit.js';
import type { MempoolTracker } from './mempool-tracker.js';
import type { PlacedKeyImages } from './placed-key-images.js';
import { RestoreHeight } from './restore-height.js';
import type { SignedSets } from './signed-sets.js';
import { clearInParts } from './chain-clearing.js';
import { NewScanners } from './new-scanners.js';
import { lastCreatedAddresses } from './stored-scanner-state.js';
import { untilClosed } from './until-closed.js';

type Context = Pick<
  WalletContext,
  | 'name'
  | 'store'
  | 'keystore'
  | 'addresses'
  | 'clock'
  | 'daemon'
  | 'events'
  | 'eventRetentionMs'
  | 'locks'
  | 'log'
  | 'assertOpen'
>;

/** Sibling services, and the refresh threads. */
interface Services {
  readonly refresher: Refresher;
  readonly mempool: MempoolTracker;
  readonly lostPayments: LostPayments;
  readonly placedKeyImages: PlacedKeyImages;
  readonly signedSets: SignedSets;
}

export interface RefreshOptions {
  /** Unknown blocks below this height are skipped, unless it lies above the tip. */
  readonly startHeight?: number;
  /**
   * Earliest time of a daemon answer that may be used [ms of `monotonicMs`]; absent: now. Refreshes with the
   * same time share the daemon's answers.
   */
  readonly asOf?: number;
}

/** Blocks without findings at most that are not flushed to disk. */
const MAX_SCANNED_AGAIN = 10;

/** Blocks that a wallet lacks from which it is no longer synced. */
const BEHIND_BLOCKS = 10;

/** Refreshes one open wallet: passes its keys to the scanner and commits the scanner's findings to the store. */
export class WalletSync implements RefreshTarget {
  readonly #context: Context;
  readonly #services: Services;
  readonly #refresher: Refresher;
  readonly #id: WalletId;
  readonly #retention: EventRetention;
  readonly #readingPool = new SharedRun(() => this.#readPool());
  readonly #restoreHeight: RestoreHeight;
  readonly #newScanners: NewScanners;
  readonly #arrivalHeight: ArrivalHeight;
  #daemonHeight = 0;
  /** True while the wallet follows the daemon's tip, which it has reached since it was opened. */
  #isSynced = false;
  /** Number of calls that cancelled the refresh. */
  #cancels = 0;
  /** Whether a refresh committed data that is to be on disk when it ends. */
  #mustFlush = false;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
    this.#retention = new EventRetention(context);
    this.#restoreHeight = new RestoreHeight(context);
    this.#newScanners = new NewScanners(context);
    this.#arrivalHeight = new ArrivalHeight(context);
    this.#refresher = services.refresher;
    this.#id = this.#refresher.attach(this);
    context.store.watchLostPages((error) => this.#refresher.fail(this.#id, error));
  }

  /** Cancels the running refresh; no other one can be started. */
  stop(): void {
    this.#refresher.detach(this.#id);
  }

  /** Extends the watched addresses to a created one and the lookahead after it. */
  expandTo(index: SubaddressIndex): void {
    this.#refresher.expand(this.#id, index);
  }

  /** Number of blocks of the daemon when this wallet last read some; 0 before. */
  get daemonHeight(): number {
    return this.#daemonHeight;
  }

  /** First height to scan; undefined until it is determined. */
  get restoreHeight(): number | undefined {
    return this.#restoreHeight.known;
  }

  /** Adds imported key images to the scanner, which recognises spends of their outputs from now on. */
  watchKeyImages(keyImages: readonly ImportedKeyImage[]): void {
    this.#newScanners.noteChange();
    this.#refresher.importKeyImages(this.#id, keyImages);
  }

  /** Restarts the scanner with the state of the store, and reads the pool again. */
  restartScan(): void {
    this.#newScanners.noteChange();
    this.#refresher.restart(this.#id);
  }

  /**
   * Syncs the wallet to the daemon's tip. Concurrent refreshes run one after another. A refresh cancelled by a change
   * of the daemon or a rescan starts again.
   * @throws DaemonError; WalletError `no_wallet` once it is closed.
   */
  async refresh({ startHeight = 0, asOf }: RefreshOptions = {}): Promise<RefreshResult> {
    for (;;) {
      try {
        return await this.#context.locks.refresh.run(() => this.#refreshNow(startHeight, asOf));
      } catch (error) {
        if (!(error instanceof RefreshCancelled)) throw error;
        this.#context.assertOpen();
      }
    }
  }

  /**
   * Reads the pool without blocks, also during a refresh. The read starts after this call; concurrent callers share it.
   * Listed payments stay listed: a block that is not scanned may contain one that is missing. During background sync
   * nothing is read.
   * @throws DaemonError; WalletError `no_wallet` once it is closed.
   * Source: wallet2.cpp `update_pool_state`.
   */
  refreshPool(): Promise<void> {
    return this.#readingPool.run();
  }

  /** Runs a task under the refresh and payment locks. @throws WalletError `no_wallet` once it is closed. */
  runExclusive<T>(task: () => Promise<T>): Promise<T> {
    return this.#context.locks.exclusive(() => {
      this.#context.assertOpen();
      return task();
    });
  }

  /** {@link runExclusive}, which first cancels a running refresh, and restarts the scanner after the task. */
  cancelAndRun(task: () => Promise<void>): Promise<void> {
    this.#cancel();
    return this.runExclusive(async () => {
      await task();
      this.restartScan();
    });
  }

  /** Cancels the refresh, also one that is about to begin. */
  #cancel(): void {
    this.#cancels += 1;
    this.#refresher.cancel(this.#id);
  }

  /** Computes key images of own outputs on a refresh thread, in their order. @throws WalletError `no_wallet` */
  keyImages(keys: SpendingKeys, outputs: readonly LocatedOutput[]): Promise<KeyImage[]> {
    return untilClosed(this.#refresher.keyImages(this.#id, keys, outputs));
  }

  /**
   * Lists the pool on this thread, and has the refresh thread scan it only if the wallet has not scanned all its
   * transactions: that thread has a low priority.
   */
  async #readPool(): Promise<void> {
    this.#context.assertOpen();
    if (this.#context.keystore.background !== undefined) return;
    const { daemon } = this.#context;
    const { mempool } = this.#services;
    const { name } = daemon;
    const asOf = monotonicMs();
    const listed = await daemon.poolHashes();
    this.#context.assertOpen();
    const isScanned = listed.length === 0 || this.#refresher.hasScannedPool(this.#id);
    const isUpToDate = isScanned && mempool.isUpToDate(listed);
    if (!isUpToDate) await this.#withScanner(() => untilClosed(this.#refresher.scanPool(this.#id, asOf)));
    const present = isUpToDate ? new Set(listed.map(toHex)) : mempool.present;
    if (!mempool.hasNewlyMissing(present)) return;
    const tip = await this.#tipOf(name);
    if (tip !== undefined) mempool.noteMissing(present, tip.height + 1);
  }

  /**
   * Asks the daemon for its newest block.
   * @param name of the daemon that must answer. @returns undefined if it does not, or another one serves.
   */
  async #tipOf(name: string | undefined): Promise<BlockRef | undefined> {
    const { daemon, assertOpen } = this.#context;
    assertOpen();
    if (daemon.name !== name) return undefined;
    try {
      const { height, topBlockHash } = await daemon.client().getInfo();
      assertOpen();
      return { height: height - 1, hash: topBlockHash };
    } catch (error) {
      if (error instanceof DaemonError) return undefined;
      throw error;
    }
  }

  async #refreshNow(startHeight: number, asOf?: number): Promise<RefreshResult> {
    this.#context.assertOpen();
    const cancels = this.#cancels;
    await this.#arrivalHeight.determine();
    const { name } = this.#context.daemon;
    const history = this.#context.store.shortHistory();
    const from = {
      history,
      startHeight: await this.#restoreHeight.firstToScan(startHeight, history[0]?.height),
      ...(asOf === undefined ? {} : { asOf }),
    };
    const assertRuns = (): void => {
      this.#context.assertOpen();
      if (cancels !== this.#cancels) throw new RefreshCancelled('the refresh was cancelled');
    };
    const result = await this.#withScanner(() => {
      assertRuns();
      return this.#refresher.refresh(this.#id, from);
    });
    if (this.#mustFlush) {
      await this.#context.store.flushToDisk();
      this.#mustFlush = false;
    }
    this.#context.assertOpen();
    await this.#restoreHeight.keepInKeysFile();
    // Before payments are followed, which are recognised by the spends of their inputs.
    if (await this.#services.placedKeyImages.follow(assertRuns)) this.restartScan();
    this.#reportSynced();
    // The pool is not read during background sync, so no payment can be missing in it.
    if (this.#context.keystore.background === undefined) await this.#followPayments(name);
    this.#retention.run();
    this.#prefetch();
    return result;
  }

  /** Reads the values that the next refresh needs, while the statements of the store are prepared. */
  #prefetch(): void {
    this.#context.store.prefetch();
    void this.#restoreHeight.known;
  }

  #reportSynced(): void {
    if (this.#isSynced) return;
    const { store } = this.#context;
    store.writeRecoverable((w) => {
      w.events.synced(store.height());
      if (w.meta.get('imported_balances') !== undefined) w.meta.remove('imported_balances');
    });
    this.#isSynced = true;
  }

  /**
   * Decides on payments that are missing in the pool: removes received ones, relays own ones again, or fails them, and
   * recognises payments of orders that other wallets signed. If a block was found since the chain was read, which may
   * contain them, the next refresh decides. To be called after the pool was read.
   * @param daemon name of the daemon that chain and pool were read from.
   */
  async #followPayments(daemon: string | undefined): Promise<void> {
    const { mempool, lostPayments, signedSets } = this.#services;
    mempool.reserveLost();
    const isDecided = !mempool.lacksPayments || mempool.decide(await this.#tipOf(daemon));
    if (isDecided) await lostPayments.follow(mempool.present);
    const keyImages = await signedSets.follow();
    if (keyImages.length > 0) this.watchKeyImages(keyImages);
  }

  /** Deletes every row derived from the chain, then reads it again; `hard` also deletes tx keys and destinations. */
  async rescan(hard: boolean): Promise<void> {
    this.#cancel();
    await this.#context.locks.refresh.run(() => clearInParts(this.#context, hard, () => this.restartScan()));
    await this.refresh();
    await this.#context.locks.refresh.run(() => this.correctKeyImages());
  }

  /**
   * Corrects key images that earlier versions took by the places of their outputs. To be called under the refresh lock.
   * @throws DaemonError; WalletError `daemon_misbehaves`, `no_wallet`: nothing is changed then.
   */
  async correctKeyImages(): Promise<void> {
    this.#context.assertOpen();
    if (await this.#services.placedKeyImages.correct()) this.restartScan();
  }

  scannerState(): ScannerState {
    return this.#newScanners.state();
  }

  /** Runs a task that may make the refresh thread begin with a new scanner. */
  #withScanner<T>(task: () => Promise<T>, isNew = !this.#refresher.isAttached(this.#id)): Promise<T> {
    return isNew ? this.#newScanners.begin(task) : task();
  }

  commitSubaddresses(keys: PackedSubaddresses): void {
    this.#context.store.writeRecoverable((w) => w.subaddresses.addPacked(keys));
  }

  blockAt(height: number): BlockRef | undefined {
    const { store } = this.#context;
    return height < store.height() ? store.blockAt(height) : undefined;
  }

  commitPage(findings: PageFindings, daemonHeight: number): void {
    const fresh = this.#newIncoming(findings);
    if (hasFindings(findings)) this.#newScanners.noteChange();
    if (daemonHeight - this.#context.store.height() >= BEHIND_BLOCKS) this.#isSynced = false;
    // In background sync nothing can be paid, so the inputs of a payment undone by a reorganisation are freed until it
    // is relayed again.
    let hasReplaced = false;
    this.#context.store.addPage(findings, {
      onReplaced: () => {
        hasReplaced = true;
      },
      freeInputs: this.#context.keystore.background !== undefined,
      isFollowed: daemonHeight - findings.startHeight - findings.hashes.length >= BEHIND_BLOCKS,
    });
    // Transactions of the pool that were scanned may be those of replaced blocks, or spend outputs that were unknown then.
    // Not before the commit: a scan of the pool meanwhile is committed first, to the blocks before this page.
    if (hasReplaced || findings.outputs.some(({ height }) => height + SPENDABLE_AGE_BLOCKS <= daemonHeight))
      this.#refresher.forgetPool(this.#id);
    this.#mustFlush ||= !isCheapToScanAgain(findings);
    // A balance request lists these addresses.
    this.#context.addresses.prefetch(findings.outputs.map(({ subaddress }) => subaddress));
    this.#notify(fresh);
    this.#daemonHeight = daemonHeight;
    this.#context.events.onProgress(
      this.#context.name,
      findings.startHeight + findings.hashes.length,
      daemonHeight,
      findings.hashes.length,
    );
  }

  /** Incoming transactions without a notice so far, which they get in the pool already. */
  #newIncoming({ received, outputs }: TxFindings): Hash[] {
    if (received.length === 0) return [];
    const incoming = new Set(outputs.filter(({ change }) => !change).map(({ txHash }) => toHex(txHash)));
    for (const known of this.#context.store.read((r) => r.pool.hashes())) incoming.delete(toHex(known));
    return received.map(({ txHash }) => txHash).filter((txHash) => incoming.has(toHex(txHash)));
  }

  /** Scans single transactions for own outputs and spends. @throws WalletError `no_wallet` */
  scanTxs(batch: TxBatch): Promise<BatchFindings> {
    // Scanned by a scanner of their own.
    return this.#withScanner(() => untilClosed(this.#refresher.scanTransactions(this.#id, batch)), true);
  }

  /** Commits the findings of {@link scanTxs}, and restarts the scanner with them. */
  commitTxs({ mined, unmined }: BatchFindings): void {
    const fresh = this.#context.store.read((r) =>
      this.#newIncoming(mined).filter((txHash) => !r.payments.has(txHash)),
    );
    this.#context.store.write((w) => w.addFound(mined));
    this.restartScan();
    this.#notify(fresh);
    this.#report(this.#services.mempool.admit(unmined));
  }

  /** Sends notices of mined incoming transactions, except those whose outputs are all burnt. */
  #notify(txHashes: readonly Hash[]): void {
    if (txHashes.length === 0) return;
    this.#report(this.#context.store.read((r) => r.outputs.incomeAmong(txHashes)));
  }

  #report(txHashes: readonly Hash[]): void {
    if (txHashes.length > 0) this.#context.events.onIncoming(this.#context.name, txHashes);
  }

  checkpoint(): Promise<void> {
    return this.#context.store.checkpoint();
  }

  commitPool(present: readonly Hash[], findings: readonly PoolFinding[]): void {
    this.#report(this.#services.mempool.commitPool(present, findings));
  }

  /**
   * Sets the number of addresses watched beyond the last created one, in the keys file too.
   * @throws WalletError `invalid`: see {@link assertWatchable}.
   */
  async setLookahead(lookahead: Lookahead): Promise<void> {
    assertWatchable(lookahead, lastCreatedAddresses(this.#context.store));
    await this.#context.keystore.setLookahead(lookahead);
    await this.deriveLookahead();
  }

  /** Adds every address up to the lookahead beyond the created ones to the store. Needs no daemon. */
  async deriveLookahead(): Promise<void> {
    const { lookahead } = this.#context.keystore;
    await this.#withScanner(() =>
      untilClosed(this.#refresher.lookAhead(this.#id, lookahead, lastCreatedAddresses(this.#context.store))),
    );
  }
}

/** True for a few blocks without findings: after a crash of the machine they are scanned again. */
const isCheapToScanAgain = (findings: PageFindings): boolean =>
  findings.hashes.length <= MAX_SCANNED_AGAIN && !hasFindings(findings);
