import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const src = fileURLToPath(new URL('../../src', import.meta.url));

/** Names of `imports` in package.json, each with the compiled files that take its place. */
const { imports: ownNames } = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'),
) as { readonly imports: Readonly<Record<string, Readonly<Record<Condition, string>>>> };
type Condition = 'default' | 'browser';

/** Path in src of a module that a file imports, a `.js` file. @param condition of names in package.json. */
function pathOf(file: string, name: string, condition: Condition = 'default'): string {
  if (!name.startsWith('#')) return relative(src, join(src, file, '..', name));
  const [family = '', member = ''] = name.split('/');
  const target = (ownNames[name] ?? ownNames[`${family}/*.js`])?.[condition] ?? '';
  return relative('build/src', target.replace('*.js', member));
}

/** Which folders a folder may import, itself aside. DESIGN: the house. */
const mayImport: Record<string, readonly string[]> = {
  cli: [
    'watch',
    'rpc',
    'services',
    'store',
    'daemon',
    'regtest',
    'cluster',
    'http',
    'net',
    'model',
    'monero',
    'util',
  ],
  watch: ['services', 'daemon', 'http', 'model', 'monero', 'util'],
  rpc: ['services', 'daemon', 'http', 'model', 'monero', 'util'],
  services: ['refresh', 'store', 'daemon', 'cluster', 'net', 'model', 'monero', 'util'],
  refresh: ['daemon', 'monero', 'util'],
  store: ['net', 'model', 'monero', 'util'],
  daemon: ['monero', 'util'],
  regtest: ['http', 'net', 'monero', 'util'],
  cluster: ['util'],
  http: ['util'],
  net: ['util'],
  client: ['util'],
  model: ['monero', 'util'],
  monero: ['util'],
  util: [],
};

const IMPORTS = /(?:from|import\()\s*'((?:\.{1,2}\/|#)[^']+)'/g;
const THREADS = /new URL\(\s*'(\.{1,2}\/[^']+)'/g;

/** Paths that a file names by a pattern. */
const pathsIn = (file: string, pattern: RegExp): string[] =>
  [...readFileSync(join(src, file), 'utf8').matchAll(pattern)].map(([, path = '']) => pathOf(file, path));

/** Files that a file imports, types included. */
const importsOf = (file: string): string[] => pathsIn(file, IMPORTS);

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const folderOf = (path: string): string => path.split(sep)[0] ?? '';

describe('imports run downwards only', () => {
  test('every folder stands in the table', () => {
    const folders = new Set(files.map(folderOf));
    expect([...folders].filter((folder) => !(folder in mayImport))).toEqual([]);
  });

  test.each(files)('%s imports what its floor may', (file) => {
    const folder = folderOf(file);
    const imported = [...importsOf(file), ...pathsIn(file, THREADS)].map(folderOf);
    const allowed = [folder, ...(mayImport[folder] ?? [])];
    expect(
      imported.filter((target) => target !== '..' && target !== '' && !allowed.includes(target)),
    ).toEqual([]);
  });
});

/** Imports that remain in the compiled file: those of types do not. */
const LOADED = /^(?:import|export)\s+(?!type\b)[^;]*?from\s+'([^']+)'/gms;

/** Imports at run time. */
const DYNAMIC = /\bimport\('([^']+)'\)/g;

/** Modules that scripts write, which export one text each and import nothing. */
const WRITTEN = /(?:\.wasm|\/word-lists)\.js$/;

/** Files and modules that a file loads, through all files that it imports. */
interface Loaded {
  /** Files of src. */
  readonly files: ReadonlySet<string>;
  /** Names of packages, and of modules of Node.js with `node:`. */
  readonly modules: ReadonlySet<string>;
}

