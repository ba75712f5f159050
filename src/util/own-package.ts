import { existsSync, readFileSync } from 'node:fs';

/** Members of `package.json` that the program shows. */
export interface OwnPackage {
  readonly version: string;
  readonly license: string;
}

/**
 * Finds the closest directory with a `package.json`, upwards from a file, because compiled files are at several depths.
 * @returns URL of the directory, which ends with a slash. @throws Error if there is no such directory.
 */
export function packageRootOf(file: string): URL {
  for (let directory = new URL('.', file); ; directory = new URL('..', directory)) {
    if (existsSync(new URL('package.json', directory))) return directory;
    if (directory.pathname === '/') throw new Error(`no package.json above ${file}`);
  }
}

/** URL of the directory of this package, with migrations, word lists and pages. */
export const PACKAGE_ROOT = packageRootOf(import.meta.url);

/** Reads the `package.json` of this package. */
export const readOwnPackage = (): OwnPackage =>
  JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8')) as OwnPackage;
