import { writeBackup, type Backup, type BackupSource } from './backup/backup.js';
import {
  closeDatabase,
  detectingDamage,
  IN_MEMORY,
  openDatabase,
  type StoreDatabase,
} from './file/database.js';
import { hasKeptLog, commitDraft } from './file/atomic-replace.js';
import { cipherOf, NEW_CIPHER } from './file/store-cipher.js';
import { StoreFile, type Location, type OnFileRestored } from './file/store-file.js';
import { openUpgraded } from './file/upgrade.js';
import { GivenAddresses } from './given-addresses.js';
import { DeferredBlocks, StoreTransactions } from './store-transactions.js';
import { KnownBlocks } from './known-blocks.js';
import { Snapshots, type Snapshot } from './snapshot.js';
import { writeStoreDraft, type Fill } from './store-draft.js';
import type { PageSink, Replication, ReplicationOptions } from './replication/replication.js';
import type { StoreShipper } from './replication/store-shipper.js';
import { replicateFile, type StoreOptions } from './replicate-file.js';
import { WalletReader } from './wallet-reader.js';
import type { Amount } from '../util/amount.js';
import type { SchemaUpgrade } from '../util/sql-database.js';
import { Secret } from '../util/secret.js';
import type { BlockRef, PageFindings } from '../monero/wallet/scan/findings.js';
import { yieldToEventLoop } from '../util/event-loop.js';
import { WalletError } from '../model/wallet-error.js';
import type { EventSettings } from './events/event-log.js';
import { ownEvents, type PageOptions, type WalletWriter } from './wallet-writer.js';

/** The encrypted store of one wallet. */
export class WalletStore {
  readonly #file: StoreFile;
  readonly #transactions: StoreTransactions;
  readonly #blocks: KnownBlocks;
  #reader: WalletReader;
  readonly #snapshots = new Snapshots();
  readonly #deferred = new DeferredBlocks();
  readonly givenAddresses: GivenAddresses;
  #shipper: StoreShipper | undefined;

