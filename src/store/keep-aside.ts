import { constants, copyFileSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectory, syncFile } from './durable.js';

/** Gives a file a second name, its own with a suffix; a number where that is taken. @returns it. */
export function keepAside(path: string, suffix: string): string {
  const { dev, ino } = statSync(path);
  for (let i = 0; ; i++) {
    const aside = `${path}.${suffix}${i === 0 ? '' : `.${i}`}`;
    const there = statSync(aside, { throwIfNoEntry: false });
    // An attempt before this one came as far as here.
    if (there?.dev === dev && there.ino === ino) return aside;
    if (there !== undefined) continue;
    try {
      linkSync(path, aside);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      copyAside(path, aside);
    }
    syncDirectory(dirname(path));
    return aside;
  }
}

/** What file systems without hard links say. */
const UNSUPPORTED = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

const isUnsupported = (error: unknown): boolean =>
  UNSUPPORTED.has((error as NodeJS.ErrnoException).code ?? '');

function copyAside(path: string, aside: string): void {
  const draft = `${aside}.new`;
  rmSync(draft, { force: true });
  copyFileSync(path, draft, constants.COPYFILE_EXCL);
  syncFile(draft);
  renameSync(draft, aside);
}
