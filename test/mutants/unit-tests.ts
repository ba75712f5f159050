import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { ROOT, TARGET_FILES, compiledFile } from './target-files.js';

/** Test file that starts no program, and what it loads. */
export interface UnitTest {
  /** Path below `build/test`. */
  readonly name: string;
  readonly path: string;
  /** Targets that the file loads, directly or through other modules. */
  readonly targets: ReadonlySet<string>;
  /** Digest of the file and of what it loads of the tests. */
  readonly digest: string;
  /** Digest of the targets that it loads. */
  readonly targetsDigest: string;
}

/** Folders of tests that start servers, daemons or campaigns. */
const CAMPAIGNS = new Set([
  'integration',
  'cluster',
  'crash',
  'functional',
  'mutants',
  'cli',
  'client',
  'regtest',
]);

const IMPORTS = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

const tests = join(ROOT, 'build', 'test');
const texts = new Map<string, string>();
const imports = new Map<string, readonly string[]>();

function importsOf(path: string): readonly string[] {
  const known = imports.get(path);
  if (known !== undefined) return known;
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  texts.set(path, text);
  const found = [...text.matchAll(IMPORTS)].map(([, name = '']) => join(path, '..', name));
  imports.set(path, found);
  return found;
}

function loadedBy(path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const other of importsOf(path)) loadedBy(other, seen);
  return seen;
}

/** True if a module of the tests starts programs. */
const startsPrograms = (path: string): boolean =>
  path.startsWith(tests) && /from 'node:child_process'/.test(texts.get(path) ?? '');

function digestOf(files: readonly string[]): string {
  const digest = createHash('sha256');
  for (const file of files) digest.update(relative(ROOT, file)).update(texts.get(file) ?? '');
  return digest.digest('hex').slice(0, 16);
}

/** Finds the unit tests that load a target. Unit tests start no programs: those would load unchanged code. */
export function unitTests(): UnitTest[] {
  const targets = new Map(TARGET_FILES.map((file) => [compiledFile(file), file]));
  return readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js') && !CAMPAIGNS.has(name.split(sep)[0] ?? ''))
    .sort()
    .flatMap((name) => {
      const path = join(tests, name);
      const loaded = [...loadedBy(path)].sort();
      const used = loaded.flatMap((file) => targets.get(file) ?? []);
      if (used.length === 0 || loaded.some(startsPrograms)) return [];
      const digest = digestOf(loaded.filter((file) => file.startsWith(tests)));
      const targetsDigest = digestOf(loaded.filter((file) => targets.has(file)));
      return [{ name, path, targets: new Set(used), digest, targetsDigest }];
    });
}
