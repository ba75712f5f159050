import { lstatSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE_ROOT } from '../../util/own-package.js';

/** Directory of the package's own compiled files. */
const BUILD = fileURLToPath(new URL('build/', PACKAGE_ROOT));

/** Directory of the cache below its parent. */
export const COMPILE_CACHE = '.compile-cache';

/** Variable from which worker threads take the directory at their start. */
const VARIABLE = 'NODE_COMPILE_CACHE';

export interface CompileCacheOptions {
  /** Existing directory that contains the cache. */
  readonly parent?: string;
  /** Environment of the process, whose worker threads use the cache too. */
  readonly env?: NodeJS.ProcessEnv;
  /** Starts the cache of the main thread. */
  readonly enable?: (directory: string) => unknown;
}

/**
 * Stores compiled modules on disk, so that later starts need not compile them. Must follow the last change of a V8
 * flag: V8 rejects code that was compiled with other flags. A cache that the environment names is left as it is.
 * @returns false without a directory that only this user can change, because its content is executed.
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
    // The directory exists, or the parent is read-only.
  }
  if (!isPrivate(directory)) return false;
  enable(directory);
  env[VARIABLE] = directory;
  return true;
}

/** Returns an environment without this program's cache, for commands of the operator: they may run Node.js too. */
export const withoutCompileCache = (env: NodeJS.ProcessEnv, parent = BUILD): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name !== VARIABLE || value !== join(parent, COMPILE_CACHE)),
  );

/** True for a directory, not a link, that belongs to this user and grants no rights to others. */
function isPrivate(path: string): boolean {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  return entry?.isDirectory() === true && entry.uid === process.getuid?.() && (entry.mode & 0o077) === 0;
}
