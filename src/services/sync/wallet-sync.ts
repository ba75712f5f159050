import { SPENDABLE_AGE_BLOCKS } from '../../monero/cryptonote/constants.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { Hash, KeyImage } from '../../monero/crypto/types.js';
import { NewerBlock, type BlockVersion } from '../../daemon/errors.js';
import { RefreshCancelled, type WalletId } from '../../refresh/messages.js';
import type { RefreshResult, RefreshTarget } from '../../refresh/refresh-run.js';
import type { Refresher } from '../../refresh/refresher.js';
import type { ScannerState } from '../../refresh/scan/scanner-state.js';
import type { PoolFinding, BatchFindings, TxBatch } from '../../refresh/scan/wallet-scanner.js';
import { unixSeconds } from '../../util/clock.js';
import { outsideTrace } from '../../util/trace.js';
import type { LocatedOutput, SpendingKeys, ImportedKeyImage } from '../../monero/wallet/scan/key-images.js';
import {
  hasFindings,
  type BlockRef,
  type PageFindings,
  type ReplacedBlocks,
} from '../../monero/wallet/scan/findings.js';
import type { PackedSubaddresses } from '../../monero/wallet/scan/packed-subaddresses.js';
import type { RefreshFrom } from '../../refresh/feeds/chain-position.js';
import type { Lookahead } from '../../monero/wallet/scan/subaddress-table.js';
import type { WalletContext } from '../context/wallet-context.js';
import { AddressCatchUp, type CatchUpProgress } from './address-catch-up.js';
import { ArrivalHeight, RestoreHeight } from './restore-height.js';
import { EventRetention } from './event-retention.js';
import type { LostPayments } from './lost-payments.js';
import { FollowedPayments } from './followed-payments.js';
import { IncomingNotices } from './incoming-notices.js';
import type { MempoolTracker } from './mempool-tracker.js';
import type { PlacedKeyImages } from './placed-key-images.js';
import { PoolReading, untilClosed } from './pool-reading.js';
import type { SignedSets } from './signed-sets.js';
import { clearInParts, type Clearing } from './chain-clearing.js';
import { NewScanners } from './stored-scanner-state.js';
import { UnprovenBlocks } from './unproven-blocks.js';
import { WatchedAddresses } from './watched-addresses.js';

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
  | 'timeBounds'
  | 'assertOpen'
>;

/** Other services of the wallet that this service calls, and the refresh threads. */
interface Services {
  readonly refresher: Refresher;
  readonly mempool: MempoolTracker;
  readonly lostPayments: LostPayments;
  readonly placedKeyImages: PlacedKeyImages;
  readonly signedSets: SignedSets;
}

/** Options of a refresh: unknown blocks below `startHeight` are skipped, unless it exceeds the tip; an absent `asOf` is now. */
type RefreshOptions = Partial<Pick<RefreshFrom, 'startHeight' | 'asOf'>>;

/** Largest number of blocks without findings that are not flushed to disk. */
const MAX_SCANNED_AGAIN = 10;

/** Number of missing blocks from which a wallet does not count as synchronised any more. */
const BEHIND_BLOCKS = 10;

