import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeBackup, type Backup, type BackupSource } from './backup/backup.js';
import { checkpointOnThread } from './file/checkpoint.js';
import {
  isDamage,
  detectingDamage,
  openDatabase,
  openSnapshot,
  type Db,
  type StoreKey,
} from './file/database.js';
import { syncDirectory, syncFile } from './file/fsync.js';
import { CommitFlushing } from './file/commit-flushing.js';
import { addBackupName } from './file/backup-name.js';
import { WalSync } from './file/wal-sync.js';
import type { StatementCachingDatabase } from './file/statement-cache.js';
import { Snapshot } from './snapshot.js';
import { FileIdentity } from './file/file-identity.js';
import { cipherOf, NEW_CIPHER, type StoreCipher } from './file/store-cipher.js';
import { draftOf } from './file/file-draft.js';
import { fileError, withFileErrors, withFileErrorsAsync } from './file/file-errors.js';
import { removeDatabase, commitDraft, logOf } from './file/atomic-replace.js';
import { CachedRead } from './cached-read.js';
import { DeferredBlocks } from './deferred-blocks.js';
import { PageTransaction } from './page-transaction.js';
import { WalletReader } from './wallet-reader.js';
import { amount, type Amount } from '../util/amount.js';
import { Secret } from '../util/secret.js';
import type { BlockRef, PageFindings } from '../wallet/model/records.js';
import { yieldToEventLoop } from '../util/yield-to-event-loop.js';
import { WalletError } from '../wallet/model/wallet-error.js';
import type { EventSettings } from './events/event-log.js';
import { ownEvents, WalletWriter } from './wallet-writer.js';

/** Writes the initial content of a store. */
export type Fill = (w: WalletWriter) => void;

/** Reports that a missing or replaced file was written again. @param backup name of the file that replaced it. */
export type OnFileRestored = (backup: string | undefined) => void;

/** Path and key of a store on disk. */
interface Location {
  readonly path: string;
  readonly key: Secret;
  readonly cipher: StoreCipher;
  readonly onFileRestored: OnFileRestored;
}

const heightOf = (tip: BlockRef | undefined): number => (tip?.height ?? 0) + 1;

/** Stores a page and the reward of its last block. */
function storePage(w: WalletWriter, page: PageFindings, options?: { readonly freeInputs?: boolean }): void {
  w.applyPage(page, options);
  w.meta.set('last_block_reward', page.lastBlockReward.toString());
}

const keyOf = ({ key, cipher }: Location): StoreKey => ({ key: key.expose(), cipher });

/** Flushes the directory, so that the log's name is on disk, and makes the flusher of the log. */
function walSyncOf(db: Db, location: Location | undefined): WalSync {
  if (location !== undefined) syncDirectory(dirname(location.path));
  return new WalSync(logOf(db.name));
}

/** The encrypted store of one wallet. */
export class WalletStore {
  /** Absent for a store in memory. */
  readonly #location: Location | undefined;
  #identity: FileIdentity | undefined;
  #db: StatementCachingDatabase;
  #reader: WalletReader;
  #writer: WalletWriter;
  #walSync: WalSync;
  #version = 0;
  #eventVersion = 0;
  readonly #snapshots = new Set<Snapshot>();
  #checkpoint: Promise<unknown> | undefined;
  readonly #events: EventSettings;
  #onEvents: () => void = () => undefined;
  #onLostPages: (error: Error) => void = () => undefined;
  #pages: PageTransaction;
  /** True while a task runs that may write. */
  #isWriting = false;
  /** Events appended before the last commit. */
  #appended = 0;
  #flushing: CommitFlushing;
  readonly #deferred = new DeferredBlocks();
  readonly #storedTip = new CachedRead(this, (r) => r.chain.tip());
  readonly #storedHistory = new CachedRead(this, (r) => r.chain.shortHistory());
  readonly #isAtRest = new CachedRead(this, () => this.#writer.isAtRest);
  #isDamaged = false;

