import { dirname } from 'node:path';
import { writeBackup, type Backup, type BackupSource } from './backup/backup.js';
import { detectingDamage, IN_MEMORY, openDatabase } from './file/database.js';
import { syncDirectory, syncFile, syncFileAsync } from './file/fsync.js';
import type { StatementCachingDatabase } from './file/statement-cache.js';
import { cipherOf, NEW_CIPHER } from './file/store-cipher.js';
import { StoreFile, type Location, type OnFileRestored } from './file/store-file.js';
import { draftOf } from './file/file-draft.js';
import { withFileErrors, withFileErrorsAsync } from './file/file-errors.js';
import { removeDatabase, commitDraft } from './file/atomic-replace.js';
import { DeferredBlocks } from './deferred-blocks.js';
import { KnownBlocks } from './known-blocks.js';
import { Snapshot } from './snapshot.js';
import { StoreTransactions } from './store-transactions.js';
import { WalletReader } from './wallet-reader.js';
import type { Amount } from '../util/amount.js';
import type { SchemaUpgrade } from '../util/migrations.js';
import { Secret } from '../util/secret.js';
import type { BlockRef, PageFindings } from '../monero/wallet/model/records.js';
import { yieldToEventLoop } from '../util/yield-to-event-loop.js';
import { WalletError } from '../monero/wallet/model/wallet-error.js';
import type { EventSettings } from './events/event-log.js';
import { ownEvents, type PageOptions, type WalletWriter } from './wallet-writer.js';

/** Writes the initial content of a store. */
export type Fill = (w: WalletWriter) => void;

/** The encrypted store of one wallet. */
export class WalletStore {
  readonly #file: StoreFile;
  readonly #transactions: StoreTransactions;
  readonly #blocks: KnownBlocks;
  #reader: WalletReader;
  readonly #snapshots = new Set<Snapshot>();
  readonly #deferred = new DeferredBlocks();

