import { lstatSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE_ROOT } from '../../util/own-package.js';

/** Directory of the compiled files of this package. */
const BUILD = fileURLToPath(new URL('build/', PACKAGE_ROOT));

/** Name of the cache's directory in its parent directory. */
export const COMPILE_CACHE = '.compile-cache';

/** Environment variable from which worker threads read the cache's directory. */
const VARIABLE = 'NODE_COMPILE_CACHE';

export interface CompileCacheOptions {
  /** Existing directory in which the cache's directory is created. */
  readonly parent?: string;
  /** Environment of the process, which its worker threads inherit. */
  readonly env?: NodeJS.ProcessEnv;
  /** Turns the cache of the main thread on. */
  readonly enable?: (directory: string) => unknown;
}

/**
 * Stores compiled modules on disk, so that later starts need not compile them. To be called after the last change of a
 * V8 flag: V8 rejects code that was compiled with other flags. Does not replace a cache that the environment sets.
 * @returns false without a directory that only this user can change, since the content of the cache is executed.
 */
export function keepCompiledModules({
  parent = BUILD,
  env = process.env,
  enable = enableCompileCache,
}: CompileCacheOptions = {}): boolean {
  if (env[VARIABLE] !== undefined) return false;
  const directory = join(parent, COMPILE_CACHE);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch {
    // The directory exists already, or the parent is read-only.
  }
  if (!isPrivate(directory)) return false;
  enable(directory);
  env[VARIABLE] = directory;
  return true;
}

/**
 * Returns an environment without the cache of this program, for commands of the operator, which may run Node.js, too.
 */
export const withoutCompileCache = (env: NodeJS.ProcessEnv, parent = BUILD): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name !== VARIABLE || value !== join(parent, COMPILE_CACHE)),
  );

/** True for a directory, not a link, that belongs to this user and that no other user can access. */
function isPrivate(path: string): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  return entry?.isDirectory() === true && entry.uid === process.getuid?.() && (entry.mode & 0o077) === 0;
}
