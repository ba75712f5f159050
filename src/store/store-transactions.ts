import { type BlockRef, hasFindings, type PageFindings } from '../monero/wallet/scan/findings.js';
import type { StoreFile } from './file/store-file.js';
import { WalletError } from '../model/wallet-error.js';
import type { EventSettings } from './events/event-log.js';
import { currentTrace, outsideTrace, type Trace } from '../util/trace.js';
import { PageTransaction } from './page-transaction.js';
import type { Snapshots } from './snapshot.js';
import { type PageOptions, WalletWriter } from './wallet-writer.js';

/** Parts of {@link StoreTransactions}. */
interface Parts {
  readonly file: StoreFile;
  readonly events: EventSettings;
  /** Blocks in memory that the next transaction stores first. */
  readonly deferred: DeferredBlocks;
  readonly snapshots: Snapshots;
}

/** Stores a page of blocks, and reward and time of its last block. */
function storePage(w: WalletWriter, page: PageFindings, options?: PageOptions): void {
  w.applyPage(page, options);
  w.meta.set('last_block_reward', page.lastBlockReward.toString());
  if (page.lastBlockTime !== undefined) w.meta.set('last_block_time', String(page.lastBlockTime));
}

/** Facts of a read of all blocks of the daemon: its beginning, and the date of the newest block if it is known [Unix s]. */
interface CompleteReadFacts {
  readonly time: number;
  readonly newestBlock: number | undefined;
  readonly hasPool: boolean;
}

