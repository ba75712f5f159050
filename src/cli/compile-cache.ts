import { lstatSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Directory of the package's own compiled files. */
const BUILD = fileURLToPath(new URL('../../../build/', import.meta.url));

/** Directory of the cache below its parent. */
export const COMPILE_CACHE = '.compile-cache';

/**
 * Stores compiled modules on disk, so that later starts need not compile them. Must follow the last change of a V8
 * flag: V8 rejects code that was compiled with other flags.
 * @param parent existing directory. @param enable starts the cache in a directory.
 * @returns false without a directory that only this user can change, because its content is executed.
 */
export function keepCompiledModules(
  parent = BUILD,
  enable: (directory: string) => unknown = enableCompileCache,
): boolean {
  const directory = join(parent, COMPILE_CACHE);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch {
    // The directory exists, or the parent is read-only.
  }
  if (!isPrivate(directory)) return false;
  enable(directory);
  return true;
}

/** True for a directory, not a link, that belongs to this user and grants no rights to others. */
function isPrivate(path: string): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  return entry?.isDirectory() === true && entry.uid === process.getuid?.() && (entry.mode & 0o077) === 0;
}
