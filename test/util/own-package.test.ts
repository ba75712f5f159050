import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { PACKAGE_ROOT, packageRootOf, readOwnPackage } from '../../src/util/own-package.js';

describe('the directory of the package', () => {
  it('has the data files that are not compiled', () => {
    for (const folder of ['migrations', 'pages', 'wordlists'])
      expect(existsSync(new URL(folder, PACKAGE_ROOT))).toBe(true);
    expect(readOwnPackage()).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      license: 'MIT',
    });
  });

  it('is the closest one above a file with a package.json, at any depth', () => {
    const outer = mkdtempSync(join(tmpdir(), 'package-'));
    try {
      const inner = join(outer, 'node_modules', 'a package');
      mkdirSync(join(inner, 'build', 'server'), { recursive: true });
      for (const directory of [outer, inner]) writeFileSync(join(directory, 'package.json'), '{}');
      const root = (file: string): string => packageRootOf(pathToFileURL(file).href).href;
      expect(root(join(inner, 'build', 'server', 'main.js'))).toBe(`${pathToFileURL(inner).href}/`);
      expect(root(join(outer, 'main.js'))).toBe(`${pathToFileURL(outer).href}/`);
    } finally {
      rmSync(outer, { recursive: true, force: true });
    }
  });

  it('is an error where there is none', () => {
    expect(() => packageRootOf('file:///main.js')).toThrow('no package.json above file:///main.js');
  });
});
