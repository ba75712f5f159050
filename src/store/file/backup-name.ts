import { constants, copyFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectory, syncFile } from './fsync.js';
import { draftOf, tryLink } from './file-draft.js';

/** Gives a file a second name, its own with a suffix; a number where that is taken. @returns it. */
export function keepAside(path: string, suffix: string): string {
  const { dev, ino } = statSync(path);
  for (let i = 0; ; i++) {
    const aside = `${path}.${suffix}${i === 0 ? '' : `.${i}`}`;
    const there = statSync(aside, { throwIfNoEntry: false });
    // An attempt before this one came as far as here.
    if (there?.dev === dev && there.ino === ino) return aside;
    if (there !== undefined) continue;
    if (!tryLink(path, aside)) copyAside(path, aside);
    syncDirectory(dirname(path));
    return aside;
  }
}

function copyAside(path: string, aside: string): void {
  const draft = draftOf(aside);
  rmSync(draft, { force: true });
  copyFileSync(path, draft, constants.COPYFILE_EXCL);
  syncFile(draft);
  renameSync(draft, aside);
}
