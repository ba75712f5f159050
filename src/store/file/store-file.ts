import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Secret } from '../../util/secret.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import { commitDraft, logOf, removeDatabase } from './atomic-replace.js';
import { addBackupName } from './backup-name.js';
import { checkpointOnThread } from './checkpoint.js';
import { CommitFlushing } from './commit-flushing.js';
import {
  detectingDamage,
  IN_MEMORY,
  isDamage,
  openDatabase,
  openSnapshot,
  type Db,
  type StoreKey,
} from './database.js';
import { draftOf } from './file-draft.js';
import { fileError, withFileErrorsAsync } from './file-errors.js';
import { FileIdentity } from './file-identity.js';
import { syncDirectory, syncFile } from './fsync.js';
import type { StoreDatabase } from './store-database.js';
import type { StoreCipher } from './store-cipher.js';
import { WalSync } from './wal-sync.js';

/** Number of pages in the log, and how many of them are also in the main file. */
interface LogState {
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * Size of the log from which another thread moves it into the main file [pages]. From {@link AUTOCHECKPOINT_PAGES} on a
 * commit would do it on this thread.
 */
const LONG_LOG_PAGES = 4096;

/** Number of commits after which the length of the log is read, which takes 30 µs. */
const COMMITS_BETWEEN_LOOKS = 8;

/**
 * Callback for a store file that was missing or replaced and has been written again.
 * @param backup new name of the file that had taken its place; undefined if there was none.
 */
export type OnFileRestored = (backup: string | undefined) => void;

/** Path and key of a store on disk. */
export interface Location {
  readonly path: string;
  readonly key: Secret;
  readonly cipher: StoreCipher;
  readonly onFileRestored: OnFileRestored;
}

/** Path of a store and a copy of its key, with which another thread opens it. The receiver zeroes the key. */
export interface SharedFile {
  readonly path: string;
  readonly key: StoreKey;
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

  constructor(db: StoreDatabase, location?: Location) {
    this.location = location;
    this.#identity = location && new FileIdentity(location.path);
    this.#db = db;
    this.#walSync = walSyncOf(location?.path);
    this.#flushing = new CommitFlushing(db, location && logOf(location.path));
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

  /** Runs a task as the function {@link detectingDamage} does, and remembers if the file is damaged. */
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
    this.#walSync = walSyncOf(path);
    this.#flushing = new CommitFlushing(this.#db, logOf(path));
    this.#identity = new FileIdentity(path);
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
    this.#commits += 1;
    if (this.#commits % COMMITS_BETWEEN_LOOKS === 0 && this.#hasLongLog()) void this.checkpoint();
  }

  #hasLongLog(): boolean {
    const [state] = this.#db.pragma('wal_checkpoint(NOOP)') as readonly LogState[];
    return state !== undefined && state.log - state.checkpointed > LONG_LOG_PAGES;
  }

  /** Flushes all commits to disk without blocking this thread. @throws WalletError `wallet_io` */
  async flush(): Promise<void> {
    await withFileErrorsAsync(this.path, () => this.#walSync.finish());
  }

  /** Moves the log into the main file on another thread. A failure is ignored: the log stays on disk and grows. */
  async checkpoint(): Promise<void> {
    if (this.location === undefined) return;
    this.#checkpoint ??= checkpointOnThread(this.location.path, keyOf(this.location))
      .catch(() => undefined)
      .finally(() => {
        this.#checkpoint = undefined;
      });
    await this.#checkpoint;
  }

  /** Resolves when no checkpoint on another thread has the file open. */
  async waitForCheckpoint(): Promise<void> {
    await this.#checkpoint;
  }

  /** Moves the log into the main file on this thread. The log must be on disk already. */
  checkpointSync(): void {
    this.detectingDamage(() => {
      this.restore();
      this.#db.pragma('wal_checkpoint(PASSIVE)');
    });
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
  openSnapshot(): Db {
    if (this.location === undefined) throw new Error('a store in memory has no snapshots');
    return openSnapshot(this.location.path, keyOf(this.location));
  }

  /**
   * Moves the log into the main file before the store is closed. A full disk is no error: the log is on disk already,
   * and stays there.
   * @param isDamageKnown true if an earlier call has reported the damage of the file.
   * @throws WalletError `wallet_corrupt` for damage that was not reported.
   */
  emptyLog(isDamageKnown: boolean): void {
    try {
      this.detectingDamage(() => {
        this.restore();
        this.#truncateLog();
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

  close(): void {
    this.#db.close();
    this.#identity?.release();
    this.location?.key.wipe();
  }
}