/** Finds what a file loads. @param imports patterns of imports to follow. */
function loadedBy(
  entry: string,
  imports: readonly RegExp[] = [LOADED],
  condition: Condition = 'default',
): Loaded {
  const seen = new Set<string>();
  const modules = new Set<string>();
  const load = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(join(src, file), 'utf8');
    for (const [, path = ''] of imports.flatMap((pattern) => [...text.matchAll(pattern)])) {
      if (WRITTEN.test(path)) continue;
      if (/^[.#]/.test(path)) load(pathOf(file, path, condition).replace(/\.js$/, '.ts'));
      else modules.add(path.startsWith('@') ? path.split('/', 2).join('/') : (path.split('/')[0] ?? ''));
    }
  };
  load(entry);
  return { files: seen, modules };
}

/** Packages that a file loads. */
const packagesOf = (entry: string): string[] =>
  [...loadedBy(entry).modules].filter((name) => !name.startsWith('node:'));

describe('threads', () => {
  const entries = [
    ...new Set(files.flatMap((file) => pathsIn(file, THREADS)).map((path) => path.replace(/\.js$/, '.ts'))),
  ].filter((path) => /-(?:thread|worker|process)\.ts$/.test(path));

  test('are found by their files', () => {
    expect(entries).toContain(join('monero', 'kernel', 'kernel-worker.ts'));
    expect(entries.length).toBeGreaterThan(9);
    expect(packagesOf(join('cli', 'server.ts'))).toEqual(expect.arrayContaining(['zod', 'express']));
  });

  // Each thread has a heap of its own, which holds its modules with their sources.
  test.each(entries)('%s loads none of the packages that serve requests or connect to proxies', (entry) => {
    const others = ['express', 'zod', 'pino', 'commander', 'socks'];
    expect(packagesOf(entry).filter((name) => others.includes(name))).toEqual([]);
  });

  test('that scan load no package at all', () => {
    expect(packagesOf(join('monero', 'kernel', 'kernel-worker.ts'))).toEqual([]);
    expect(packagesOf(join('refresh', 'refresh-thread.ts'))).toEqual([]);
  });
});

describe('the protocol library', () => {
  const everything = [LOADED, DYNAMIC, THREADS];
  const sources = files.filter(
    (file) => folderOf(file) === 'monero' && !file.endsWith('.d.ts') && !file.split(sep).includes('assembly'),
  );
  const offered = loadedBy(join('monero', 'index.ts'), everything);

  test('and what knows no wallet import nothing beside util', () => {
    for (const folder of ['monero', 'cluster', 'http', 'net', 'client'])
      expect(mayImport[folder]).toEqual(['util']);
  });

  test('is found by its files', () => {
    expect(sources).toContain(join('monero', 'index.ts'));
    expect(offered.files).toContain(join('util', 'codec.ts'));
    expect(offered.files).toContain(join('monero', 'kernel', 'reference-kernel.ts'));
    expect(offered.files.size).toBeGreaterThan(50);
  });

  test.each(sources)('%s loads nothing of Node.js but threads and cryptography', (file) => {
    const { modules } = loadedBy(file, everything);
    // `node:module` loads the plain arithmetic, where an engine lacks SIMD.
    const allowed = ['node:worker_threads', 'node:crypto', 'node:module'];
    expect([...modules].filter((name) => name.startsWith('node:') && !allowed.includes(name))).toEqual([]);
  });

  test('loads nothing of Node.js in a browser, nor its globals', () => {
    const { files: inBrowser, modules } = loadedBy(join('monero', 'index.ts'), [LOADED], 'browser');
    expect([...modules].filter((name) => name.startsWith('node:'))).toEqual([]);
    const named = [...inBrowser].filter((file) =>
      /\bBuffer\.|\bprocess\.|\b__dirname\b/.test(readFileSync(join(src, file), 'utf8')),
    );
    expect(named).toEqual([]);
  });

  test.each([...offered.files])('%s has no top-level await, so that it can be required', (file) => {
    expect(readFileSync(join(src, file), 'utf8')).not.toMatch(
      /^(?:export )?(?:const|let|await)\b.*\bawait\b/m,
    );
  });

  test.each([...offered.files])('%s reads no clock and no environment for it', (file) => {
    expect(readFileSync(join(src, file), 'utf8')).not.toMatch(/\bDate\b|\bperformance\b|\bprocess\./);
  });
});

test('the published client loads no package, and nothing beside util', () => {
  const { files: loaded, modules } = loadedBy(join('client', 'client.ts'), [LOADED, DYNAMIC]);
  expect([...modules].filter((name) => !name.startsWith('node:'))).toEqual([]);
  expect([...loaded].filter((file) => !['client', 'util'].includes(folderOf(file)))).toEqual([]);
});

test('files of util import none of util/outbound, which stands above them', () => {
  const outbound = join('util', 'outbound');
  const below = files.filter((file) => folderOf(file) === 'util' && !file.startsWith(outbound));
  expect(below.filter((file) => importsOf(file).some((path) => path.startsWith(outbound)))).toEqual([]);
});

/** Imports of the functions of Node.js that open connections, or send HTTP requests. */
const OPENERS = /import \{[^}]*\b(?:connect|request|get|Agent)\b[^}]*\} from 'node:(?:net|tls|https?)'/;

