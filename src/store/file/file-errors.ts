import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  statfsSync,
  statSync,
  type BigIntStats,
} from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
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
 * descriptor of the database would release the locks of the first descriptor.
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
 * Converts an error of a file operation. Returns WalletError `wallet_io` with the file's name if the disk, the file
 * system or a limit is the cause; otherwise the error itself.
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

/** Runs an asynchronous task that uses a file, as {@link withFileErrors}. */
export async function withFileErrorsAsync<T>(path: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (cause) {
    throw fileError(path, cause);
  }
}

/** Checks that a path is a regular file. @throws WalletError `wallet_io` for a directory, FIFO, socket or device. */
function assertRegular(path: string, stat: { isFile(): boolean; isDirectory(): boolean }): void {
  if (stat.isFile()) return;
  const reason = stat.isDirectory() ? 'it is a directory' : NOT_A_FILE;
  throw new WalletError({ kind: 'wallet_io', file: basename(path), reason });
}

/**
 * Returns the state of a file, which must be a regular one: opening a FIFO would wait for a writer for ever.
 * @returns undefined if there is no file. @throws WalletError `wallet_io`
 */
export const regularAt = (path: string): BigIntStats | undefined =>
  withFileErrors(path, () => {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat !== undefined) assertRegular(path, stat);
    return stat;
  });

/** Flags that open a file without waiting, whatever it is. */
const NO_WAIT = constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Opens a regular file, without waiting. The caller closes it.
 * @param flags of the operating system. @throws WalletError `wallet_io`, also if there is no file
 */
export const openRegular = (path: string, flags: number = constants.O_RDONLY, mode?: number): number =>
  withFileErrors(path, () => {
    const file = openSync(path, flags | NO_WAIT, mode);
    try {
      assertRegular(path, fstatSync(file));
      return file;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  });

/** Reads a regular file, without waiting. @throws WalletError `wallet_io`, also if there is no file */
export function readRegular(path: string): Buffer {
  const file = openRegular(path);
  try {
    return withFileErrors(path, () => readFileSync(file));
  } finally {
    closeSync(file);
  }
}

/**
 * Opens a regular file for reading, without waiting, and without holding up this thread. The caller closes it.
 * @returns undefined if there is no file. @throws WalletError `wallet_io`
 */
export async function openRegularAsync(
  path: string,
): Promise<{ readonly file: FileHandle; readonly size: number } | undefined> {
  return withFileErrorsAsync(path, async () => {
    let file;
    try {
      file = await open(path, constants.O_RDONLY | NO_WAIT);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
    try {
      const stat = await file.stat();
      assertRegular(path, stat);
      return { file, size: stat.size };
    } catch (error) {
      await file.close();
      throw error;
    }
  });
}
