import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { addressRecordOf } from './address-record.js';
import { syncDirectory, syncDirectoryAsync } from './fsync.js';
import { discardFile, draftOf } from './file-draft.js';
import { withFileErrors, withFileErrorsAsync } from './file-errors.js';

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

/** Removes a database like {@link removeDatabase}, but ignores errors: for use while another error is handled. */
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

/** Does the same as {@link commitDraft}, without blocking this thread while the directory is flushed to disk. */
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
