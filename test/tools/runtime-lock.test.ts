import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { runtimeLock, runtimePackages, type LockFile } from '../../tools/runtime-lock.js';

const ROOT = new URL('../../../', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, ROOT), 'utf8');
const lock = JSON.parse(read('package-lock.json')) as LockFile;
const manifest = JSON.parse(read('package.json')) as {
  readonly dependencies: object;
  readonly optionalDependencies: object;
};
const direct = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });

const nameOf = (folder: string): string => folder.replace(/^.*node_modules\//, '');

describe('the packages that running needs', () => {
  it('are the direct ones and all that they need, and no tools', () => {
    const names = [...runtimePackages(lock).keys()].map(nameOf);
    expect(names).toEqual(expect.arrayContaining(direct));
    const needed = [...runtimePackages(lock).values()].flatMap(
      ({ dependencies = {}, optionalDependencies = {} }) =>
        Object.keys({ ...dependencies, ...optionalDependencies }),
    );
    expect(names).toEqual(expect.arrayContaining(needed));
    const wanted = new Set([...direct, ...needed]);
    expect(names.filter((name) => !wanted.has(name))).toEqual([]);
    expect(names).not.toContain('typescript');
  });

  it('are all in the bill of materials of a release', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'runtime-lock-'));
    try {
      const runtime = runtimeLock(manifest, lock);
      writeFileSync(join(folder, 'package.json'), JSON.stringify(runtime.manifest));
      writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(runtime.lock));
      const sbom = [
        'sbom',
        '--sbom-format',
        'cyclonedx',
        '--omit',
        'dev',
        '--package-lock-only',
        '--offline',
      ];
      const { stdout } = await promisify(execFile)('npm', sbom, { cwd: folder });
      const { components } = JSON.parse(stdout) as { components: { name: string; version: string }[] };
      const versions = ([folder, { version }]: readonly [string, { version?: string }]): string =>
        `${nameOf(folder)}@${version}`;
      expect(components.map(({ name, version }) => `${name}@${version}`).sort()).toEqual(
        [...new Set([...runtimePackages(lock)].map(versions))].sort(),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