  private constructor(db: StoreDatabase, events: EventSettings, location?: Location) {
    const file = new StoreFile(db, location);
    const deferred = this.#deferred;
    this.#file = file;
    this.#reader = new WalletReader(db);
    this.#transactions = new StoreTransactions({ file, events, deferred, snapshots: this.#snapshots });
    this.#blocks = new KnownBlocks({ store: this, transactions: this.#transactions, deferred });
    this.givenAddresses = new GivenAddresses(this, location);
    this.#file.watchReopened(() => {
      this.#reader = new WalletReader(this.#file.db);
      this.#transactions.reopen();
    });
  }

  /**
   * Creates a store. The file of the store appears only when it is complete and contains all data that `fill` writes.
   * @param path path of the file; `:memory:` creates the store in memory.
   * @param key encryption key of 32 bytes.
   */
  static create(
    path: string,
    key: Uint8Array,
    fill: Fill = () => undefined,
    onFileRestored?: OnFileRestored,
    events = ownEvents(),
    options?: StoreOptions,
  ): WalletStore {
    if (path === IN_MEMORY) {
      const file = new WalletStore(openDatabase(path, { key, cipher: NEW_CIPHER }), events);
      file.write(fill);
      file.#beginEvents();
      return file;
    }
    writeStoreDraft(path, key, fill);
    commitDraft(path);
    return WalletStore.open(path, key, onFileRestored, events, options);
  }

  /** Opens a store. @throws WalletError `wallet_corrupt`, `wallet_io` */
  static open(
    path: string,
    key: Uint8Array,
    onFileRestored?: OnFileRestored,
    events?: EventSettings,
    options?: StoreOptions,
  ): WalletStore {
    const file = WalletStore.#open(path, key, onFileRestored, events, options);
    try {
      file.#beginEvents();
      return file;
    } catch (error) {
      file.#file.close();
      throw error;
    }
  }

  /** Opens a store without reporting the contents of a store that has no events yet. */
  static #open(
    path: string,
    key: Uint8Array,
    onFileRestored: OnFileRestored = () => undefined,
    events = ownEvents(),
    { isReplicated = false }: StoreOptions = {},
    lacksLog = isReplicated && !hasKeptLog(path),
    db = openDatabase(path, { key, cipher: cipherOf(path) }, { isReplicated }),
  ): WalletStore {
    const files = { path, key: new Secret(Uint8Array.from(key)), cipher: cipherOf(path), onFileRestored };
    try {
      return detectingDamage(path, () => {
        const file = new WalletStore(db, events, { ...files, isReplicated, lacksLog });
        if (file.#reader.meta.get('reused_keys') !== undefined) file.write((w) => w.recomputeReusedKeys());
        events.ids.raise(file.#reader.events.last());
        return file;
      });
    } catch (error) {
      closeDatabase(db, path, { key, cipher: files.cipher }, isReplicated);
      throw error;
    }
  }

  /**
   * Opens a store as {@link open}. Migrations that it lacks are applied on another thread. The contents of a store
   * without events are reported in parts, between which the event loop runs. After a crash the next call continues.
   * @throws WalletError `wallet_corrupt`, `wallet_io`
   */
  static async openInParts(
    path: string,
    key: Uint8Array,
    onFileRestored?: OnFileRestored,
    events?: EventSettings,
    options?: StoreOptions,
  ): Promise<WalletStore> {
    const isReplicated = options?.isReplicated === true;
    const lacksLog = isReplicated && !hasKeptLog(path);
    const db = await openUpgraded(path, { key, cipher: cipherOf(path) }, isReplicated);
    const file = WalletStore.#open(path, key, onFileRestored, events, options, lacksLog, db);
    try {
      while (!file.#beginNextEvents()) await yieldToEventLoop();
      return file;
    } catch (error) {
      file.#file.close();
      throw error;
    }
  }

  /** Reports the contents of a store that has no events yet. */
  #beginEvents(): void {
    while (!this.#beginNextEvents());
  }

  /**
   * Reports the next part of the contents of a store that has no events yet.
   * @returns true when the events describe all contents.
   */
  #beginNextEvents(): boolean {
    if (this.read((r) => r.meta.get('events')) !== undefined) return true;
    return this.write((w) => w.events.beginNext());
  }

  /** Sets the listener that is called after each commit which appended events; it must not throw. */
  watchEvents(listener: () => void): void {
    this.#transactions.watchEvents(listener);
  }

  /**
   * Sets the listener that is called when pages of blocks which {@link addPage} had accepted are lost because their
   * commit failed. The store is then in the state before these pages. The listener must not throw.
   */
  watchLostPages(listener: (error: Error) => void): void {
    this.#transactions.watchLostPages(listener);
  }

  get isInMemory(): boolean {
    return this.#file.location === undefined;
  }

  /** True if damaged pages were found since the store was opened. */
  get isDamaged(): boolean {
    return this.#file.isDamaged;
  }

  /** Returns the sizes of the main file and of the write-ahead log [bytes]; 0 for a store in memory. */
  fileSizes(): { readonly main: number; readonly log: number } {
    return this.#file.sizes();
  }

  /** Version of the data; changes whenever the stored data may have changed. */
  get version(): number {
    return this.#transactions.version;
  }

  /** Version of the events; each append changes it, before {@link watchEvents} calls its listener. */
  get eventVersion(): number {
    return this.#transactions.eventVersion;
  }

  /**
   * Runs a task that reads the store. The task sees pages of blocks that {@link addPage} has accepted even before they
   * are committed; {@link readCommitted} sees only committed data.
   * @throws WalletError `no_wallet` after the store was closed, `wallet_corrupt` for a damaged file, `wallet_io`.
   */
  read<T>(task: (r: WalletReader) => T): T {
    this.#file.assertOpen();
    return this.#file.detectingDamage(() => task(this.#reader));
  }

  /**
   * Commits accepted pages of blocks, then runs a task as {@link read}. Used for data with ids that a client keeps,
   * since a crash must not undo such data.
   */
  readCommitted<T>(task: (r: WalletReader) => T): T {
    this.commitPages();
    return this.read(task);
  }

  /**
   * Commits the pages of blocks that {@link addPage} has accepted. A failure is reported to the listener of {@link
   * watchLostPages}.
   */
  commitPages(): void {
    this.#transactions.commitPages();
  }

  /** Migrations that were applied when this store was opened; undefined if the store lacked no migration. */
  get upgrade(): SchemaUpgrade | undefined {
    return this.#file.db.upgrade;
  }

  /** Returns the number of blocks that the wallet holds. */
  height(): number {
    this.#file.assertOpen();
    return this.#blocks.height();
  }

  /** Returns the oldest block at or above a height that the wallet holds; undefined if there is no such block. */
  oldestFrom(height: number): BlockRef | undefined {
    this.#file.assertOpen();
    return this.#blocks.oldestFrom(height);
  }

  /** Returns the block at a height; undefined if the wallet does not hold it. */
  blockAt(height: number): BlockRef | undefined {
    const block = this.oldestFrom(height);
    return block?.height === height ? block : undefined;
  }

  /**
   * Returns blocks that the wallet holds, newest first: at least the last ten, then blocks at growing distances, and
   * the oldest block.
   */
  shortHistory(): BlockRef[] {
    this.#file.assertOpen();
    return this.#blocks.shortHistory();
  }

  /** Returns the reward of the newest block [atomic units]; 0 if it is not known. */
  lastBlockReward(): Amount {
    return this.#blocks.lastBlockReward();
  }

  /** Returns the time of the newest block [Unix s]; undefined if it is not known. */
  lastBlockTime(): number | undefined {
    return this.#blocks.lastBlockTime();
  }

  /**
   * Stores a page of blocks, after undoing the blocks that it replaces. Does not wait for the disk, as {@link
   * writeRecoverable}. Blocks that change only the tip are kept in memory and stored with a later write; after a crash
   * of this process they are scanned again.
   * @param options as in `WalletWriter.applyPage`. `isFollowed`: true if other pages follow soon; they share a commit
   * with this page, whose failure is reported to {@link watchLostPages}. After a crash of this process such pages are
   * scanned again.
   */
  addPage(
    page: PageFindings,
    { isFollowed = false, ...options }: PageOptions & { readonly isFollowed?: boolean } = {},
  ): void {
    this.#file.assertOpen();
    if (!this.#blocks.mayDefer(page)) return this.#transactions.addPage(page, { isFollowed, ...options });
    if (!this.#transactions.hasOpenPages) detectingDamage(this.#file.path, () => this.#file.restore());
    this.#deferred.add(page);
  }

  /** Notes that the wallet has all blocks of the daemon: see {@link StoreTransactions.noteCompleteRead}. */
  noteCompleteRead(time: number, hasPool = true): void {
    this.#transactions.noteCompleteRead({ time, newestBlock: this.lastBlockTime(), hasPool });
  }

  /** Reads the values that the next refresh needs, unless they are cached; fastest with prepared statements. */
  prefetch(): void {
    this.#file.assertOpen();
    this.#blocks.prefetch();
  }

  /**
   * Opens a snapshot of the present state, including pages that are not committed yet; only the events that their
   * commit appends may be added to it. The snapshot ends when the store is closed. @throws Error for a store in memory.
   */
  snapshot(): Snapshot {
    if (this.isInMemory) throw new Error('a store in memory has no snapshots');
    return this.#snapshots.add({
      current: () => this.#reader,
      open: () => this.#file.openSnapshot(),
      guard: (task) => this.#file.detectingDamage(task),
    });
  }

  /**
   * Commits accepted pages of blocks, and returns the path and key with which another thread can open the file;
   * undefined for a store in memory.
   * @throws WalletError `wallet_io`
   */
  shared(): ReturnType<StoreFile['shared']> {
    this.#transactions.endPages();
    return this.#file.shared();
  }

  /**
   * Runs a task in a transaction. Its changes are all on disk when this returns; no change is made when this throws.
   * @throws WalletError `wallet_corrupt` for a damaged file, `wallet_io` if the disk is full or fails.
   */
  write<T>(task: (w: WalletWriter) => T): T {
    return this.#transactions.write(task);
  }

  /**
   * Runs a task in a transaction that does not wait for the disk. Used for data that can be read from the chain again,
   * or that was not reported to a client yet. The data survives a crash of this process; it survives a crash of the
   * machine only after {@link flushToDisk} or a later {@link write} has ended.
   */
  writeRecoverable<T>(task: (w: WalletWriter) => T): T {
    return this.#transactions.writeRecoverable(task);
  }

  /**
   * Flushes all earlier writes to disk without blocking this thread, and waits until they are stored at the sink of a
   * replicated store. Calls that read the writes meanwhile wait for the sink, too.
   * @throws WalletError `wallet_io`, NotReplicatedError
   */
  async flushToDisk(): Promise<void> {
    await this.flushScan();
    await this.#shipper?.allReplicated(true);
  }

  /**
   * Flushes writes as {@link flushToDisk} before events are sent, but calls that read the writes do not wait for the
   * sink: apart from the events, a refresh can read its writes from the chain again.
   * @throws WalletError `wallet_io`, NotReplicatedError
   */
  async flushEvents(): Promise<void> {
    await this.flushScan();
    await this.#shipper?.allReplicated(false);
  }

  /**
   * Flushes all earlier writes of a refresh to disk without blocking this thread. The sink of a replicated store gets them
   * later. @throws WalletError `wallet_io`
   */
  async flushScan(): Promise<void> {
    // A closed store needs no flush, because closing it has flushed it.
    if (this.#file.db.memory || !this.#file.isOpen) return;
    this.#transactions.writeDeferred();
    this.#transactions.endPages();
    this.#file.detectingDamage(() => this.#file.restore());
    await this.#file.flush();
  }

  /**
   * Begins to ship the pages of a store that was opened with `isReplicated`. The present content of its log is shipped,
   * too. Close the returned object before the store.
   */
  replicate(sink: PageSink, options: ReplicationOptions): Replication {
    this.#file.assertOpen();
    if (this.#shipper !== undefined) throw new Error('the store is replicated already');
    this.#transactions.endPages();
    const store = { file: this.#file, reader: this.#reader, settle: () => this.#transactions.settle() };
    return (this.#shipper = replicateFile({ ...store, write: (task) => this.write(task) }, sink, options));
  }

  /**
   * Moves the log into the main file on another thread, so that the log can start again from its beginning. After a
   * failure, the log grows until a write itself runs the checkpoint and reports the error.
   */
  async checkpoint(): Promise<void> {
    if (this.isInMemory) return;
    this.commitPages();
    await this.#file.checkpoint();
  }

  /** Resolves when no checkpoint on another thread has the file open. */
  waitForCheckpoint(): Promise<void> {
    return this.#file.waitForCheckpoint();
  }

  /** Writes a backup of this store and of its keys file, on another thread, while the store is read and written. */
  async backup(files: Pick<BackupSource, 'name' | 'keys'>, into: string, time: Date): Promise<Backup> {
    this.#file.assertOpen();
    const shared = this.shared();
    if (shared === undefined)
      throw new WalletError({ kind: 'invalid', reason: 'a wallet in memory has no files' });
    const { path, key: storeKey } = shared;
    return writeBackup({ ...files, store: path, storeKey }, into, time).finally(() => storeKey.key.fill(0));
  }

  /**
   * Moves the log into the main file on this thread. The log must be on disk already.
   * @throws WalletError `wallet_io`
   */
  checkpointSync(): void {
    this.#transactions.writeDeferred();
    this.#transactions.endPages();
    this.#file.checkpointSync();
  }

  /** Frees cached database pages after a large read; otherwise they would fragment the memory of many wallets. */
  releasePages(): void {
    this.#file.assertOpen();
    this.#file.db.pragma('shrink_memory');
  }

  /** Frees prepared statements and cached database pages; the next read creates them again. */
  shrinkMemory(): void {
    if (!this.#file.isOpen) return;
    this.#file.db.releaseStatements();
    this.#file.db.pragma('shrink_memory');
  }

  /**
   * Closes the store. Call it after {@link waitForCheckpoint} has resolved.
   * @throws WalletError `wallet_corrupt` for damage that no earlier call has reported; the store is closed
   * nevertheless.
   */
  close(): void {
    if (!this.#file.isOpen) return;
    this.#snapshots.release();
    try {
      this.#closeLog();
    } finally {
      this.#file.close();
    }
  }

  #closeLog(): void {
    const isDamageKnown = this.#file.isDamaged;
    this.#transactions.settle();
    this.#file.emptyLog(isDamageKnown);
  }
}
