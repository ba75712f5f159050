import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

/* The bundles of the programs: build/server, which users start, and build/checked, which tests start. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const namesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((name) => ending.test(name));

/** Files that sources name beside themselves: threads, programs and WebAssembly modules. */
const named = namesIn('src', /\.ts$/).flatMap((file) =>
  [
    ...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(
      /new URL\(\s*['`]\.\/([^'`]+)['`],\s*import\.meta/g,
    ),
  ].map(([, name = '']) => name),
);

it.each(['src', 'test', 'bench', 'tools'])('build/%s has no file whose source was removed', (folder) => {
  const sources = new Set(namesIn(folder, /\.ts$/).map((name) => name.replace(/(?:\.d)?\.ts$/, '')));
  const compiled = namesIn(`build/${folder}`, /(?<!\.wasm)\.js$/).map((name) => name.slice(0, -3));
  expect(compiled.filter((name) => !sources.has(name))).toEqual([]);
});

describe.each(['server', 'checked'])('build/%s', (bundle) => {
  const files = readdirSync(join(ROOT, 'build', bundle));

  it('has each file that a source names beside itself', () => {
    expect(named).toContain('refresh-thread.js');
    const fixed = named.filter((name) => !name.includes('$'));
    expect(fixed.filter((name) => !files.includes(name))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['main.js', 'regtest-main.js', 'demo-main.js']));
  });

  it('has each written module, WebAssembly and word lists, under a name of its own', () => {
    const written = /(?:\.wasm|word-lists)\.js$/;
    const modules = namesIn('build/src', written).map((name) => basename(name));
    expect(new Set(modules).size).toBe(modules.length);
    expect(modules).toContain('word-lists.js');
    expect(files.filter((name) => written.test(name)).sort()).toEqual(modules.sort());
  });

  it('imports no module of Node.js as a whole', () => {
    // Such an import reads all members of the module, and some load much more.
    const imports = files
      .filter((name) => name.endsWith('.js'))
      .flatMap(
        (name) =>
          readFileSync(join(ROOT, 'build', bundle, name), 'utf8').match(/^import .*'node:.*$/gm) ?? [],
      );
    expect([...new Set(imports)]).toEqual(["import { createRequire as requireFrom } from 'node:module';"]);
  });
});

it('build/checked alone compares results with their schemas', () => {
  const compares = (bundle: string): boolean =>
    namesIn(`build/${bundle}`, /\.js$/).some((name) =>
      readFileSync(join(ROOT, 'build', bundle, name), 'utf8').includes('result differs from its schema'),
    );
  expect([compares('checked'), compares('server')]).toEqual([true, false]);
});
