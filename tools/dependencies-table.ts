import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { markdownTable } from './markdown-table.js';
import { portablePackages, type LockFile } from './runtime-lock.js';

/** Lines of a page between which the table stands. */
const BEGIN = '<!-- Written by `npm run docs` from package-lock.json and the installed packages. -->';
const END = '<!-- End of the packages. -->';

/** Longest purpose in a cell [characters]. */
const LONGEST = 90;

/** Facts about an installed package. */
export interface InstalledPackage {
  /** Purpose in the words of its authors. */
  readonly description: string;
  /** Sum of the sizes of its files, without the packages in it [bytes]. */
  readonly bytes: number;
  /** True if it has compiled code, or sources that an installation compiles. */
  readonly isNative: boolean;
  /** True if npm calls `node-gyp` when it installs the package, without a script that asks for it. */
  readonly hasGyp: boolean;
}

/** Reads the facts about a package from its folder. */
export function installedPackage(folder: string): InstalledPackage {
  const { description = '' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly description?: string;
  };
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  const hasGyp = all.includes('binding.gyp');
  const files = all.filter(
    (path) => !/(?:^|\/)node_modules\//.test(path) && !(hasGyp && path.startsWith('build/')),
  );
  return {
    description,
    bytes: files.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0),
    isNative: hasGyp || files.some((path) => path.endsWith('.node')),
    hasGyp,
  };
}

const nameOf = (folder: string): string => folder.replace(/^.*node_modules\//, '');

const shortened = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST).replace(/\s+\S*$/, '')} …`;

/** Facts that the table is made from. */
export interface DependencyFacts {
  readonly lock: LockFile;
  /** Purposes of the direct packages here, by name. */
  readonly purposes: Readonly<Record<string, string>>;
  /** Days of publication, by name and version. */
  readonly dates: Readonly<Record<string, string>>;
  /** Reads the facts about the package in a folder. */
  readonly installed: (folder: string) => InstalledPackage;
}

/** Writes the table of the packages that running needs: direct ones first. @throws Error for one without a purpose. */
export function dependenciesTable({ lock, purposes, dates, installed }: DependencyFacts): string[] {
  const { dependencies = {}, optionalDependencies = {} } = lock.packages[''] ?? {};
  const direct = Object.keys({ ...dependencies, ...optionalDependencies });
  const packages = [...portablePackages(lock)].map(([folder, locked]) => ({
    ...{ folder, locked, name: nameOf(folder) },
    isDirect: folder === `node_modules/${nameOf(folder)}` && direct.includes(nameOf(folder)),
  }));
  const rows = packages
    .sort((a, b) => Number(b.isDirect) - Number(a.isDirect) || (a.name < b.name ? -1 : 1))
    .map(({ folder, locked: { name: published, version = '', hasInstallScript }, name, isDirect }) => {
      const { description, bytes, isNative, hasGyp } = installed(folder);
      const purpose = purposes[name];
      if (isDirect && purpose === undefined) throw new Error(`${name} has no purpose in the table`);
      const users = packages
        .filter(({ locked }) => name in (locked.dependencies ?? {}))
        .map((user) => `\`${user.name}\``);
      return [
        `\`${published === undefined ? name : `${name}: ${published}`}\``,
        version,
        dates[`${published ?? name}@${version}`] ?? '',
        isDirect ? 'direct' : [...new Set(users)].join(', '),
        String(Math.ceil(bytes / 1024)),
        isNative ? 'yes' : '',
        hasInstallScript === true ? 'yes' : hasGyp ? 'implicit' : '',
        isDirect ? (purpose ?? '') : shortened(description),
      ];
    });
  return markdownTable(
    ['package', 'version', 'published', 'needed by', 'KiB', 'native', 'install script', 'purpose'],
    rows,
  );
}

/** Returns a page with the table. @throws Error for a page without its place. */
export function withDependencies(page: string, table: readonly string[]): string {
  const [before, rest] = page.split(`${BEGIN}\n`);
  const [, after] = (rest ?? '').split(END);
  if (before === undefined || after === undefined) throw new Error('the page has no place for the packages');
  return `${before}${BEGIN}\n\n${table.join('\n')}\n\n${END}${after}`;
}