/** Runs the transactions of a store: single writes, and shared transactions of several pages of blocks. */
export class StoreTransactions {
  readonly #parts: Parts;
  #writer: WalletWriter;
  #pages: PageTransaction;
  /** True while a task runs that may write to the store. */
  #isWriting = false;
  #version = 0;
  #eventVersion = 0;
  /** Number of events that were appended before the last commit. */
  #appended = 0;
  #onEvents: () => void = () => undefined;
  #onLostPages: (error: Error) => void = () => undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#writer = new WalletWriter(parts.file.db, parts.events);
    this.#pages = this.#pageTransaction();
  }

  /** Uses the new connection that the file has opened. */
  reopen(): void {
    this.#writer = new WalletWriter(this.#parts.file.db, this.#parts.events);
    this.#appended = 0;
    this.#pages = this.#pageTransaction();
  }

  /** Sets the listener that is called after each commit which appended events; it must not throw. */
  watchEvents(listener: () => void): void {
    this.#onEvents = listener;
  }

  /**
   * Sets the listener that is called when accepted pages of blocks are lost because their commit failed; it must not
   * throw.
   */
  watchLostPages(listener: (error: Error) => void): void {
    this.#onLostPages = listener;
  }

  /** Version of the data; changes whenever the stored data may have changed. */
  get version(): number {
    return this.#version;
  }

  /** Version of the events; changes whenever events were appended, before the listener is called. */
  get eventVersion(): number {
    return this.#eventVersion;
  }

  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** True if some accepted pages of blocks are not committed yet. */
  get hasOpenPages(): boolean {
    return this.#pages.isOpen;
  }

  /** True if the present state is at rest: see `WalletWriter.isAtRest`. */
  get isAtRest(): boolean {
    return this.#writer.isAtRest;
  }

  /**
   * Runs a task in a transaction, which is on disk when this returns.
   * @throws the error of the task or of the commit.
   */
  write<T>(task: (w: WalletWriter) => T): T {
    return this.#atomically(task, (run) => {
      this.#pages.end();
      this.#begin(() => this.#parts.file.flushNextCommit());
      const result = this.#parts.file.db.transaction(run).immediate();
      this.#parts.file.noteDurableCommit();
      return result;
    });
  }

  /**
   * Runs a task in a transaction that does not wait for the disk. If pages of blocks are not committed yet, the task
   * joins their transaction, which is then committed.
   */
  writeRecoverable<T>(task: (w: WalletWriter) => T): T {
    return this.#atomically(task, (run) => {
      this.#endHeldPages();
      if (this.#pages.isOpen) return this.#pages.join(run);
      this.#begin(() => this.#parts.file.deferFlush());
      const result = this.#parts.file.db.transaction(run).immediate();
      this.#parts.file.noteCommit();
      return result;
    });
  }

  /**
   * Stores a page of blocks.
   * @param isFollowed true if other pages follow soon: in a store on disk they share a transaction with this page.
   */
  addPage(
    page: PageFindings,
    { isFollowed, ...options }: PageOptions & { readonly isFollowed: boolean },
  ): void {
    const store = (w: WalletWriter): void => storePage(w, page, options);
    // Events of blocks have no call as their cause, also not the call that asked for the refresh.
    if (isFollowed && !this.#parts.file.db.memory) this.#addFollowed(store, page);
    else outsideTrace(() => this.writeRecoverable(store));
  }

  #addFollowed(store: (w: WalletWriter) => void, { outputs, spends, hashes }: PageFindings): void {
    const { file, deferred } = this.#parts;
    file.assertOpen();
    this.#assertNotWriting();
    file.detectingDamage(() => {
      this.#endHeldPages();
      if (!this.#pages.isOpen) {
        this.#begin(() => file.deferFlush());
        this.#writer.events.resetRequests();
      }
      // A hundred blocks without findings count as one row.
      const rows = outputs.length + spends.length + hashes.length / 100;
      this.#pages.add(rows, () => this.#runPage(store));
    });
    deferred.clear();
  }

  /** Commits the pages of blocks that are not committed yet. @throws the error of the commit. */
  endPages(): void {
    this.#pages.end();
  }

  /**
   * Commits the pages of blocks if a snapshot reads them, because the snapshot goes on with a connection of its own,
   * which sees only committed data. @throws the error of the commit.
   */
  #endHeldPages(): void {
    if (this.#parts.snapshots.readPresentState) this.#pages.end();
  }

  /**
   * Commits as {@link endPages}, unless a task is running. A failure is reported to the listener of lost pages, and not
   * thrown.
   */
  commitPages(): void {
    if (this.#isWriting) return;
    try {
      this.#pages.end();
    } catch {
      // The failure was reported to the listener of lost pages.
    }
  }

  /** Stores the deferred blocks, if there are deferred blocks. */
  writeDeferred(): void {
    if (this.#parts.deferred.page !== undefined) this.writeRecoverable(() => undefined);
  }

  #pageTransaction(): PageTransaction {
    const { file, deferred } = this.#parts;
    return new PageTransaction(file.db, {
      complete: () => {
        this.#writer.events.settleStates();
        this.#version += 1;
      },
      guard: (commit) => file.detectingDamage(commit),
      onCommitted: () => {
        file.noteCommit();
        this.#reportEvents();
      },
      onLost: (error) => {
        this.#version += 1;
        // The deferred blocks follow the lost pages, or were stored in the same transaction.
        deferred.clear();
        this.#parts.snapshots.failAttached(error);
        this.#onLostPages(error);
      },
    });
  }

  /**
   * Notes that the wallet has all blocks that the daemon had at a time [Unix s]: payments that it sees soon afterwards
   * have just arrived. Ends a rescan whose chain is shorter than before; without a rescan, the note is written with the
   * next change. @param hasPool true if the wallet has its mempool, too.
   */
  noteCompleteRead({ time, newestBlock, hasPool }: CompleteReadFacts): void {
    const { events } = this.#writer;
    events.noteCompleteRead(time, newestBlock);
    if (events.isRescanning) this.writeRecoverable((w) => w.events.endRescan({ hasPool }));
  }

  /** Commits the changes that are only in memory; a failure is ignored. */
  settle(): void {
    try {
      this.endPages();
      const isUnstored = this.#parts.file.detectingDamage(() => this.#writer.events.isReadUnstored);
      if (isUnstored) this.writeRecoverable(() => undefined);
      this.writeDeferred();
    } catch (error) {
      // The disk is full or the store is damaged. The deferred blocks are lost and will be scanned again.
      if (!(error instanceof WalletError)) throw error;
    }
  }

  /**
   * Runs a task, then reports its events.
   * @param commit runs its argument in a transaction and commits the transaction.
   */
  #atomically<T>(task: (w: WalletWriter) => T, commit: (run: () => T) => T): T {
    const { file, deferred } = this.#parts;
    file.assertOpen();
    this.#assertNotWriting();
    return file.detectingDamage(() => {
      const result = commit(() => this.#runTask(task));
      deferred.clear();
      this.#reportEvents();
      return result;
    });
  }

  #assertNotWriting(): void {
    if (this.#isWriting) throw new Error('a write began inside another write');
  }

  #begin(setFlushing: () => void): void {
    this.#parts.file.restore();
    this.#parts.snapshots.detach();
    setFlushing();
  }

  /** Runs a task inside a transaction of its own or a joined transaction, after storing the deferred blocks. */
  #runTask<T>(task: (w: WalletWriter) => T): T {
    const { events } = this.#writer;
    events.resetRequests();
    return this.#runPage(task, () => events.settleStates(), currentTrace());
  }

  /**
   * Runs a task inside the transaction of several pages, after storing the deferred blocks. The events of payment
   * requests are appended before the transaction is committed: a later page may change the same requests.
   * @param complete is called after the events of the task were appended. @param cause trace of the call that writes;
   * absent for pages.
   */
  #runPage<T>(task: (w: WalletWriter) => T, complete: () => void = () => undefined, cause?: Trace): T {
    const writer = this.#writer;
    const deferred = this.#parts.deferred.page;
    this.#version += 1;
    this.#isWriting = true;
    try {
      writer.events.reset();
      if (deferred !== undefined) storePage(writer, deferred);
      writer.events.setCause(cause);
      const done = task(writer);
      writer.events.settle();
      complete();
      return done;
    } finally {
      writer.events.setCause(undefined);
      this.#isWriting = false;
      // Values read inside the transaction may have been rolled back, so caches must not keep them.
      this.#version += 1;
    }
  }

  /** Calls the listener of events if the last commit has appended events. */
  #reportEvents(): void {
    const { appended } = this.#writer.events;
    if (appended === this.#appended) return;
    this.#appended = appended;
    this.#eventVersion += 1;
    this.#onEvents();
  }
}

