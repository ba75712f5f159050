import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { checkpointCommand } from '../../src/cli/commands/checkpoint-command.js';
import { verifyReserveCommand } from '../../src/cli/commands/verify-reserve-command.js';
import { exportCommand } from '../../src/cli/commands/export-command.js';
import { OPTIONS } from '../../src/cli/config/options.js';
import { registry } from '../../src/rpc/registry.js';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const readme = read('README.md');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'packaging/README.md',
  'packaging/npm/README.md',
  ...['docs', 'docs/adr'].flatMap((folder) =>
    readdirSync(new URL(folder, root)).map((name) => `${folder}/${name}`),
  ),
].filter((path) => path.endsWith('.md'));

/** Most lines of the README: details belong to the pages of docs/. */
const MOST_LINES = 120;

describe('the README', () => {
  it(`has at most ${MOST_LINES} lines`, () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(MOST_LINES);
  });

  it('links to every page of docs/', () => {
    const missing = pages.filter((path) => /^docs\/[^/]+$/.test(path) && !readme.includes(`(${path})`));
    expect(missing).toEqual([]);
  });
});

describe('the index of decisions', () => {
  it('has every page under its number, with its title', () => {
    const listed = [...read('docs/adr/README.md').matchAll(/^\| \[(\d+)\]\((.*?)\) +\| (.*?) +\|$/gm)];
    const decisions = readdirSync(new URL('docs/adr/', root)).filter((name) => /^\d/.test(name));
    expect(listed.map(([, , name]) => name)).toEqual(decisions);
    for (const [, number, name, title] of listed)
      expect(read(`docs/adr/${name}`).split('\n')[0]).toBe(`# ${number}. ${title}`);
  });
});

describe('files that pages name', () => {
  const sources = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' });
  const named = (page: string, pattern: RegExp): string[] => (read(page).match(pattern) ?? []).map(String);

  it.each(pages)('exist where %s gives their path', (page) => {
    const paths = named(page, /(?<=`)(?:src|test|bin)\/[\w./-]+(?=`)/g);
    expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  });

  it('exist for each walk of the architecture', () => {
    const files = named('docs/architecture.md', /(?<=`)[\w./-]+\.ts(?=`)/g);
    expect(files.length).toBeGreaterThan(60);
    const known = [...sources.map((path) => `/src/${path}`), '/test/layers.test.ts'];
    expect(files.filter((file) => !known.some((path) => path.endsWith(`/${file}`)))).toEqual([]);
  });
});

describe('CONTRIBUTING', () => {
  const [, diff = ''] = /^```diff\n(.*?)^```$/ms.exec(read('CONTRIBUTING.md')) ?? [];
  const parts = diff.split(/^\+\+\+ b\//m).slice(1);

  it('shows a method with its service and its test', () => {
    expect(parts.map((part) => part.split('/')[0])).toEqual(['src', 'src', 'test']);
  });

  it.each(parts.map((part) => part.split('\n')))(
    'shows lines of %s that stand in it',
    (path = '', ...lines) => {
      const text = read(path);
      const added = lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
      expect(added.filter((line) => !text.includes(`${line}\n`))).toEqual([]);
    },
  );
});

const terminal = { print: (): void => undefined, hint: (): void => undefined };

/** Names of the flags of `wallet-rpc export`, `wallet-rpc checkpoint` and `wallet-rpc verify-reserve`. */
const commandFlags = [
  exportCommand(terminal),
  ...checkpointCommand(terminal).commands,
  verifyReserveCommand(terminal, () => undefined),
]
  .flatMap(({ options }) => options)
  .flatMap(({ long }) => (long === undefined || long === null ? [] : [long.slice(2)]));

describe.each(pages)('%s', (path) => {
  const text = read(path);

  it('links only to files of the repository that exist', () => {
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, target = '']) => target);
    expect(links.filter((target) => !existsSync(new URL(target, new URL(path, root))))).toEqual([]);
  });

  it('calls only methods that are served', () => {
    const called = [...text.matchAll(/^rpc (\w+)/gm)].map(([, name = '']) => name);
    expect(called.filter((name) => registry.find(name) === undefined)).toEqual([]);
  });

  it('names only flags of our programs', () => {
    const own = new Set([...OPTIONS.map(({ name }) => name), ...commandFlags]);
    const commands = [...text.matchAll(/wallet-rpc\b(?! credential)[^`\n]*?(?= \|| ?`|$)/gm)].flatMap(
      ([line]) => [...line.matchAll(/ --([a-z][a-z0-9-]+)/g)],
    );
    const foreign = new Set([
      'name',
      'kills',
      'keep',
      'only',
      'kdf-rounds',
      'help',
      'version',
      'new-cluster-secret-file',
    ]);
    const unknown = commands
      .map(([, name = '']) => name)
      .filter((name) => !own.has(name) && !foreign.has(name));
    expect(unknown).toEqual([]);
  });
});