test('connections to other machines are opened in util/outbound, and for other protocols than HTTP', () => {
  const openers = files.filter((file) => OPENERS.test(readFileSync(join(src, file), 'utf8')));
  expect(openers.sort()).toEqual(
    [
      ['net', 'dns', 'exchange.ts'],
      ['net', 'zmq', 'subscriber.ts'],
      ...['agent.ts', 'connect.ts', 'exchange.ts'].map((name) => ['util', 'outbound', name]),
    ].map((path) => join(...path)),
  );
});

describe('the client of the cluster database', () => {
  const importers = files.filter((file) =>
    /from 'postgres'|import\('postgres'\)/.test(readFileSync(join(src, file), 'utf8')),
  );

  test('is imported by files of cluster alone', () => {
    expect(importers.map(folderOf).filter((folder) => folder !== 'cluster')).toEqual([]);
  });

  test('is not loaded by a process without a cluster', () => {
    for (const entry of ['wallet-rpc', 'server'])
      expect(packagesOf(join('cli', `${entry}.ts`))).not.toContain('postgres');
  });
});

test('the package that calls native libraries is imported by one file, which no server loads', () => {
  const importers = files.filter((file) =>
    /from 'koffi'|import\('koffi'\)/.test(readFileSync(join(src, file), 'utf8')),
  );
  const randomX = join('services', 'work', 'randomx.ts');
  expect(importers).toEqual([randomX]);
  expect(loadedBy(join('services', 'work', 'work-process.ts')).files).toContain(randomX);
  for (const entry of ['wallet-rpc', 'server'])
    expect(loadedBy(join('cli', `${entry}.ts`), [LOADED, DYNAMIC]).files).not.toContain(randomX);
});

/**
 * Rooms of folders from top to bottom: folders in them, and single files. A file imports files of its own room and of rooms
 * below. Rooms on one line do not know each other.
 */
const roomsOf: Record<string, readonly (readonly string[])[]> = {
  cli: [
    ['main'],
    ['demo', 'wallet-rpc'],
    ['commands', 'server', 'detach'],
    ['clients', 'cluster', 'opening', 'pay', 'tx-notifier', 'watch'],
    ['regtest'],
    ['manual', 'output', 'process'],
    ['config'],
  ],
  rpc: [
    ['service', 'event-endpoints', 'page-rights'],
    ['calls'],
    ['registry'],
    ['methods'],
    ['discovery'],
    ['method'],
    ['access'],
    ['api-version'],
    ['wire'],
    ['faults'],
  ],
  services: [
    ['manager'],
    ['open-wallet'],
    ['mining'],
    ['multisig'],
    ['payouts'],
    ['cold'],
    ['cluster'],
    ['webhooks'],
    ['events'],
    ['history'],
    ['proofs'],
    ['payments'],
    ['requests'],
    ['accounts'],
    ['sync'],
    ['failover'],
    ['context'],
    ['workers', 'work'],
  ],
  refresh: [
    ['refresher'],
    ['refresh-thread', 'refresh-run', 'fair-queue'],
    ['wallet-refresh'],
    ['messages'],
    ['packed-findings', 'page-parts'],
    ['feeds'],
    ['scan'],
  ],
  store: [
    ['between-writes', 'webhook-log'],
    ['wallet-store'],
    ['given-addresses', 'known-blocks', 'replicate-file', 'store-draft'],
    ['cached-read', 'import-wallet', 'store-transactions'],
    ['page-transaction', 'snapshot'],
    ['correct-key-images', 'wallet-reader', 'wallet-writer'],
    ['resolve-key-images'],
    ['recorded-spends'],
    ['events'],
    ['tables'],
    ['backup', 'replication'],
    ['keys'],
    ['file'],
  ],
  regtest: [['rpc'], ['bans', 'fault-injection'], ['lies'], ['chain'], ['store'], ['rules']],
  http: [['http-app', 'forward'], ['pages', 'server'], ['methods'], ['calls'], ['login'], ['message']],
  net: [['webhooks', 'zmq', 'dns'], ['byte-queue']],
  monero: [
    ['index'],
    ['wallet'],
    ['kernel'],
    ['carrot'],
    ['cryptonote'],
    ['ringct'],
    ['crypto', 'epee'],
    ['format', 'fork-rules'],
  ],
};
const roomOf = (path: string): string => (path.split(sep)[1] ?? '').replace(/\.[jt]s$/, '');

