import { accessSync, closeSync, constants, openSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { WalletError } from '../../model/wallet-error.js';

/** Reasons of operating system errors that an operator can fix, by code. Source: errno(3). */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file size limit of the process is reached',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EISDIR: 'it is a directory',
  ERR_FS_EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is no directory',
  ENOTEMPTY: 'it is a directory with files in it',
  ENOENT: 'it does not exist, or its directory does not',
  EEXIST: 'another file has its name',
  ENOTSUP: 'its file system makes no directories there',
  EXDEV: 'it lies on another file system than its directory',
  EMFILE: 'the process has too many files open',
  ENFILE: 'the system has too many files open',
  ENXIO: 'it is a socket or a device',
  ENODEV: 'its device is gone',
  EIO: 'the disk failed to read or write',
  ELOOP: 'it is a symbolic link to itself',
  ENAMETOOLONG: 'its name is too long',
  ESTALE: 'the network file system lost it',
  ETIMEDOUT: 'the network file system does not answer',
  EBUSY: 'it is in use',
};

const NOT_A_FILE = 'it is no regular file';

/**
 * Reasons of SQLite's disk errors, by prefix of the error code; the first matching prefix counts. Source:
 * sqlite.org/rescode.html.
 */
const SQLITE_REASONS: readonly (readonly [string, string])[] = [
  ['SQLITE_FULL', 'no space is left on the disk'],
  ['SQLITE_READONLY', 'the file or its directory is read-only'],
  ['SQLITE_CANTOPEN', 'it cannot be opened'],
  ['SQLITE_PERM', 'permission denied'],
  ['SQLITE_BUSY', 'another process locks it'],
  ['SQLITE_NOLFS', 'the file system takes no files of this size'],
  // `SQLITE_IOERR_SHORT_READ` is damage of the file, which database.ts reports.
  ['SQLITE_IOERR', 'the disk failed to read or write'],
];

/** Returns the code of an error of the operating system or of SQLite; empty for any other error. */
export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';

/** Number of file descriptors that SQLite opens for a database in WAL mode, its directory included. */
const DATABASE_FILES = 4;

/** Opens a directory `count` times at once, then closes it. @throws `EMFILE`, `ENFILE`, `EACCES`, `ENOENT` */
function openTimes(directory: string, count: number): void {
  const file = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    if (count > 1) openTimes(directory, count - 1);
  } finally {
    closeSync(file);
  }
}

/**
 * Finds the cause of an SQLite error whose own code is too general. Opens only the directory: closing a second
 * descriptor of the database would release the locks of the first.
 */
function probe(path: string): string | undefined {
  const directory = dirname(path);
  try {
    openTimes(directory, DATABASE_FILES);
    accessSync(directory, constants.W_OK | constants.X_OK);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && !stat.isFile()) return NOT_A_FILE;
    if (stat !== undefined) accessSync(path, constants.R_OK | constants.W_OK);
    const { bavail, files, ffree } = statfsSync(directory);
    return bavail === 0 || (files > 0 && ffree === 0) ? REASONS['ENOSPC'] : undefined;
  } catch (error) {
    return REASONS[codeOf(error)];
  }
}

function reasonOf(path: string, error: unknown): string | undefined {
  const code = codeOf(error);
  const known = REASONS[code];
  if (known !== undefined) return `${known} (${code})`;
  const [, general] = SQLITE_REASONS.find(([prefix]) => code.startsWith(prefix)) ?? [];
  if (general === undefined) return undefined;
  const isVague = !code.startsWith('SQLITE_FULL') && !code.startsWith('SQLITE_BUSY');
  return `${(isVague ? probe(path) : undefined) ?? general} (${code})`;
}

/** Returns the path that an operating system error names; for a rename, the new path. */
function pathIn(error: unknown): string | undefined {
  const { dest, path } = error as { readonly dest?: unknown; readonly path?: unknown };
  return [dest, path].find((value) => typeof value === 'string');
}

/**
 * Converts an error of a file operation. If the disk, the file system or a limit is the cause, returns WalletError
 * `wallet_io` with the file's name; otherwise the error itself.
 */
export function fileError(path: string, cause: unknown): unknown {
  if (cause instanceof WalletError) return cause;
  const reason = reasonOf(path, cause);
  if (reason === undefined) return cause;
  return new WalletError({ kind: 'wallet_io', file: basename(pathIn(cause) ?? path), reason }, { cause });
}

/** Runs a task that uses a file. @throws WalletError `wallet_io`; other errors of the task unchanged. */
export function withFileErrors<T>(path: string, task: () => T): T {
  try {
    return task();
  } catch (cause) {
    throw fileError(path, cause);
  }
}

/** Does the same as {@link withFileErrors} for an asynchronous task. */
export async function withFileErrorsAsync<T>(path: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (cause) {
    throw fileError(path, cause);
  }
}

/** Checks that a path is a regular file. @throws WalletError `wallet_io` for a directory, FIFO, socket or device. */
export function assertRegular(path: string, stat: { isFile(): boolean; isDirectory(): boolean }): void {
  if (stat.isFile()) return;
  const reason = stat.isDirectory() ? 'it is a directory' : NOT_A_FILE;
  throw new WalletError({ kind: 'wallet_io', file: basename(path), reason });
}
