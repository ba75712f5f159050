import { constants, copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectory, syncFile } from './fsync.js';
import { draftOf, tryLink } from './file-draft.js';

/**
 * Returns the path of a backup.
 * @param number 0 for the first backup of a file; later ones have their number in the name.
 */
const backupOf = (path: string, suffix: string, number: number): string =>
  `${path}.${suffix}${number === 0 ? '' : `.${number}`}`;

/** Returns the path of the latest backup of a file; undefined if there is none. */
export function newestBackup(path: string, suffix: string): string | undefined {
  let newest: string | undefined;
  for (let i = 0; ; i++) {
    const backup = backupOf(path, suffix, i);
    if (!existsSync(backup)) return newest;
    newest = backup;
  }
}

/**
 * Gives a file a second name: its own name with a suffix, and with a number if that name is taken.
 * @returns the second name.
 */
export function addBackupName(path: string, suffix: string): string {
  const { dev, ino } = statSync(path);
  for (let i = 0; ; i++) {
    const backup = backupOf(path, suffix, i);
    const existing = statSync(backup, { throwIfNoEntry: false });
    // An interrupted attempt may have given the file this name already.
    if (existing?.dev === dev && existing.ino === ino) return backup;
    if (existing !== undefined) continue;
    if (!tryLink(path, backup)) copyTo(path, backup);
    syncDirectory(dirname(path));
    return backup;
  }
}

function copyTo(path: string, backup: string): void {
  const draft = draftOf(backup);
  rmSync(draft, { force: true });
  copyFileSync(path, draft, constants.COPYFILE_EXCL);
  syncFile(draft);
  renameSync(draft, backup);
}
