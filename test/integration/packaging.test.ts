import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mergeSources, toConfig } from '../../src/cli/config/config.js';
import { OPTIONS } from '../../src/cli/config/options.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { freePort } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { runWalletRpc } from '../support/processes/wallet-rpc-run.js';
import { startWalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight } from '../support/jest/lanes.js';

/* Files for operators in packaging/, checked by the programs that read them. */

const PACKAGING = fileURLToPath(new URL('../../../packaging/', import.meta.url));
const UNIT = join(PACKAGING, 'systemd/wallet-rpc.service');
const run = promisify(execFile);

/** Worst exposure that is accepted, of 10. Source: systemd-analyze(1), security. */
const MOST_EXPOSURE = 2;

const read = (path: string): string => readFileSync(join(PACKAGING, path), 'utf8');

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'packaging-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the systemd unit', () => {
  itAtNight('has only settings that systemd knows', async () => {
    // The program of the unit is not installed here, which is the one complaint.
    const { stderr } = await run('systemd-analyze', ['verify', '--man=no', UNIT]).catch(
      (error: { stderr: string }) => error,
    );
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringContaining('/usr/local/bin/wallet-rpc is not executable'),
    ]);
  });

  itAtNight('leaves little exposed', async () => {
    const { stdout } = await run('systemd-analyze', ['security', '--offline=yes', '--no-pager', UNIT]);
    const [, exposure] = /Overall exposure level for wallet-rpc.service: ([\d.]+)/.exec(stdout) ?? [];
    expect(Number(exposure)).toBeLessThanOrEqual(MOST_EXPOSURE);
  });

  it('leaves memory both writable and executable, which the compiler of Node.js needs', () => {
    expect(readFileSync(UNIT, 'utf8')).not.toMatch(/^MemoryDenyWriteExecute=yes/m);
  });

  itAtNight('is notified when the server is ready and when it stops', async () => {
    const socket = join(directory, 'notify');
    // Node.js has no datagrams on Unix sockets.
    const receiver = spawn(
      'python3',
      [
        '-uc',
        `import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(${JSON.stringify(socket)})
print("bound")
while True: print(s.recv(4096).decode())`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let received = '';
    receiver.stdout.on('data', (chunk: Buffer) => (received += chunk.toString()));
    try {
      await until('the socket', () => received.includes('bound'));
      const server = await startWalletRpc({ env: { ...process.env, NOTIFY_SOCKET: socket } });
      await until('READY', () => received.includes('READY=1'));
      await server.stop();
      await until('STOPPING', () => received.includes('STOPPING=1'));
      expect(received).not.toMatch(/STOPPING=1[^]*READY=1/);
    } finally {
      receiver.kill();
    }
  });

  it('reloads the server, as the rotation of its logs asks for, and has a directory for them', () => {
    const unit = readFileSync(UNIT, 'utf8');
    expect(unit).toMatch(/^ExecReload=\/bin\/kill -HUP \$MAINPID$/m);
    const rotation = read('logrotate/wallet-rpc');
    expect(rotation).toMatch(/postrotate\n\s*systemctl reload wallet-rpc\n\s*endscript/);
    const [, directory = ''] = /^\/var\/log\/([\w-]+)\/\*\.log \{$/m.exec(rotation) ?? [];
    expect(unit).toContain(`\nLogsDirectory=${directory}\n`);
  });

  it('starts the server with flags that it has, and an example of a configuration that it accepts', () => {
    const names = OPTIONS.map(({ name }) => name);
    const [, command = ''] = /^ExecStart=(.*)$/m.exec(readFileSync(UNIT, 'utf8')) ?? [];
    const flags = [...command.matchAll(/--([a-z-]+)/g)].map(([, name]) => name);
    expect(flags.length).toBeGreaterThan(0);
    expect(names).toEqual(expect.arrayContaining(flags));
    const config = toConfig(
      mergeSources(
        { 'config-file': join(PACKAGING, 'systemd/wallet-rpc.conf'), 'wallet-dir': directory },
        {},
      ),
      1,
    );
    expect(config.rpc.login?.user).toBe('shop');
  });
});

describe('the container files', () => {
  const compose = read('docker/compose.yaml');
  const dockerfile = read('docker/Dockerfile');

  it('give our server only flags that it has', () => {
    const service = compose.slice(compose.indexOf('\n  wallet-rpc:'));
    const flags = [...`${service}${dockerfile}`.matchAll(/(?:- |")--([a-z-]+)=?/g)]
      .map(([, name]) => name)
      .filter((name) => name !== 'omit');
    const variables = [...dockerfile.matchAll(/WALLET_RPC_([A-Z_]+)=/g)].map(([, name = '']) =>
      name.toLowerCase().replaceAll('_', '-'),
    );
    expect(flags.length).toBeGreaterThan(2);
    expect(OPTIONS.map(({ name }) => name)).toEqual(expect.arrayContaining([...flags, ...variables]));
  });

  it('give monerod only flags that it has', async () => {
    const service = compose.slice(compose.indexOf('\n  monerod:'), compose.indexOf('\n  wallet-rpc:'));
    const flags = [
      ...service.matchAll(/- --([a-z-]+)/g),
      ...read('docker/monerod.Dockerfile').matchAll(/"--([a-z-]+)/g),
    ];
    const { stdout } = await run('monerod', ['--help']);
    expect(flags.map(([, name = '']) => name).filter((name) => !stdout.includes(`--${name}`))).toEqual([]);
  });

  it('run the server as an unprivileged user, with a health check', () => {
    const [last = ''] = dockerfile.split('FROM ').slice(-1);
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^HEALTHCHECK /m);
  });
});

describe('the container files of a cluster', () => {
  const compose = read('cluster/compose.yaml');
  const service = (name: string): string =>
    new RegExp(`\\n  ${name}:\\n((?: {4}.*\\n)+)`).exec(compose)?.[1] ?? '';
  const flagsOf = (name: string): string[] => {
    const flags = [...service(name).matchAll(/- --([\w-]+)/g)].map(([, flag = '']) => flag);
    expect(flags.length).toBeGreaterThan(1);
    return flags;
  };

  itAtNight('give each program only flags that it has', async () => {
    const variables = [...compose.matchAll(/WALLET_RPC_(CLUSTER_[A-Z_]+): /g)].map(([, name = '']) =>
      name.toLowerCase().replaceAll('_', '-'),
    );
    expect(new Set(variables).size).toBe(1);
    expect(OPTIONS.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...flagsOf('wallet1'), ...variables]),
    );
    const { stdout: ofMonerod } = await run('monerod', ['--help']);
    const { stdout: ofInit } = await runWalletRpc(['cluster', 'init', '--help']);
    expect(flagsOf('monerod').filter((flag) => !ofMonerod.includes(`--${flag}`))).toEqual([]);
    expect(flagsOf('init').filter((flag) => !ofInit.includes(`--${flag} `))).toEqual([]);
  });
});

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

describe('the alert rules and the dashboard', () => {
  const dashboard = JSON.parse(read('grafana/wallet-rpc.json')) as Dashboard;
  const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

  itAtNight('are accepted by Prometheus, and fire in the cases of their test', async () => {
    const at = (name: string): string => join(PACKAGING, 'prometheus', name);
    await run('promtool', ['check', 'config', at('prometheus.yml')]);
    await run('promtool', ['check', 'rules', at('alerts.yml')]);
    await run('promtool', ['test', 'rules', at('alerts-test.yml')]);
  });

  itAtNight('query in the language of Prometheus', async () => {
    const rules = queries.map((expr, i) => ({
      record: `query_${i}`,
      expr: expr.replaceAll(/\$__(?:rate_interval|range)/g, '5m').replaceAll(/\$\w+/g, 'x'),
    }));
    const path = join(directory, 'queries.yml');
    // JSON is YAML.
    writeFileSync(path, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    await run('promtool', ['check', 'rules', path]);
  });

  it('name only metrics that a server has', async () => {
    const metricsPort = await freePort();
    const server = await startWalletRpc({
      args: [`--metrics-bind=${metricsPort}`, '--regtest', '--daemon-port=0', '--verify-work'],
    });
    try {
      await createWallet(server, 'shop');
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      const known = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name));
      expect(known.size).toBeGreaterThan(10);
      const used = `${queries.join(' ')} ${read('prometheus/alerts.yml')}`.matchAll(/\bwallet_rpc_\w+/g);
      const unknown = [...new Set([...used].map(([name]) => name.replace(/_bucket$/, '')))].filter(
        (name) => !known.has(name),
      );
      expect(unknown).toEqual([]);
    } finally {
      await server.stop();
    }
  });

  it('has panels that do not overlap', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)}:${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});

describe('the table of packaging/README.md', () => {
  it('names every file, and every package', () => {
    const table = read('README.md');
    const names = (folder: string): string[] =>
      readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        if (entry.isFile()) return entry.name === 'README.md' ? [] : [entry.name];
        return existsSync(join(path, 'package.json')) ? [`${entry.name}/`] : names(path);
      });
    expect(names(PACKAGING)).toContain('medusa/');
    expect(names(PACKAGING).filter((name) => !table.includes(name))).toEqual([]);
  });
});