  private constructor(db: StatementCachingDatabase, events: EventSettings, location?: Location) {
    this.#file = new StoreFile(db, location);
    this.#reader = new WalletReader(db);
    this.#transactions = new StoreTransactions({
      ...{ file: this.#file, events, deferred: this.#deferred },
      onBegin: () => {
        this.#file.restore();
        for (const snapshot of this.#snapshots) snapshot.detach();
      },
    });
    const deferred = this.#deferred;
    this.#blocks = new KnownBlocks({ store: this, transactions: this.#transactions, deferred });
    this.#file.watchReopened(() => {
      this.#reader = new WalletReader(this.#file.db);
      this.#transactions.reopen();
    });
  }

  /**
   * Makes a store. Its file appears only when it is complete, with everything that `fill` writes.
   * @param path `:memory:` keeps it in memory. @param key 32 bytes.
   */
  static create(
    path: string,
    key: Uint8Array,
    fill: Fill = () => undefined,
    onFileRestored?: OnFileRestored,
    events = ownEvents(),
  ): WalletStore {
    if (path === IN_MEMORY) {
      const file = new WalletStore(openDatabase(path, { key, cipher: NEW_CIPHER }), events);
      file.write(fill);
      file.#beginEvents();
      return file;
    }
    WalletStore.draft(path, key, fill);
    commitDraft(path);
    return WalletStore.open(path, key, onFileRestored, events);
  }

  /**
   * Writes a complete store beside its final path and flushes it to disk.
   * @throws WalletError `wallet_io`, and errors of `fill`: no draft is left behind.
   */
  static draft(path: string, key: Uint8Array, fill: Fill): void {
    const draft = draftOf(path);
    withFileErrors(draft, () => {
      WalletStore.#writeDraft(draft, key, fill);
      try {
        syncFile(draft);
      } catch (error) {
        removeDatabase(draft);
        throw error;
      }
    });
  }

  /** {@link draft} that does not block this thread while the draft is flushed to disk. */
  static async draftAsync(path: string, key: Uint8Array, fill: Fill): Promise<void> {
    const draft = draftOf(path);
    await withFileErrorsAsync(draft, async () => {
      WalletStore.#writeDraft(draft, key, fill);
      try {
        await syncFileAsync(draft);
      } catch (error) {
        removeDatabase(draft);
        throw error;
      }
    });
  }

  /** Writes a draft that is not flushed. @throws errors of files and of `fill`: no draft is left behind. */
  static #writeDraft(draft: string, key: Uint8Array, fill: Fill): void {
    removeDatabase(draft);
    let db: StatementCachingDatabase | undefined;
    try {
      db = openDatabase(draft, { key, cipher: NEW_CIPHER }, { isDraft: true });
      const file = new WalletStore(db, ownEvents());
      file.write(fill);
      // Only the main file is renamed to the final path.
      db.pragma('wal_checkpoint(TRUNCATE)');
      file.close();
    } catch (error) {
      db?.close();
      removeDatabase(draft);
      throw error;
    }
  }

  /** Removes a store that is not open. @throws WalletError `wallet_io` */
  static remove(path: string): void {
    withFileErrors(path, () => {
      removeDatabase(path);
      syncDirectory(dirname(path));
    });
  }

  /** @throws WalletError `wallet_corrupt`, `wallet_io` */
  static open(
    path: string,
    key: Uint8Array,
    onFileRestored?: OnFileRestored,
    events?: EventSettings,
  ): WalletStore {
    const file = WalletStore.#open(path, key, onFileRestored, events);
    try {
      file.#beginEvents();
      return file;
    } catch (error) {
      file.#file.db.close();
      throw error;
    }
  }

  /** Opens a store, whose events may not describe its contents yet. */
  static #open(
    path: string,
    key: Uint8Array,
    onFileRestored: OnFileRestored = () => undefined,
    events = ownEvents(),
  ): WalletStore {
    const cipher = cipherOf(path);
    const location = { path, key: new Secret(Uint8Array.from(key)), cipher, onFileRestored };
    const db = openDatabase(path, { key, cipher });
    try {
      return detectingDamage(path, () => {
        const file = new WalletStore(db, events, location);
        if (file.#reader.meta.get('reused_keys') !== undefined) file.write((w) => w.recomputeReusedKeys());
        events.ids.raise(file.#reader.events.last());
        return file;
      });
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /**
   * {@link open}, but the contents of a store without events are reported in parts, between which other work runs. After a
   * crash in between the next call continues.
   * @throws WalletError `wallet_corrupt`, `wallet_io`
   */
  static async openInParts(
    path: string,
    key: Uint8Array,
    onFileRestored?: OnFileRestored,
    events?: EventSettings,
  ): Promise<WalletStore> {
    const file = WalletStore.#open(path, key, onFileRestored, events);
    try {
      while (!file.#beginNextEvents()) await yieldToEventLoop();
      return file;
    } catch (error) {
      file.#file.db.close();
      throw error;
    }
  }

  /** Reports the contents of the store if it has no events yet. */
  #beginEvents(): void {
    while (!this.#beginNextEvents());
  }

  /** @returns true once the events describe the contents of the store. */
  #beginNextEvents(): boolean {
    if (this.read((r) => r.meta.get('events')) !== undefined) return true;
    return this.write((w) => w.events.beginNext());
  }

  /** Sets the listener that is called after each commit that appended events; it must not throw. */
  watchEvents(listener: () => void): void {
    this.#transactions.watchEvents(listener);
  }

  /**
   * Sets the listener that is called when pages that {@link addPage} had accepted are lost, because their commit failed.
   * The store is as before them; it must not throw.
   */
  watchLostPages(listener: (error: Error) => void): void {
    this.#transactions.watchLostPages(listener);
  }

  get isInMemory(): boolean {
    return this.#file.location === undefined;
  }

  /** True once damaged pages were found since the store was opened. */
  get isDamaged(): boolean {
    return this.#file.isDamaged;
  }

  /** Sizes of the main file and of the write-ahead log [bytes]; 0 in memory. */
  fileSizes(): { readonly main: number; readonly log: number } {
    return this.#file.sizes();
  }

  /** Changes whenever the stored data may have changed. */
  get version(): number {
    return this.#transactions.version;
  }

  /** Changes whenever events were appended, before the listener of {@link watchEvents} is called. */
  get eventVersion(): number {
    return this.#transactions.eventVersion;
  }

  /**
   * Reads the store. Pages that {@link addPage} has accepted are seen before they are committed: {@link readCommitted}.
   * @throws WalletError `no_wallet` once it is closed, `wallet_corrupt` for a damaged file, `wallet_io`.
   */
  read<T>(task: (r: WalletReader) => T): T {
    this.#file.assertOpen();
    return this.#file.detectingDamage(() => task(this.#reader));
  }

  /**
   * {@link read} after pages were committed: for data with ids that a client keeps, and that a crash must not take back.
   */
  readCommitted<T>(task: (r: WalletReader) => T): T {
    this.commitPages();
    return this.read(task);
  }

  /** Commits the pages that {@link addPage} has accepted. Failures are reported by {@link watchLostPages}. */
  commitPages(): void {
    this.#transactions.commitPages();
  }

  /** Migrations that opening this store has applied; undefined if none was missing. */
  get upgrade(): SchemaUpgrade | undefined {
    return this.#file.db.upgrade;
  }

  /** Number of blocks that the wallet knows. */
  height(): number {
    this.#file.assertOpen();
    return this.#blocks.height();
  }

  /** Oldest block at or above a height that the wallet knows. */
  oldestFrom(height: number): BlockRef | undefined {
    this.#file.assertOpen();
    return this.#blocks.oldestFrom(height);
  }

  /** The block at a height, if the wallet knows it. */
  blockAt(height: number): BlockRef | undefined {
    const block = this.oldestFrom(height);
    return block?.height === height ? block : undefined;
  }

  /** Blocks that the wallet knows, newest first: the last ten at least, then with growing gaps, and the first. */
  shortHistory(): BlockRef[] {
    this.#file.assertOpen();
    return this.#blocks.shortHistory();
  }

  /** Reward of the last block [atomic units]; zero while unknown. */
  lastBlockReward(): Amount {
    return this.#blocks.lastBlockReward();
  }

  /**
   * Stores a page of blocks after undoing the blocks that it replaces. Recoverable, as {@link writeRecoverable}; blocks
   * that change nothing but the tip are written later: after a crash of this process they are scanned again.
   * @param options as in `WalletWriter.applyPage`. `isFollowed`: other pages follow soon, and share a commit with this
   * one; {@link watchLostPages} reports its failure. After a crash of this process these are scanned again. `isBusy`: few
   * pages share a commit, so that requests wait for a short one.
   */
  addPage(
    page: PageFindings,
    {
      isFollowed = false,
      isBusy = false,
      ...options
    }: PageOptions & { readonly isFollowed?: boolean; readonly isBusy?: boolean } = {},
  ): void {
    this.#file.assertOpen();
    if (!this.#blocks.mayDefer(page))
      return this.#transactions.addPage(page, { isFollowed, isBusy, ...options });
    if (!this.#transactions.hasOpenPages) detectingDamage(this.#file.path, () => this.#file.restore());
    this.#deferred.add(page);
  }

  /**
   * Reads the values that the next refresh needs, unless they are known. To be called after work in the store: the
   * statements are prepared then.
   */
  prefetch(): void {
    this.#file.assertOpen();
    this.#blocks.prefetch();
  }

  /** Opens a snapshot, which ends when the store is closed. @throws Error for a store in memory. */
  snapshot(): Snapshot {
    if (this.isInMemory) throw new Error('a store in memory has no snapshots');
    this.commitPages();
    const snapshot = new Snapshot({
      current: () => this.#reader,
      open: () => this.#file.openSnapshot(),
      guard: (task) => this.#file.detectingDamage(task),
      onRelease: () => this.#snapshots.delete(snapshot),
    });
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  /** Commits pending pages, for another thread that reads the file; undefined in memory. @throws WalletError `wallet_io` */
  shared(): ReturnType<StoreFile['shared']> {
    this.#transactions.endPages();
    return this.#file.shared();
  }

  /**
   * Runs one transaction: all of it is on disk when this returns, nothing of it when this throws.
   * @throws WalletError `wallet_corrupt` for a damaged file, `wallet_io` if the disk is full or fails.
   */
  write<T>(task: (w: WalletWriter) => T): T {
    return this.#transactions.write(task);
  }

  /**
   * Runs one transaction whose data can be read from the chain again, or was not reported to a client yet. Does not
   * wait for the disk: the data survives a crash of this process, but a crash of the machine only once {@link
   * flushToDisk} or a later {@link write} has ended.
   */
  writeRecoverable<T>(task: (w: WalletWriter) => T): T {
    return this.#transactions.writeRecoverable(task);
  }

  /** Flushes all earlier writes to disk without blocking this thread. @throws WalletError `wallet_io` */
  async flushToDisk(): Promise<void> {
    // Closing a store flushes it.
    if (this.#file.db.memory || !this.#file.isOpen) return;
    this.#transactions.writeDeferred();
    this.#transactions.endPages();
    this.#file.detectingDamage(() => this.#file.restore());
    await this.#file.flush();
  }

  /**
   * Moves the log into the main file on another thread, so that the log can restart. If that fails the log grows, until
   * a write runs the checkpoint and reports the error.
   */
  async checkpoint(): Promise<void> {
    if (this.isInMemory) return;
    this.commitPages();
    await this.#file.checkpoint();
  }

  /** Resolves once no checkpoint holds the file open. */
  waitForCheckpoint(): Promise<void> {
    return this.#file.waitForCheckpoint();
  }

  /**
   * Writes a backup of this store and of its keys file, on another thread, while it is read and written.
   * @throws WalletError `invalid` for a store in memory, `wallet_io`, `wallet_corrupt`, `wallet_locked`
   */
  async backup(files: Pick<BackupSource, 'name' | 'keys'>, into: string, time: Date): Promise<Backup> {
    this.#file.assertOpen();
    const shared = this.shared();
    if (shared === undefined)
      throw new WalletError({ kind: 'invalid', reason: 'a wallet in memory has no files' });
    const { path, key: storeKey } = shared;
    return writeBackup({ ...files, store: path, storeKey }, into, time).finally(() => storeKey.key.fill(0));
  }

  /** Moves the log, which is on disk already, into the main file on this thread. @throws WalletError `wallet_io` */
  checkpointSync(): void {
    this.#transactions.writeDeferred();
    this.#transactions.endPages();
    this.#file.checkpointSync();
  }

  /** Drops cached pages after a large read, so that they do not fragment the memory of many wallets. */
  releasePages(): void {
    this.#file.assertOpen();
    this.#file.db.pragma('shrink_memory');
  }

  /** Drops prepared statements and cached pages, which the next read creates again. */
  shrinkMemory(): void {
    if (!this.#file.isOpen) return;
    this.#file.db.releaseStatements();
    this.#file.db.pragma('shrink_memory');
  }

  /**
   * Call it after {@link waitForCheckpoint}.
   * @throws WalletError `wallet_corrupt` for damage that no earlier call has reported: it is closed all the same.
   */
  close(): void {
    if (!this.#file.isOpen) return;
    for (const snapshot of this.#snapshots) snapshot.release();
    try {
      this.#closeLog();
    } finally {
      this.#file.close();
    }
  }

  #closeLog(): void {
    const isDamageKnown = this.#file.isDamaged;
    try {
      this.#transactions.endPages();
      this.#transactions.writeDeferred();
    } catch (error) {
      // The disk is full or the store is damaged: the blocks are scanned again.
      if (!(error instanceof WalletError)) throw error;
    }
    this.#file.emptyLog(isDamageKnown);
  }
}
