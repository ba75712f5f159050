import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectory } from './fsync.js';
import { discardFile, draftOf } from './file-draft.js';
import { namingTrouble } from './file-trouble.js';

/** What was written lately, until a checkpoint moves it into the main file. */
export const logOf = (path: string): string => `${path}-wal`;

/** Suffixes of the files that SQLite keeps beside a database. */
export const LOG_SUFFIXES = ['-wal', '-shm', '-journal'];

const logsOf = (path: string): string[] => LOG_SUFFIXES.map((suffix) => `${path}${suffix}`);

/** A database and the files that SQLite keeps beside it. */
export const databaseFilesOf = (path: string): string[] => [path, ...logsOf(path)];

/** A database with its logs; what is not there does no harm. */
export function removeDatabase(path: string): void {
  for (const leftover of databaseFilesOf(path)) rmSync(leftover, { force: true });
}

/** {@link removeDatabase} while an error is handled. */
export function discardDatabase(path: string): void {
  for (const leftover of databaseFilesOf(path)) discardFile(leftover);
}

/** Puts the draft in its place, in one step; a file that is there is replaced. @throws WalletError `wallet_io` */
export function settleDraft(path: string): void {
  namingTrouble(path, () => {
    // The log of another file of that name would be played into this one.
    for (const leftover of logsOf(path)) rmSync(leftover, { force: true });
    renameSync(draftOf(path), path);
    syncDirectory(dirname(path));
  });
}
