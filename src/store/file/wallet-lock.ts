import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import Database from 'better-sqlite3';
import { sqlitePath } from '../../util/sql-database.js';
import { WalletError } from '../../model/wallet-error.js';
import { codeOf, openRegular, regularAt, withFileErrors } from './file-errors.js';

/** Lock on a wallet that this process holds until it releases it. */
export interface WalletLock {
  release(): void;
}

/**
 * Identities (path; device and inode) of the lock files that this process has locked. A lock of the operating system
 * does not exclude the process that holds the lock.
 */
const held = new Set<string>();

/**
 * Longest wait for another process that takes the lock at the same time [ms]. Both processes first read the file, and
 * neither process gets the lock while the other process reads; without a wait both would be refused.
 */
const CONTENTION_MS = 10;

/**
 * Locks a wallet for this process. The lock is a lock of the operating system on an empty SQLite file, so it ends with
 * the process in every case. The file is never removed: otherwise a process could lock the file just before its removal
 * and share the wallet with a process that creates it again.
 * @throws WalletError `wallet_locked`, `wallet_io`
 */
export function lockWallet(path: string, name: string): WalletLock {
  const file = held.has(path) ? undefined : withFileErrors(path, () => makeLockFile(path));
  if (file === undefined) throw new WalletError({ kind: 'wallet_locked', name });
  const db = withFileErrors(path, () => new Database(sqlitePath(path), { timeout: CONTENTION_MS }));
  try {
    // The file always stays empty; this setting keeps SQLite from creating other files.
    db.pragma('journal_mode = MEMORY');
    // It has no pages, for which SQLite would reserve 76 KiB.
    db.pragma('cache_size = -1');
    db.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    const code = codeOf(cause);
    if (code.startsWith('SQLITE_BUSY')) throw new WalletError({ kind: 'wallet_locked', name }, { cause });
    if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
      throw new WalletError(
        { kind: 'wallet_io', file: basename(path), reason: 'it is no lock file of this program: remove it' },
        { cause },
      );
    return withFileErrors(path, () => {
      throw cause;
    });
  }
  held.add(file).add(path);
  return {
    release() {
      if (!held.delete(file)) return;
      held.delete(path);
      db.exec('ROLLBACK');
      db.close();
    },
  };
}

/**
 * Creates the lock file if it is missing.
 * @returns its identity; undefined if this process holds the lock, which closing the file would release.
 */
function makeLockFile(path: string): string | undefined {
  const existing = regularAt(path);
  if (existing !== undefined && held.has(identityOf(existing))) return undefined;
  const file = openRegular(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    return identityOf(fstatSync(file, { bigint: true }));
  } finally {
    closeSync(file);
  }
}

/** Returns a text that is equal for all names of one file, from its device and inode numbers. */
export const identityOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** Identities ({@link identityOf}) of the files that this process has open. */
const openFiles = new Set<string>();

/** Returns true if a path is another name of a file that this process has open under a {@link FileIdentity}. */
export function isOpenHere(path: string): boolean {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat !== undefined && openFiles.has(identityOf(stat));
}

/** Detects whether an open file was deleted, moved or replaced. */
export class FileIdentity {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #identity: string;
  /** False on a file system that reports changing inode numbers for one file; identities are not compared then. */
  readonly #comparable: boolean;

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, 'r');
    this.#identity = identityOf(fstatSync(this.#descriptor, { bigint: true }));
    this.#comparable = this.#isAtPath();
    if (this.#comparable) openFiles.add(this.#identity);
  }

  /** Returns false after the file was deleted, moved or replaced. */
  isThere(): boolean {
    return !this.#comparable || this.#isAtPath();
  }

  /** Size of the file [bytes]. */
  get size(): number {
    return fstatSync(this.#descriptor).size;
  }

  /**
   * Reads bytes of the file at an offset, without opening it once more.
   * @returns the number of bytes that were read; fewer than asked for at the end of the file.
   */
  read(bytes: Uint8Array, offset: number): number {
    return readSync(this.#descriptor, bytes, 0, bytes.length, offset);
  }

  /**
   * Removes the file from the open files of this process. Call it after SQLite has closed the file: closing any
   * descriptor of a file releases all locks that this process has on it.
   */
  release(): void {
    openFiles.delete(this.#identity);
    closeSync(this.#descriptor);
  }

  #isAtPath(): boolean {
    const atPath = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    return atPath !== undefined && identityOf(atPath) === this.#identity;
  }
}
