import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { WalletError } from '../../model/wallet-error.js';
import { ThreadClient } from '../../util/thread-client.js';
import type { Secret } from '../../util/secret.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import {
  AUTOCHECKPOINT_PAGES,
  closeDatabase,
  detectingDamage,
  IN_MEMORY,
  isDamage,
  openDatabase,
  openSnapshot,
  type StoreDatabase,
  type StoreKey,
} from './database.js';
import type { CheckpointJobs } from './checkpoint-thread.js';
import { commitDraft, logOf, removeDatabase, markEmptyLog } from './atomic-replace.js';
import { addBackupName, draftOf, syncDirectory, syncFile } from './file-draft.js';
import { CommitFlushing, WalSync } from './wal-sync.js';
import { fileError, withFileErrorsAsync } from './file-errors.js';
import { FileIdentity } from './wallet-lock.js';
import type { StoreCipher } from './store-cipher.js';

/**
 * Keeps the write-ahead log of a replicated store from starting again before its pages are stored elsewhere. Every page
 * whose newest version is not stored elsewhere is in the log at any time, even if this process ends.
 */
export interface LogKeeper {
  /**
   * Counts a commit.
   * @param frames size of the committed log [pages].
   * @param isDurable true if the commit has waited for the disk, and so has flushed all earlier commits.
   */
  noteCommit(frames: number, isDurable: boolean): void;

  /** Number of commits until now, as an argument of {@link noteFlushed}. */
  readonly commits: number;

  /** Notes that all commits up to a number are on disk. */
  noteFlushed(commits: number): void;

  /** True if the log may be moved into the main file now and start again. */
  readonly mayRestart: boolean;

  /**
   * Runs a checkpoint once all commits before the call are stored elsewhere; the caller must keep later commits out of
   * the checkpoint. Gives up after some seconds.
   * @returns false after giving up, so that the log has to grow.
   */
  whenStored(checkpoint: () => Promise<void>): Promise<boolean>;

  /** Notes that the store was written to a new file. */
  noteReplaced(): void;
}

/** Keeps the whole log of a store that is not replicated yet. */
const HELD_LOG: LogKeeper = {
  noteCommit: () => undefined,
  commits: 0,
  noteFlushed: () => undefined,
  mayRestart: false,
  whenStored: () => Promise.resolve(false),
  noteReplaced: () => undefined,
};

/** One thread serves all wallets, because it waits for the disk most of the time. */
const threads = new ThreadClient<CheckpointJobs>(new URL('./checkpoint-thread.js', import.meta.url), {
  threads: 1,
});

/**
 * Moves the write-ahead log of a database into its main file, over a separate connection on another thread, while
 * readers and writers continue. The next write starts the log again from its beginning, if nothing was appended to it
 * in the meantime.
 * @throws Error when the file cannot be opened or read.
 */
async function checkpointOnThread(path: string, { key, cipher }: StoreKey): Promise<void> {
  const copy = Uint8Array.from(key);
  await threads.run('checkpoint', { path, key: { key: copy, cipher } }, [copy]);
}

/** Number of pages in the log, and number of these pages that are also in the main file. */
interface LogState {
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * Size of the log from which another thread moves it into the main file [pages]. From {@link AUTOCHECKPOINT_PAGES} on,
 * a commit would move the log on this thread.
 */
const LONG_LOG_PAGES = 4096;

/**
 * Size of the log of a replicated store from which another thread moves it into the main file [pages]. Its pages have
 * to be sent before, and a page that a catch-up writes several times is sent once. The size is smaller than the longest
 * log of a shipper by the pages that a catch-up writes in a second.
 */
const LONG_SENT_LOG_PAGES = 12_000;

/** Number of commits after which the length of the log is read, which takes 30 µs. */
const COMMITS_BETWEEN_LOOKS = 8;

/**
 * Largest number of checkpoints in a row for a replicated store. Each checkpoint moves the pages that were written
 * during the checkpoint before.
 */
const MOST_ROUNDS = 5;

/**
 * Callback for a store file that was missing or replaced and has been written again.
 * @param backup new name of the file that had taken the place of the store; undefined if there was no such file.
 */
export type OnFileRestored = (backup: string | undefined) => void;

/** Path and key of a store on disk. */
export interface Location {
  readonly path: string;
  readonly key: Secret;
  readonly cipher: StoreCipher;
  readonly onFileRestored: OnFileRestored;
  /** True if the log must not start again before its pages are stored elsewhere. */
  readonly isReplicated: boolean;
  /** True if SQLite has removed the log of a replicated store before it was opened, and maybe unsent pages in it. */
  readonly lacksLog: boolean;
}

/** Path of a store and a copy of its key, with which another thread opens it. The receiver zeroes the key. */
export interface SharedFile {
  readonly path: string;
  readonly key: StoreKey;
}

/** Marks a replicated store whose log may lack pages that are stored nowhere else. */
function markBaseNeeded(db: StoreDatabase): void {
  db.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('base_needed', '1')");
}

const keyOf = ({ key, cipher }: Location): StoreKey => ({ key: key.expose(), cipher });

/** Flushes the directory, so that the name of the log is on disk, and creates the object that flushes the log. */
function walSyncOf(path: string | undefined): WalSync {
  if (path !== undefined) syncDirectory(dirname(path));
  return new WalSync(logOf(path ?? IN_MEMORY));
}

/**
 * The files of an open store and the connection to them. Flushes commits, runs checkpoints, and detects damage and the
 * loss of the file.
 */
export class StoreFile {
  /** Path and key of the store; undefined for a store in memory. */
  readonly location: Location | undefined;
  #identity: FileIdentity | undefined;
  #db: StoreDatabase;
  #walSync: WalSync;
  #flushing: CommitFlushing;
  #checkpoint: Promise<unknown> | undefined;
  #commits = 0;
  #isDamaged = false;
  #onReopened: () => void = () => undefined;
  /** Guard of the log; undefined for a store that is not replicated. */
  #keeper: LogKeeper | undefined;