describe.each(Object.entries(roomsOf))('rooms of %s', (folder, floors) => {
  const inside = files.filter((file) => folderOf(file) === folder);
  const floorOf = (room: string): number => floors.findIndex((floor) => floor.includes(room));

  test('stand in the list', () => {
    expect(inside.map(roomOf).filter((room) => floorOf(room) < 0)).toEqual([]);
  });

  test.each(inside)('%s imports rooms below its own', (file) => {
    const own = roomOf(file);
    const notBelow = importsOf(file).filter(
      (path) => folderOf(path) === folder && roomOf(path) !== own && floorOf(roomOf(path)) <= floorOf(own),
    );
    expect(notBelow).toEqual([]);
  });
});

/**
 * Strongly connected components of a graph with more than one node.
 * Source: Tarjan, Depth-first search and linear graph algorithms, 1972.
 */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const visit = (node: string): void => {
    const number = order.size;
    order.set(node, number);
    lowest.set(node, number);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      else if (!stack.includes(next)) continue;
      lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(node) !== number) return;
    const circle = stack.splice(stack.indexOf(node));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return circles;
}

describe('import circles', () => {
  test('are found, of any length', () => {
    const graph = new Map([
      ['a', ['b', 'd']],
      ['b', ['c']],
      ['c', ['a']],
      ['d', ['e']],
      ['e', []],
    ]);
    expect(circlesIn(graph)).toEqual([['a', 'b', 'c']]);
  });

  test('between files of src do not exist, type imports included', () => {
    const graph = new Map(
      files.map((file) => [file, importsOf(file).map((path) => path.replace(/\.js$/, '.ts'))]),
    );
    expect(circlesIn(graph)).toEqual([]);
  });
});

test.each(files.filter((file) => folderOf(file) !== 'client' && file !== join('util', 'clock.ts')))(
  '%s reads the time of day from a clock',
  (file) => {
    expect(readFileSync(join(src, file), 'utf8')).not.toMatch(/\bDate\.now\b|new Date\(\)/);
  },
);

/** Largest number of lines of a file that needs no reason for its length. */
const MOST_LINES = 450;

/** Longer files. Each gives the reason in its first comment. */
const LONG: Record<string, RegExp> = {
  [join('client', 'methods.ts')]: /Written by `npm run docs`/,
  [join('monero', 'crypto', 'curve', 'assembly', 'field-fma.ts')]: /The file is long because /,
  [join('monero', 'crypto', 'curve', 'assembly', 'field-int.ts')]: /The file is long because /,
};

/** The comment with which a file begins; empty if it begins with none. */
const firstComment = (text: string): string => /^(?:\/\/[^\n]*\n|\/\*.*?\*\/)/s.exec(text)?.[0] ?? '';

describe('a file of more than 450 lines', () => {
  const texts = new Map(files.map((file) => [file, readFileSync(join(src, file), 'utf8')]));
  const long = [...texts].filter(([, text]) => text.split('\n').length - 1 > MOST_LINES);

  test('stands in the list', () => {
    expect(long.map(([file]) => file).sort()).toEqual(Object.keys(LONG).sort());
  });

  test.each(Object.entries(LONG))('gives the reason in its first comment: %s', (file, reason) => {
    expect(firstComment(texts.get(file) ?? '')).toMatch(reason);
  });
});
