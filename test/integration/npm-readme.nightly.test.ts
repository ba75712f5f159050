import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/fakes/until.js';
import { installPacked, packCopy } from '../support/processes/packed-package.js';
import { freePort } from '../support/processes/process.js';

/* The README that npm shows: the package is packed, and installed in an empty folder, and the commands are typed there. */

const run = promisify(execFile);
const REPOSITORY = 'https://example.com/owner/wallet-rpc';

let folder: string;
let readme: string;
let version: string;
let server: ChildProcess | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'npm-readme-'));
  await installPacked(folder, `git+${REPOSITORY}.git`);
  readme = readFileSync(installed('README.md'), 'utf8');
  ({ version } = JSON.parse(readFileSync(installed('package.json'), 'utf8')) as { version: string });
});

afterAll(async () => {
  if (server?.pid !== undefined && server.exitCode === null) {
    // npx starts the server as its child.
    process.kill(-server.pid, 'SIGTERM');
    await once(server, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

const installed = (...path: string[]): string => join(folder, 'node_modules', 'wallet-rpc', ...path);

const linksOf = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);

/** Commands of the README by their order. */
const blocks = (): string[] => [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text);

describe('the README on npm', () => {
  it('links to files of the tag in the repository, each of which the package has, too', () => {
    const links = linksOf(readme);
    expect(links.length).toBeGreaterThan(20);
    const base = `${REPOSITORY}/blob/v${version}/`;
    expect(links.filter((link) => !link.startsWith(base))).toEqual([]);
    expect(links.filter((link) => !existsSync(installed(link.slice(base.length))))).toEqual([]);
  });

  it('links to files of the published package where no repository is named', async () => {
    const plain = mkdtempSync(join(tmpdir(), 'npm-readme-plain-'));
    try {
      await packCopy(plain);
      const links = linksOf(readFileSync(join(plain, 'source/README.md'), 'utf8'));
      const base = `https://unpkg.com/wallet-rpc@${version}/`;
      expect(links.filter((link) => !link.startsWith(base))).toEqual([]);
      expect(links.filter((link) => !existsSync(installed(link.slice(base.length))))).toEqual([]);
    } finally {
      rmSync(plain, { recursive: true, force: true });
    }
  });

  it('leaves the README of the repository as it was', async () => {
    const copy = join(folder, 'source');
    const original = readFileSync(join(copy, 'build/README.repository.md'), 'utf8');
    await run(process.execPath, [join(copy, 'bin/npm-readme.js'), 'restore']);
    expect(readFileSync(join(copy, 'README.md'), 'utf8')).toBe(original);
    expect(original).toContain('./bin/wallet-rpc');
    // A second call changes nothing.
    await run(process.execPath, [join(copy, 'bin/npm-readme.js'), 'restore']);
    expect(readFileSync(join(copy, 'README.md'), 'utf8')).toBe(original);
  });

  it('has commands for a first payment that work where the package is installed', async () => {
    const [start = '', pay = ''] = blocks();
    const [install, command = ''] = start.trim().split('\n');
    expect(install).toBe('npm install wallet-rpc');
    const [port, daemonPort] = [await freePort(), await freePort()];
    // The usual ports may be taken on this machine.
    const env = {
      ...process.env,
      ...{ WALLET_RPC_RPC_BIND_PORT: String(port), WALLET_RPC_DAEMON_PORT: String(daemonPort) },
    };
    const started = spawn('sh', ['-c', command], { cwd: folder, env, detached: true });
    server = started;
    let output = '';
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (text: Buffer) => (output += String(text)));
    await until('the server', () => output.includes('Starting wallet RPC server') || undefined);
    const typed = pay.replaceAll('18083', String(port)).replaceAll('18081', String(daemonPort));
    const { stdout } = await run('sh', ['-ec', typed], { cwd: folder });
    const answers = stdout
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('{"'))
      .map((line) => JSON.parse(line) as { error?: object; result?: object });
    expect(answers.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(answers.at(-1)?.result).toMatchObject({ pending: [{ amount: 1_000_000_000_000 }] });
  });

  it('has further commands that work there', async () => {
    const [, , others = ''] = blocks();
    const lines = others.trim().split('\n');
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) {
      const { stdout } = await run('sh', ['-ec', line], { cwd: folder });
      expect(stdout.split('\n').length).toBeGreaterThan(5);
    }
  });

  it('says what packaging has', () => {
    for (const name of ['systemd', 'prometheus', 'grafana', 'docker', 'cluster'])
      expect(existsSync(installed('packaging', name))).toBe(true);
  });
});
