import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Code of an error of the operating system. */
const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/**
 * Creates a directory, and those that it lies in, unless it exists. `mkdirSync` of Node.js with `recursive` never ends
 * where a file system denies a directory with ENOENT although its parent exists, as /proc does.
 * @param mode of the directories that are created. @throws an error of the operating system; ENOTSUP where the file
 * system makes no directories; EEXIST for a path that is no directory.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  if (make(path, mode)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent, mode);
  if (make(path, mode)) return;
  throw Object.assign(new Error(`no directory can be created at ${path}`), { code: 'ENOTSUP', path });
}

/** @returns false where the parent does not exist, or the file system says so. */
function make(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return true;
    throw error;
  }
}
