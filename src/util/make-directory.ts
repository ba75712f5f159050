import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Returns the code of an error of the operating system. */
const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/**
 * Creates a directory and its parent directories, unless it exists. Replaces `mkdirSync` with `recursive`, which never
 * ends on a file system such as /proc, where creating a directory fails with ENOENT although the parent exists.
 * @param mode mode of the created directories.
 * @throws an error of the operating system; ENOTSUP if the file system cannot create directories; EEXIST if the path
 * exists and is not a directory.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  if (make(path, mode)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent, mode);
  if (make(path, mode)) return;
  throw Object.assign(new Error(`no directory can be created at ${path}`), { code: 'ENOTSUP', path });
}

/** Creates one directory. @returns false if the operating system reports that the parent does not exist. */
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
