import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { addressRecordOf } from './address-record.js';
import { syncDirectory, syncDirectoryAsync, discardFile, draftOf } from './file-draft.js';
import { withFileErrors, withFileErrorsAsync } from './file-errors.js';
import { utf8 } from '../../util/bytes.js';

/** Path of a database's write-ahead log. */
export const logOf = (path: string): string => `${path}-wal`;

/** Suffixes of the files that SQLite keeps beside a database. */
export const LOG_SUFFIXES = ['-wal', '-shm', '-journal'];

const logsOf = (path: string): string[] => LOG_SUFFIXES.map((suffix) => `${path}${suffix}`);

/** Paths of a database and of the files that SQLite keeps beside it. */
export const databaseFilesOf = (path: string): string[] => [path, ...logsOf(path)];

/** Removes a database and its logs; absent files are ignored. */
export function removeDatabase(path: string): void {
  for (const leftover of databaseFilesOf(path)) rmSync(leftover, { force: true });
}

/** Removes a store that is not open, and the record of its addresses, for good. @throws WalletError `wallet_io` */
export function removeStore(path: string): void {
  withFileErrors(path, () => {
    removeDatabase(path);
    rmSync(addressRecordOf(path), { force: true });
    syncDirectory(dirname(path));
  });
}

/**
 * Removes a database like {@link removeDatabase}, but ignores errors, since it is used while another error is handled.
 */
export function discardDatabase(path: string): void {
  for (const leftover of databaseFilesOf(path)) discardFile(leftover);
}

/** Renames a draft to its final path, atomically; replaces an existing file. @throws WalletError `wallet_io` */
export function commitDraft(path: string): void {
  withFileErrors(path, () => {
    renameDraft(path);
    syncDirectory(dirname(path));
  });
}

/** Renames a draft as {@link commitDraft}, without blocking this thread while the directory is flushed to disk. */
export async function commitDraftAsync(path: string): Promise<void> {
  await withFileErrorsAsync(path, async () => {
    renameDraft(path);
    await syncDirectoryAsync(dirname(path));
  });
}

function renameDraft(path: string): void {
  // Leftover logs are removed: SQLite would apply the log of a former database with this name to the new file.
  for (const leftover of logsOf(path)) rmSync(leftover, { force: true });
  renameSync(draftOf(path), path);
}

/**
 * Content of the empty log beside a closed store that is replicated completely. SQLite takes a log of up to 32 bytes,
 * the size of its header, for an empty log and overwrites it with the first commit.
 */
const NOTHING_UNSENT = utf8('wallet-rpc: nothing unsent\n');

/** Size of the header of a log [bytes]. Source: SQLite's file format, "The Write-Ahead Log". */
const HEADER_BYTES = 32;

const sizeOf = (log: string): number | undefined => statSync(log, { throwIfNoEntry: false })?.size;

/**
 * Returns true if the log of a store that is not open contains all commits that are not stored elsewhere. False for a
 * missing or empty log: SQLite has removed the log when a process ended, or another program has made it.
 */
export const hasKeptLog = (path: string): boolean => (sizeOf(logOf(path)) ?? 0) > 0;

/** True if the log of a store that is not open has no commit: the main file has all commits. */
export const isEmptyLog = (path: string): boolean => (sizeOf(logOf(path)) ?? 0) <= HEADER_BYTES;

/** Writes a log that marks the whole content of a closed store as stored elsewhere. @throws errors of the file. */
export function writeKeptLog(path: string): void {
  writeFileSync(logOf(path), NOTHING_UNSENT, { mode: 0o600 });
}

/** Writes a log as {@link writeKeptLog}, if SQLite has left an empty log behind. */
export function markEmptyLog(path: string): void {
  if (sizeOf(logOf(path)) === 0) writeKeptLog(path);
}