/**
 * Smallest limit of a store on its number of deferred blocks; the limits of successive stores cover this number of
 * values above it.
 */
const LEAST_LIMIT = 10;
const LIMITS = 10;

/** Number of stores that were given a limit in this process. */
let limited = 0;

/**
 * Blocks above the stored blocks that change only the tip of a wallet. They are kept in memory until the next write of
 * the store; after a crash they are scanned again. Each store has its own limit on the number of deferred blocks, so
 * that the wallets of a process do not all write at the same block.
 */
export class DeferredBlocks {
  readonly #limit = LEAST_LIMIT + (limited++ % LIMITS);
  #page: PageFindings | undefined;

  /** All deferred blocks as one page; undefined if there are no deferred blocks. */
  get page(): PageFindings | undefined {
    return this.#page;
  }

  /** Number of blocks of the chain, deferred blocks included; undefined if no block is deferred. */
  get height(): number | undefined {
    return this.#page && this.#page.startHeight + this.#page.hashes.length;
  }

  /** Returns true if a page has no findings and its blocks do not exceed the limit. */
  hasRoomFor(page: PageFindings): boolean {
    const count = (this.#page?.hashes.length ?? 0) + page.hashes.length;
    return page.hashes.length > 0 && count <= this.#limit && !hasFindings(page);
  }

  /**
   * Adds the blocks of a page for which {@link hasRoomFor} has returned true. If blocks are deferred already, the page
   * must start at {@link height}.
   */
  add({ startHeight, hashes, lastBlockReward, lastBlockTime }: PageFindings): void {
    const before = this.#page ?? { startHeight, hashes: [] };
    this.#page = {
      startHeight: before.startHeight,
      hashes: [...before.hashes, ...hashes],
      ...{ lastBlockReward, lastBlockTime },
      ...{ received: [], outputs: [], spends: [], outgoing: [], subaddresses: [] },
    };
  }

  /** Returns the deferred blocks, newest first. */
  newestFirst(): BlockRef[] {
    const { startHeight, hashes } = this.#page ?? { startHeight: 0, hashes: [] };
    return hashes.map((hash, i) => ({ height: startHeight + i, hash })).reverse();
  }

  clear(): void {
    this.#page = undefined;
  }
}