  private constructor(db: StatementCachingDatabase, events: EventSettings, location?: Location) {
    this.#events = events;
    this.#location = location;
    this.#identity = location && new FileIdentity(location.path);
    this.#db = db;
    this.#walSync = walSyncOf(db, location);
    this.#flushing = new CommitFlushing(db);
    this.#reader = new WalletReader(db);
    this.#writer = new WalletWriter(db, events);
    this.#pages = this.#pageTransaction();
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
    if (path === ':memory:') {
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
      removeDatabase(draft);
      let db: StatementCachingDatabase | undefined;
      try {
        db = openDatabase(draft, { key, cipher: NEW_CIPHER }, { isDraft: true });
        const file = new WalletStore(db, ownEvents());
        file.write(fill);
        // Only the main file is renamed to the final path.
        db.pragma('wal_checkpoint(TRUNCATE)');
        file.close();
        syncFile(draft);
      } catch (error) {
        db?.close();
        removeDatabase(draft);
        throw error;
      }
    });
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
      file.#db.close();
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
      file.#db.close();
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
    this.#onEvents = listener;
  }

  /**
   * Sets the listener that is called when pages that {@link addPage} had accepted are lost, because their commit failed.
   * The store is as before them; it must not throw.
   */
  watchLostPages(listener: (error: Error) => void): void {
    this.#onLostPages = listener;
  }

  get isInMemory(): boolean {
    return this.#location === undefined;
  }

  /** True once damaged pages were found since the store was opened. */
  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /** Sizes of the main file and of the write-ahead log [bytes]; 0 in memory. */
  fileSizes(): { readonly main: number; readonly log: number } {
    const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (this.#location === undefined) return { main: 0, log: 0 };
    return { main: sizeOf(this.#path), log: sizeOf(logOf(this.#path)) };
  }

  /** Changes whenever the stored data may have changed. */
  get version(): number {
    return this.#version;
  }

  /** Changes whenever events were appended, before the listener of {@link watchEvents} is called. */
  get eventVersion(): number {
    return this.#eventVersion;
  }

  /**
   * Reads the store. Pages that {@link addPage} has accepted are seen before they are committed: {@link readCommitted}.
   * @throws WalletError `no_wallet` once it is closed, `wallet_corrupt` for a damaged file, `wallet_io`.
   */
  read<T>(task: (r: WalletReader) => T): T {
    this.#assertOpen();
    return this.#detectingDamage(() => task(this.#reader));
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
    if (this.#isWriting) return;
    try {
      this.#pages.end();
    } catch {
      // The listener of lost pages knows it.
    }
  }

  /** Number of blocks that the wallet knows. */
  height(): number {
    this.#assertOpen();
    // A write begins by storing the deferred blocks.
    if (this.#isWriting) return heightOf(this.read((r) => r.chain.tip()));
    return this.#deferred.height ?? heightOf(this.#storedTip.value);
  }

  /** Blocks that the wallet knows, newest first: the last ten at least, then with growing gaps, and the first. */
  shortHistory(): BlockRef[] {
    this.#assertOpen();
    return [...this.#deferred.newestFirst(), ...this.#storedHistory.value];
  }

  /** Reward of the last block [atomic units]; zero while unknown. */
  lastBlockReward(): Amount {
    if (this.#deferred.page !== undefined) return this.#deferred.page.lastBlockReward;
    return amount(BigInt(this.read((r) => r.meta.get('last_block_reward')) ?? '0'));
  }

  /**
   * Stores a page of blocks after undoing the blocks that it replaces. Recoverable, as {@link writeRecoverable}; blocks
   * that change nothing but the tip are written later: after a crash of this process they are scanned again.
   * @param options as in `WalletWriter.applyPage`. `isFollowed`: other pages follow soon, and share a commit with this
   * one; {@link watchLostPages} reports its failure. After a crash of this process these are scanned again.
   */
  addPage(
    page: PageFindings,
    { isFollowed = false, ...options }: { readonly freeInputs?: boolean; readonly isFollowed?: boolean } = {},
  ): void {
    if (this.#mayDefer(page)) {
      if (!this.#pages.isOpen) detectingDamage(this.#path, () => this.#restoreFile());
      this.#deferred.add(page);
    } else if (isFollowed && !this.#db.memory) this.#addFollowed((w) => storePage(w, page, options), page);
    else this.writeRecoverable((w) => storePage(w, page, options));
  }

  #addFollowed(store: (w: WalletWriter) => void, { outputs, spends, hashes }: PageFindings): void {
    this.#assertOpen();
    this.#assertNotWriting();
    this.#detectingDamage(() => {
      if (!this.#pages.isOpen) this.#prepareWrite(() => this.#flushing.least());
      // A page without findings counts as one row for every hundred blocks.
      this.#pages.add(outputs.length + spends.length + hashes.length / 100, () => this.#runTask(store));
    });
    this.#deferred.clear();
  }

  #pageTransaction(): PageTransaction {
    return new PageTransaction(this.#db, {
      guard: (commit) => this.#detectingDamage(commit),
      onCommitted: () => {
        this.#walSync.note();
        this.#reportEvents();
      },
      onLost: (error) => {
        this.#version += 1;
        // They follow the lost pages, or are stored with them.
        this.#deferred.clear();
        this.#onLostPages(error);
      },
    });
  }

  /**
   * Reads the values that the next refresh needs, unless they are known. To be called after work in the store: the
   * statements are prepared then.
   */
  prefetch(): void {
    this.height();
    this.shortHistory();
    void this.#isAtRest.value;
  }

  #mayDefer(page: PageFindings): boolean {
    return this.#deferred.hasRoomFor(page) && page.startHeight === this.height() && this.#isAtRest.value;
  }

  #writeDeferred(): void {
    if (this.#deferred.page !== undefined) this.writeRecoverable(() => undefined);
  }

  /** Opens a snapshot, which ends when the store is closed. @throws Error for a store in memory. */
  snapshot(): Snapshot {
    const location = this.#location;
    if (location === undefined) throw new Error('a store in memory has no snapshots');
    this.commitPages();
    const snapshot = new Snapshot({
      current: () => this.#reader,
      open: () => openSnapshot(location.path, keyOf(location)),
      guard: (task) => this.#detectingDamage(task),
      onRelease: () => this.#snapshots.delete(snapshot),
    });
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  /**
   * Runs one transaction: all of it is on disk when this returns, nothing of it when this throws.
   * @throws WalletError `wallet_corrupt` for a damaged file, `wallet_io` if the disk is full or fails.
   */
  write<T>(task: (w: WalletWriter) => T): T {
    return this.#commit(task, () => this.#flushing.full());
  }

  #commit<T>(task: (w: WalletWriter) => T, setFlushing: () => void): T {
    this.#assertOpen();
    this.#assertNotWriting();
    return this.#detectingDamage(() => {
      this.#pages.end();
      this.#prepareWrite(setFlushing);
      const result = this.#db.transaction(() => this.#runTask(task)).immediate();
      this.#deferred.clear();
      this.#reportEvents();
      return result;
    });
  }

  #assertNotWriting(): void {
    if (this.#isWriting) throw new Error('a write began inside another write');
  }

  #prepareWrite(setFlushing: () => void): void {
    this.#restoreFile();
    for (const snapshot of this.#snapshots) snapshot.detach();
    setFlushing();
  }

  /** Runs a task inside a transaction, after the deferred blocks were stored. */
  #runTask<T>(task: (w: WalletWriter) => T): T {
    const writer = this.#writer;
    const deferred = this.#deferred.page;
    this.#version += 1;
    this.#isWriting = true;
    try {
      writer.events.reset();
      if (deferred !== undefined) storePage(writer, deferred);
      const done = task(writer);
      writer.events.settle();
      return done;
    } finally {
      this.#isWriting = false;
      // Values that were read inside the transaction may be rolled back.
      this.#version += 1;
    }
  }

  /** To be called after each commit. */
  #reportEvents(): void {
    const { appended } = this.#writer.events;
    if (appended === this.#appended) return;
    this.#appended = appended;
    this.#eventVersion += 1;
    this.#onEvents();
  }

  /**
   * Runs one transaction whose data can be read from the chain again, or was not reported to a client yet. Does not
   * wait for the disk: the data survives a crash of this process, but a crash of the machine only once {@link
   * flushToDisk} or a later {@link write} has ended.
   */
  writeRecoverable<T>(task: (w: WalletWriter) => T): T {
    const result = this.#commit(task, () => this.#flushing.least());
    if (!this.#db.memory) this.#walSync.note();
    return result;
  }

  /** Flushes all earlier writes to disk without blocking this thread. @throws WalletError `wallet_io` */
  async flushToDisk(): Promise<void> {
    // Closing a store flushes it.
    if (this.#db.memory || !this.#db.open) return;
    this.#writeDeferred();
    this.#pages.end();
    this.#detectingDamage(() => this.#restoreFile());
    await withFileErrorsAsync(this.#path, () => this.#walSync.finish());
  }

  /**
   * Moves the log into the main file on another thread, so that the log can restart. If that fails the log grows, until
   * a write runs the checkpoint and reports the error.
   */
  async checkpoint(): Promise<void> {
    const location = this.#location;
    if (location === undefined) return;
    this.commitPages();
    this.#checkpoint ??= checkpointOnThread(location.path, keyOf(location))
      .catch(() => undefined)
      .finally(() => {
        this.#checkpoint = undefined;
      });
    await this.#checkpoint;
  }

  /** Resolves once no checkpoint holds the file open. */
  async waitForCheckpoint(): Promise<void> {
    await this.#checkpoint;
  }

  /**
   * Writes a backup of this store and of its keys file, on another thread, while it is read and written.
   * @throws WalletError `invalid` for a store in memory, `wallet_io`, `wallet_corrupt`, `wallet_locked`
   */
  async backup(files: Pick<BackupSource, 'name' | 'keys'>, into: string, time: Date): Promise<Backup> {
    this.#assertOpen();
    const location = this.#location;
    if (location === undefined)
      throw new WalletError({ kind: 'invalid', reason: 'a wallet in memory has no files' });
    this.#pages.end();
    this.#detectingDamage(() => this.#restoreFile());
    return writeBackup({ ...files, store: location.path, storeKey: keyOf(location) }, into, time);
  }

  /** Moves the log, which is on disk already, into the main file on this thread. @throws WalletError `wallet_io` */
  checkpointSync(): void {
    this.#writeDeferred();
    this.#pages.end();
    this.#detectingDamage(() => {
      this.#restoreFile();
      this.#db.pragma('wal_checkpoint(PASSIVE)');
    });
  }

  /** Drops cached pages after a large read, so that they do not fragment the memory of many wallets. */
  releasePages(): void {
    this.#assertOpen();
    this.#db.pragma('shrink_memory');
  }

  /** Drops prepared statements and cached pages, which the next read creates again. */
  shrinkMemory(): void {
    if (!this.#db.open) return;
    this.#db.releaseStatements();
    this.#db.pragma('shrink_memory');
  }

  /**
   * Call it after {@link waitForCheckpoint}.
   * @throws WalletError `wallet_corrupt` for damage that no earlier call has reported: it is closed all the same.
   */
  close(): void {
    if (!this.#db.open) return;
    for (const snapshot of this.#snapshots) snapshot.release();
    try {
      this.#closeLog();
    } finally {
      this.#db.close();
      this.#identity?.release();
      this.#location?.key.wipe();
    }
  }

  #closeLog(): void {
    const isKnown = this.#isDamaged;
    try {
      this.#pages.end();
      this.#writeDeferred();
    } catch (error) {
      // The disk is full or the store is damaged: the blocks are scanned again.
      if (!(error instanceof WalletError)) throw error;
    }
    try {
      this.#detectingDamage(() => {
        this.#restoreFile();
        this.#emptyLog();
      });
    } catch (error) {
      const isCorrupt = error instanceof WalletError && error.fault.kind === 'wallet_corrupt';
      if (!isKnown || !isCorrupt) throw error;
    }
  }

  /** Moves the log into the main file. A full disk is no error: the log is on disk already, and stays there. */
  #emptyLog(): void {
    try {
      this.#db.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      const converted = isDamage(error) ? error : fileError(this.#path, error);
      if (!(converted instanceof WalletError)) throw error;
    }
  }

  /** A request may be bound to a wallet that is closed meanwhile. @throws WalletError `no_wallet` */
  #assertOpen(): void {
    if (!this.#db.open) throw new WalletError({ kind: 'no_wallet' });
  }

  get #path(): string {
    return this.#location?.path ?? this.#db.name;
  }

  /** {@link detectingDamage}, which is remembered. */
  #detectingDamage<T>(task: () => T): T {
    try {
      return detectingDamage(this.#path, task);
    } catch (error) {
      this.#isDamaged ||= error instanceof WalletError && error.fault.kind === 'wallet_corrupt';
      throw error;
    }
  }

  /**
   * Writes the store to its path again if its file was deleted, moved or replaced while it was open: the data would be
   * lost when this process ends. A file that replaced it gets another name.
   */
  #restoreFile(): void {
    const location = this.#location;
    if (location === undefined || this.#identity?.isThere() !== false) return;
    const { path, onFileRestored } = location;
    const draft = draftOf(path);
    removeDatabase(draft);
    this.#db.prepare('VACUUM INTO ?').run(draft);
    syncFile(draft);
    const backup = existsSync(path) ? addBackupName(path, 'replaced') : undefined;
    this.#db.close();
    this.#identity.release();
    commitDraft(path);
    this.#db = openDatabase(path, keyOf(location));
    this.#walSync = walSyncOf(this.#db, location);
    this.#flushing = new CommitFlushing(this.#db);
    this.#identity = new FileIdentity(path);
    this.#reader = new WalletReader(this.#db);
    this.#writer = new WalletWriter(this.#db, this.#events);
    this.#appended = 0;
    this.#pages = this.#pageTransaction();
    onFileRestored(backup);
  }
}