/** Refreshes one open wallet: passes its keys to the scanner and commits the scanner's findings to the store. */
export class WalletSync implements RefreshTarget {
  readonly #context: Context;
  readonly #services: Services;
  readonly #refresher: Refresher;
  readonly #id: WalletId;
  readonly #retention: EventRetention;
  readonly #restoreHeight: RestoreHeight;
  readonly #newScanners: NewScanners;
  readonly #arrivalHeight: ArrivalHeight;
  readonly #notices: IncomingNotices;
  readonly #followed: FollowedPayments;
  readonly #pool: PoolReading;
  readonly watched: WatchedAddresses;
  readonly #catchUp: AddressCatchUp;
  readonly unproven: UnprovenBlocks;
  #daemonHeight = 0;
  /** True while the wallet is at or close to the daemon's tip, and has reached the tip since it was opened. */
  #isSynced = false;
  /** Number of calls so far that cancelled a refresh. */
  #cancels = 0;
  /** Number of transactions in the pool that could not be read when this wallet last scanned it. */
  unreadableInPool = 0;
  /** True if a refresh committed data that must be on disk when it ends. */
  #mustFlush = false;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
    this.#retention = new EventRetention(context);
    this.#restoreHeight = new RestoreHeight(context);
    this.#newScanners = new NewScanners(context);
    this.#arrivalHeight = new ArrivalHeight(context);
    this.#notices = new IncomingNotices(context);
    this.watched = new WatchedAddresses(context, (lookahead, used) =>
      this.#withScanner(() => untilClosed(this.#refresher.lookAhead(this.#id, lookahead, used))),
    );
    this.#catchUp = new AddressCatchUp(context, {
      derive: (used) => this.watched.deriveAfter(used),
      restart: () => this.restartScan(),
      refresh: () => this.refresh(),
    });
    this.unproven = new UnprovenBlocks(context, {
      prove: (blocks) => this.#withScanner(() => this.#refresher.proveBlocks(this.#id, blocks)),
      readAgain: (downTo, wrong) => this.rescan(false, { downTo, wrong }),
    });
    const { refresher, mempool } = services;
    this.#refresher = refresher;
    this.#id = refresher.attach(this);
    this.#followed = new FollowedPayments(context, services);
    this.#pool = new PoolReading(context, {
      mempool,
      isScanned: () => refresher.hasScannedPool(this.#id),
      scan: (asOf) => this.#withScanner(() => refresher.scanPool(this.#id, asOf, mempool.made.made)),
    });
    context.store.watchLostPages((error) => this.#refresher.fail(this.#id, error));
  }

  /** Cancels the running refresh, and prevents every later refresh. */
  stop(): void {
    this.#refresher.detach(this.#id);
  }

  /** Extends the watched addresses to a created address and the lookahead after it. */
  expandTo(index: SubaddressIndex): void {
    this.#refresher.expand(this.#id, index);
    this.#catchUp.start();
  }

  /**
   * Progress of the catch-up of addresses that were not searched for in every block that the wallet has read. Undefined
   * if there are no such addresses; otherwise payments to them may be missing.
   */
  get catchUp(): CatchUpProgress | undefined {
    return this.#catchUp.progress;
  }

  /** Number of blocks of the daemon when this wallet last read blocks; 0 before the first read. */
  get daemonHeight(): number {
    return this.#daemonHeight;
  }

  /** True once a refresh has reached the tip of the daemon, until the wallet lacks blocks again. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** True if the wallet has all blocks of the daemon, and all of its addresses were searched for in these blocks. */
  get isComplete(): boolean {
    return this.#isSynced && !this.#catchUp.isBehind;
  }

  /** Block of an unknown newer version at which the last refresh ended; undefined if there was no such block. */
  get newerBlock(): BlockVersion | undefined {
    return this.#context.daemon.newerBlock;
  }

  /** Height from which the wallet is scanned; undefined until it is determined. */
  get restoreHeight(): number | undefined {
    return this.#restoreHeight.known;
  }

  /** Adds imported key images to the scanner, which then recognises spends of their outputs. */
  watchKeyImages(keyImages: readonly ImportedKeyImage[]): void {
    this.#newScanners.noteChange();
    this.#refresher.importKeyImages(this.#id, keyImages);
  }

  /** Restarts the scanner with the state of the store; the pool is scanned again. */
  restartScan(): void {
    this.#newScanners.noteChange();
    this.#refresher.restart(this.#id);
  }

  /**
   * Synchronises the wallet with the daemon's tip. Concurrent refreshes run one after another. Starts again after a
   * change of the daemon or a rescan cancelled it. Its findings, and the findings of {@link refreshPool}, have no call
   * as cause.
   * @throws DaemonError; WalletError `no_wallet` once the wallet is closed.
   */
  async refresh(options: RefreshOptions = {}): Promise<RefreshResult> {
    for (;;) {
      try {
        return await outsideTrace(() => this.#context.locks.refresh.run(() => this.#refreshNow(options)));
      } catch (error) {
        if (!(error instanceof RefreshCancelled)) throw error;
        this.#context.assertOpen();
      }
    }
  }

  /**
   * Reads the pool without reading blocks, also during a refresh. The read starts after this call; concurrent callers
   * share it. Listed payments that the pool lacks stay listed, since a block that is not scanned yet may contain them.
   * Reads nothing during background sync.
   * @throws DaemonError; WalletError `no_wallet` once the wallet is closed. Source: wallet2.cpp `update_pool_state`.
   */
  refreshPool(): Promise<void> {
    return outsideTrace(() => this.#pool.read());
  }

  /** Runs a task under the refresh and payment locks. @throws WalletError `no_wallet` once the wallet is closed. */
  runExclusive<T>(task: () => Promise<T>): Promise<T> {
    return this.#context.locks.exclusive(() => {
      this.#context.assertOpen();
      return task();
    });
  }

  /** Runs a task as {@link runExclusive}, but cancels a running refresh before, and restarts the scanner afterwards. */
  cancelAndRun(task: () => Promise<void>): Promise<void> {
    this.#cancel();
    return this.runExclusive(async () => {
      await task();
      this.restartScan();
    });
  }

  /** Cancels the refresh that runs or is about to start. */
  #cancel(): void {
    this.#cancels += 1;
    this.#refresher.cancel(this.#id);
  }

  /**
   * Computes key images of own outputs on a refresh thread, in the order of the outputs. @throws WalletError
   * `no_wallet`
   */
  keyImages(keys: SpendingKeys, outputs: readonly LocatedOutput[]): Promise<KeyImage[]> {
    return untilClosed(this.#refresher.keyImages(this.#id, keys, outputs));
  }

  async #refreshNow({ startHeight = 0, asOf }: RefreshOptions): Promise<RefreshResult> {
    this.#context.assertOpen();
    const cancels = this.#cancels;
    const began = unixSeconds(this.#context.clock);
    await this.#arrivalHeight.determine();
    const { name } = this.#context.daemon;
    const history = this.#context.store.shortHistory();
    const first = await this.#restoreHeight.firstToScan(startHeight, history[0]?.height);
    const { made } = this.#services.mempool;
    const from = { history, startHeight: first, ...made, ...(asOf === undefined ? {} : { asOf }) };
    const again = await this.#catchUp.prepare();
    const assertRuns = (): void => {
      this.#context.assertOpen();
      if (cancels !== this.#cancels) throw new RefreshCancelled('the refresh was cancelled');
    };
    const result = await this.#withScanner(() => {
      assertRuns();
      return this.#refresher.refresh(this.#id, { ...from, ...(again === undefined ? {} : { again }) });
    }).catch((error: unknown) => this.#noteFailure(error));
    this.#context.daemon.newerBlock = undefined;
    if (again !== undefined) this.#catchUp.end(again);
    if (this.#mustFlush) {
      await this.#context.store.flushScan();
      this.#mustFlush = false;
    }
    this.#context.assertOpen();
    await this.#restoreHeight.keepInKeysFile();
    // The key images are corrected first, because payments are recognised by the spends of their inputs.
    if (await this.#services.placedKeyImages.follow(assertRuns)) this.restartScan();
    // During background sync the pool is not read, so no payment can be missing in it.
    const hasPool = this.#context.keystore.background === undefined;
    if (result.poolError === undefined) this.#context.store.noteCompleteRead(began, hasPool);
    this.#reportSynced();
    if (result.poolError !== undefined)
      this.#context.log.warn({ reason: result.poolError.message }, 'the pool could not be read');
    else if (hasPool) {
      const keyImages = await this.#followed.follow(name);
      if (keyImages.length > 0) this.watchKeyImages(keyImages);
    }
    this.#retention.run();
    this.unproven.start();
    // Values that the next refresh needs, read at a time when the statements of the store are prepared.
    this.#context.store.prefetch();
    void this.#restoreHeight.known;
    return result;
  }

  /** Notes the block of a newer version at which a refresh has ended. @throws the error of the refresh. */
  #noteFailure(error: unknown): never {
    if (!(error instanceof NewerBlock)) throw error;
    this.#context.daemon.newerBlock = error.block;
    this.#isSynced = false;
    throw error;
  }

  #reportSynced(): void {
    if (this.#isSynced) return;
    const { store } = this.#context;
    // The flag is set before the commit, because listeners of the commit read it.
    this.#isSynced = true;
    try {
      store.writeRecoverable((w) => {
        w.events.synced(store.height());
        if (w.meta.get('imported_balances') !== undefined) w.meta.remove('imported_balances');
      });
    } catch (error) {
      this.#isSynced = false;
      throw error;
    }
  }

  /**
   * Deletes rows derived from the chain, then scans the chain again. @param hard true: also deletes tx keys and
   * destinations. @param part absent: every row.
   */
  async rescan(hard: boolean, part?: Omit<Clearing, 'hard'>): Promise<void> {
    this.#cancel();
    const { locks } = this.#context;
    await locks.refresh.run(() => clearInParts(this.#context, { hard, ...part }, () => this.restartScan()));
    await this.refresh();
    await locks.refresh.run(() => this.correctKeyImages());
  }

  /**
   * Corrects key images that earlier versions stored by the places of their outputs. To be called under the refresh
   * lock.
   * @throws DaemonError; WalletError `daemon_misbehaves`, `no_wallet`, after which nothing is changed.
   */
  async correctKeyImages(): Promise<void> {
    this.#context.assertOpen();
    if (await this.#services.placedKeyImages.correct()) this.restartScan();
  }

  /** Returns the state with which a new scanner starts. */
  scannerState(): ScannerState {
    return this.#newScanners.state();
  }

  /** Runs a task that may make the refresh thread start a new scanner. @param isNew true for a new scanner. */
  #withScanner<T>(task: () => Promise<T>, isNew = !this.#refresher.isAttached(this.#id)): Promise<T> {
    return isNew ? this.#newScanners.begin(task) : task();
  }

  /** Stores the keys of subaddresses that the scanner derived. */
  commitSubaddresses(keys: PackedSubaddresses): void {
    this.#newScanners.noteChange();
    this.#context.store.writeRecoverable((w) => w.subaddresses.addPacked(keys));
  }

  /** Returns the block that the wallet knows at a height; undefined above its tip. */
  blockAt(height: number): BlockRef | undefined {
    return height < this.#context.store.height() ? this.#context.store.blockAt(height) : undefined;
  }

  /** Resolves when a block may be committed; see {@link DaemonAccess.admit}. @throws DaemonError */
  admit(block?: BlockRef): Promise<void> | undefined {
    const { daemon, store } = this.#context;
    const checked = daemon.isGated ? (block ?? store.blockAt(store.height() - 1)) : undefined;
    return checked && daemon.admit(checked);
  }

  /**
   * Commits the findings of scanned blocks, and reports new incoming transactions.
   * @param daemonHeight number of blocks of the daemon.
   */
  commitPage(findings: PageFindings, daemonHeight: number): void {
    const fresh = this.#notices.newIn(findings);
    if (hasFindings(findings)) this.#newScanners.noteChange();
    if (daemonHeight - this.#context.store.height() >= BEHIND_BLOCKS) this.#isSynced = false;
    // A wallet in background sync makes no payments, so the inputs of a payment that a reorganisation undid are freed
    // until it is relayed again.
    let hasReplaced = false;
    const reorganised: ReplacedBlocks[] = [];
    this.#context.store.addPage(findings, {
      onReplaced: (blocks) => {
        hasReplaced = true;
        if (blocks !== undefined) reorganised.push(blocks);
      },
      freeInputs: this.#context.keystore.background !== undefined,
      isFollowed: daemonHeight - findings.startHeight - findings.hashes.length >= BEHIND_BLOCKS,
    });
    // The pool is scanned again: its scanned transactions may have been in replaced blocks, or may spend outputs that
    // were unknown then. The pool is scanned only after the commit, since a scan of the pool that ends before the
    // commit belongs to the blocks before this page.
    if (hasReplaced || findings.outputs.some(({ height }) => height + SPENDABLE_AGE_BLOCKS <= daemonHeight))
      this.#refresher.forgetPool(this.#id);
    for (const blocks of reorganised) this.#context.events.onReorganised?.(this.#context.name, blocks);
    // If a crash of the machine loses a few blocks without findings, scanning them again is cheap.
    this.#mustFlush ||= findings.hashes.length > MAX_SCANNED_AGAIN || hasFindings(findings);
    // The texts of the addresses are prepared for balance requests, which list these addresses.
    this.#context.addresses.prefetch(findings.outputs.map(({ subaddress }) => subaddress));
    this.#notices.mined(fresh);
    this.#daemonHeight = daemonHeight;
    this.#context.events.onProgress(
      this.#context.name,
      findings.startHeight + findings.hashes.length,
      daemonHeight,
      findings.hashes.length,
    );
  }

  /**
   * Commits the findings of blocks that were read again, and reports new incoming transactions.
   * @returns true if the wallet has received an output. @throws DaemonError `busy` if the wallet lacks these blocks.
   */
  commitAgain(findings: PageFindings): boolean {
    const fresh = this.#notices.unknownIn(findings);
    const hasReceived = this.#catchUp.commit(findings);
    if (hasFindings(findings)) this.#newScanners.noteChange();
    // Scanned transactions of the pool may spend these outputs.
    if (hasReceived) this.#refresher.forgetPool(this.#id);
    this.#mustFlush = true;
    this.#notices.mined(fresh);
    return hasReceived;
  }

  /** Scans single transactions for own outputs and spends. @throws WalletError `no_wallet` */
  scanTxs(batch: TxBatch): Promise<BatchFindings> {
    // A new scanner scans these transactions, not the scanner of the refresh.
    return this.#withScanner(() => untilClosed(this.#refresher.scanTransactions(this.#id, batch)), true);
  }

  /** Commits the findings of {@link scanTxs}, and restarts the scanner with them. */
  commitTxs({ mined, unmined }: BatchFindings): void {
    const fresh = this.#notices.unknownIn(mined);
    this.#context.store.write((w) => w.addFound(mined));
    this.restartScan();
    this.#notices.mined(fresh);
    this.#notices.seen(this.#services.mempool.admit(unmined));
  }

  checkpoint(): Promise<void> {
    return this.#context.store.checkpoint();
  }

  /** Commits the findings of a scanned pool. @param unreadable number of unreadable transactions of the pool. */
  commitPool(present: readonly Hash[], findings: readonly PoolFinding[], unreadable = 0): void {
    this.unreadableInPool = unreadable;
    this.#notices.seen(this.#services.mempool.commitPool(present, findings));
  }

  /** Sets the lookahead as {@link WatchedAddresses.setLookahead}, and catches up for it. @throws WalletError `invalid` */
  async setLookahead(lookahead: Lookahead): Promise<void> {
    await this.watched.setLookahead(lookahead);
    this.#catchUp.start();
  }
}