  constructor(db: StoreDatabase, location?: Location) {
    this.location = location;
    this.#identity = location && new FileIdentity(location.path);
    this.#db = db;
    this.#walSync = walSyncOf(location?.path);
    this.#flushing = this.#newFlushing();
    this.#keeper = location?.isReplicated === true ? HELD_LOG : undefined;
  }

  #newFlushing(): CommitFlushing {
    const { location } = this;
    const autocheckpoint = location?.isReplicated === true ? 0 : AUTOCHECKPOINT_PAGES;
    return new CommitFlushing(this.#db, location && logOf(location.path), autocheckpoint);
  }

  /** Lets a guard decide about the log of a replicated store. */
  keepLog(keeper: LogKeeper): void {
    this.#keeper = keeper;
  }

  /** Sets the listener that is called after {@link restore} has opened a new connection. */
  watchReopened(listener: () => void): void {
    this.#onReopened = listener;
  }

  get db(): StoreDatabase {
    return this.#db;
  }

  get path(): string {
    return this.location?.path ?? IN_MEMORY;
  }

  get isOpen(): boolean {
    return this.#db.open;
  }

  /** True if damaged pages were found since the store was opened. */
  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /**
   * Checks that the store is open: a request may refer to a wallet that was closed meanwhile.
   * @throws WalletError `no_wallet`
   */
  assertOpen(): void {
    if (!this.#db.open) throw new WalletError({ kind: 'no_wallet' });
  }

  /** Returns the sizes of the main file and of the write-ahead log [bytes]; 0 for a store in memory. */
  sizes(): { readonly main: number; readonly log: number } {
    const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (this.location === undefined) return { main: 0, log: 0 };
    return { main: sizeOf(this.path), log: sizeOf(logOf(this.path)) };
  }

  /** Runs a task like the function {@link detectingDamage}, and records whether the file is damaged. */
  detectingDamage<T>(task: () => T): T {
    try {
      return detectingDamage(this.path, task);
    } catch (error) {
      this.#isDamaged ||= error instanceof WalletError && error.fault.kind === 'wallet_corrupt';
      throw error;
    }
  }

  /**
   * Writes the store to its path again if its file was deleted, moved or replaced while it was open; otherwise its data
   * would be lost when this process ends. If another file has taken its path, that file is renamed.
   */
  restore(): void {
    const { location } = this;
    if (location === undefined || this.#identity?.isThere() !== false) return;
    const { path, onFileRestored, isReplicated } = location;
    const draft = draftOf(path);
    removeDatabase(draft);
    // All pages of the new file are new, so a new base is needed.
    if (isReplicated) markBaseNeeded(this.#db);
    this.#db.run('VACUUM INTO ?', draft);
    syncFile(draft);
    const backup = existsSync(path) ? addBackupName(path, 'replaced') : undefined;
    this.#db.close();
    this.#identity.release();
    commitDraft(path);
    this.#db = openDatabase(path, keyOf(location), { isReplicated });
    this.#walSync = walSyncOf(path);
    this.#flushing = this.#newFlushing();
    this.#identity = new FileIdentity(path);
    this.#keeper?.noteReplaced();
    this.#onReopened();
    onFileRestored(backup);
  }

  /** Makes the next commit flush everything to disk. */
  flushNextCommit(): void {
    this.#flushing.full();
  }

  /** Makes the next commit return without waiting for the disk. Call {@link noteCommit} after it. */
  deferFlush(): void {
    this.#flushing.least();
  }

  /** Counts a commit that did not wait for the disk. If the log is long, another thread moves it into the main file. */
  noteCommit(): void {
    if (this.#db.memory) return;
    this.#walSync.note();
    this.#keeper?.noteCommit(this.committedFrames, false);
    this.#lookAtLog();
  }

  /** Counts a commit that is on disk, if the store is replicated. */
  noteDurableCommit(): void {
    if (this.#keeper === undefined) return;
    this.#keeper.noteCommit(this.committedFrames, true);
    this.#lookAtLog();
  }

  #lookAtLog(): void {
    this.#commits += 1;
    if (this.#commits % COMMITS_BETWEEN_LOOKS === 0 && this.#hasLongLog()) void this.checkpoint();
  }

  #hasLongLog(): boolean {
    const { log, checkpointed } = this.#logState();
    return log - checkpointed > (this.#keeper === undefined ? LONG_LOG_PAGES : LONG_SENT_LOG_PAGES);
  }

  /** Number of committed pages in the log. Must not be called inside a transaction. */
  get committedFrames(): number {
    return this.#logState().log;
  }

  #logState(): LogState {
    const state = this.#db.row<LogState>('PRAGMA wal_checkpoint(NOOP)');
    if (state === undefined) throw new Error('SQLite did not report the state of the log');
    return state;
  }

  /** Flushes all commits to disk without blocking this thread. @throws WalletError `wallet_io` */
  async flush(): Promise<void> {
    const commits = this.#keeper?.commits;
    await withFileErrorsAsync(this.path, () => this.#walSync.finish());
    if (commits !== undefined) this.#keeper?.noteFlushed(commits);
  }

  /** Moves the log into the main file on another thread. A failure is ignored: the log stays on disk and grows. */
  async checkpoint(): Promise<void> {
    const { location } = this;
    if (location === undefined) return;
    this.#checkpoint ??= this.#runCheckpoint(location)
      .catch(() => undefined)
      .finally(() => {
        this.#checkpoint = undefined;
      });
    await this.#checkpoint;
  }

  async #runCheckpoint(location: Location): Promise<void> {
    const checkpoint = (): Promise<void> => checkpointOnThread(location.path, keyOf(location));
    if (this.#keeper === undefined) return checkpoint();
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const { commits } = this.#keeper;
      // SQLite does not move commits into the main file that are newer than an open snapshot.
      const limit = this.openSnapshot();
      try {
        if (!(await this.#keeper.whenStored(checkpoint))) return;
      } finally {
        limit.close();
      }
      if (this.#keeper.commits === commits) return;
    }
  }

  /** Resolves when no checkpoint on another thread has the file open. */
  async waitForCheckpoint(): Promise<void> {
    await this.#checkpoint;
  }

  /**
   * Moves the log into the main file on this thread. The log must be on disk already. The log of a replicated store is
   * not moved while some of its pages are stored nowhere else.
   */
  checkpointSync(): void {
    this.detectingDamage(() => {
      this.restore();
      if (this.#mayRestartLog) this.#db.pragma('wal_checkpoint(PASSIVE)');
    });
  }

  get #mayRestartLog(): boolean {
    return this.#keeper?.mayRestart ?? true;
  }

  /** Size of the main file [bytes]. */
  mainBytes(): number {
    return this.#identity?.size ?? 0;
  }

  /**
   * Reads bytes of the main file at an offset.
   * @returns the number of bytes that were read; fewer than asked for at the end of the file.
   */
  readMain(bytes: Uint8Array, offset: number): number {
    return this.#identity?.read(bytes, offset) ?? 0;
  }

  /** Returns the path and the key with which another thread can open the file; undefined for a store in memory. */
  shared(): SharedFile | undefined {
    const { location } = this;
    if (location === undefined) return undefined;
    this.detectingDamage(() => this.restore());
    const { key, cipher } = keyOf(location);
    return { path: location.path, key: { key: Uint8Array.from(key), cipher } };
  }

  /** Opens a connection that keeps reading the present state. @throws Error for a store in memory. */
  openSnapshot(): SqlDatabase {
    if (this.location === undefined) throw new Error('a store in memory has no snapshots');
    return openSnapshot(this.location.path, keyOf(this.location));
  }

  /**
   * Moves the log into the main file before the store is closed. A full disk is not an error, because the log is on
   * disk already, and stays there.
   * @param isDamageKnown true if an earlier call has reported the damage of the file.
   * @throws WalletError `wallet_corrupt` for damage that was not reported before.
   */
  emptyLog(isDamageKnown: boolean): void {
    try {
      this.detectingDamage(() => {
        this.restore();
        if (this.#mayRestartLog) this.#truncateLog();
      });
    } catch (error) {
      const isCorrupt = error instanceof WalletError && error.fault.kind === 'wallet_corrupt';
      if (!isDamageKnown || !isCorrupt) throw error;
    }
  }

  #truncateLog(): void {
    try {
      this.#db.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      const converted = isDamage(error) ? error : fileError(this.path, error);
      if (!(converted instanceof WalletError)) throw error;
    }
  }

  /** Closes the store. The log of a replicated store remains, as a sign that SQLite did not remove pages in it. */
  close(): void {
    if (this.location?.isReplicated === true) this.#closeReplicated(this.location);
    else this.#db.close();
    this.#identity?.release();
    this.location?.key.wipe();
  }

  #closeReplicated(location: Location): void {
    closeDatabase(this.#db, location.path, keyOf(location), true);
    if (!this.#mayRestartLog) return;
    try {
      markEmptyLog(location.path);
    } catch {
      // An empty log makes the next process send the whole file.
    }
  }
}
