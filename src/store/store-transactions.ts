import type { StoreFile } from './file/store-file.js';
import type { PageFindings } from '../monero/wallet/model/records.js';
import type { DeferredBlocks } from './deferred-blocks.js';
import type { EventSettings } from './events/event-log.js';
import { PageTransaction } from './page-transaction.js';
import { WalletWriter, type PageOptions } from './wallet-writer.js';

/** Listeners and parts of {@link StoreTransactions}. */
interface Parts {
  readonly file: StoreFile;
  readonly events: EventSettings;
  /** Blocks that the next transaction stores. */
  readonly deferred: DeferredBlocks;
  /** Called before a transaction begins. */
  readonly onBegin: () => void;
}

/** Stores a page and the reward of its last block. */
function storePage(w: WalletWriter, page: PageFindings, options?: PageOptions): void {
  w.applyPage(page, options);
  w.meta.set('last_block_reward', page.lastBlockReward.toString());
}

/** Transactions of a store: single writes, and those that pages of a refresh share. */
export class StoreTransactions {
  readonly #parts: Parts;
  #writer: WalletWriter;
  #pages: PageTransaction;
  /** True while a task runs that may write. */
  #isWriting = false;
  #version = 0;
  #eventVersion = 0;
  /** Events appended before the last commit. */
  #appended = 0;
  #onEvents: () => void = () => undefined;
  #onLostPages: (error: Error) => void = () => undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#writer = new WalletWriter(parts.file.db, parts.events);
    this.#pages = this.#pageTransaction();
  }

  /** Uses the connection that the file has opened in place of another. */
  reopen(): void {
    this.#writer = new WalletWriter(this.#parts.file.db, this.#parts.events);
    this.#appended = 0;
    this.#pages = this.#pageTransaction();
  }

  /** Sets the listener that is called after each commit that appended events; it must not throw. */
  watchEvents(listener: () => void): void {
    this.#onEvents = listener;
  }

  /** Sets the listener that is called when accepted pages are lost, because their commit failed; it must not throw. */
  watchLostPages(listener: (error: Error) => void): void {
    this.#onLostPages = listener;
  }

  /** Changes whenever the stored data may have changed. */
  get version(): number {
    return this.#version;
  }

  /** Changes whenever events were appended, before their listener is called. */
  get eventVersion(): number {
    return this.#eventVersion;
  }

  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** True if pages wait for their commit. */
  get hasOpenPages(): boolean {
    return this.#pages.isOpen;
  }

  /** As `WalletWriter.isAtRest`. */
  get isAtRest(): boolean {
    return this.#writer.isAtRest;
  }

  /** Runs one transaction, which is on disk when this returns. @throws the error of the task or of the commit. */
  write<T>(task: (w: WalletWriter) => T): T {
    return this.#atomically(task, (run) => {
      this.#pages.end();
      this.#begin(() => this.#parts.file.flushNextCommit());
      return this.#parts.file.db.transaction(run).immediate();
    });
  }

  /** Runs one transaction without waiting for the disk; that of pages, if one is open. */
  writeRecoverable<T>(task: (w: WalletWriter) => T): T {
    return this.#atomically(task, (run) => {
      if (this.#pages.isOpen) return this.#pages.join(run);
      this.#begin(() => this.#parts.file.deferFlush());
      const result = this.#parts.file.db.transaction(run).immediate();
      this.#parts.file.noteCommit();
      return result;
    });
  }

  /** Stores a page; others share its commit if it is followed by them, in a file; few of them where this is busy. */
  addPage(
    page: PageFindings,
    {
      isFollowed,
      isBusy,
      ...options
    }: PageOptions & { readonly isFollowed: boolean; readonly isBusy: boolean },
  ): void {
    const store = (w: WalletWriter): void => storePage(w, page, options);
    if (isFollowed && !this.#parts.file.db.memory) this.#addFollowed(store, page, isBusy);
    else this.writeRecoverable(store);
  }

  #addFollowed(
    store: (w: WalletWriter) => void,
    { outputs, spends, hashes }: PageFindings,
    isBusy: boolean,
  ): void {
    const { file, deferred } = this.#parts;
    file.assertOpen();
    this.#assertNotWriting();
    file.detectingDamage(() => {
      if (!this.#pages.isOpen) this.#begin(() => file.deferFlush());
      // A page without findings counts as one row for every hundred blocks.
      const rows = outputs.length + spends.length + hashes.length / 100;
      this.#pages.add({ rows, isBusy }, () => this.#runTask(store));
    });
    deferred.clear();
  }

  /** Commits the pages that wait for it. @throws the error of the commit. */
  endPages(): void {
    this.#pages.end();
  }

  /** {@link endPages} outside of a task. Failures are reported to the listener of lost pages. */
  commitPages(): void {
    if (this.#isWriting) return;
    try {
      this.#pages.end();
    } catch {
      // The listener of lost pages knows it.
    }
  }

  /** Stores the deferred blocks, if there are any. */
  writeDeferred(): void {
    if (this.#parts.deferred.page !== undefined) this.writeRecoverable(() => undefined);
  }

  #pageTransaction(): PageTransaction {
    const { file, deferred } = this.#parts;
    return new PageTransaction(file.db, {
      guard: (commit) => file.detectingDamage(commit),
      onCommitted: () => {
        file.noteCommit();
        this.#reportEvents();
      },
      onLost: (error) => {
        this.#version += 1;
        // They follow the lost pages, or are stored with them.
        deferred.clear();
        this.#onLostPages(error);
      },
    });
  }

  /** @param commit runs the task in a transaction, and commits it. */
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
    this.#parts.onBegin();
    setFlushing();
  }

  /** Runs a task inside a transaction, after the deferred blocks were stored. */
  #runTask<T>(task: (w: WalletWriter) => T): T {
    const writer = this.#writer;
    const deferred = this.#parts.deferred.page;
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
}
