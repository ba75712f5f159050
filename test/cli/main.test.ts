import { describe, expect, it, test } from '@jest/globals';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_NAMES } from '../../src/cli/config/command-names.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { post } from '../support/network/json-rpc.js';
import { freePort, logged, start } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { MAIN, startWalletProcess } from '../support/processes/wallet-rpc.js';
import { runWalletRpc } from '../support/processes/wallet-rpc-run.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

const directory = (): string => mkdtempSync(join(tmpdir(), 'main-'));

describe('an invalid command line', () => {
  test.each(
    someRows([
      [
        'an unknown flag',
        ['--rpc-bind-prt=1'],
        /unknown option '--rpc-bind-prt'\s+\(Did you mean --rpc-bind-port\?\)\s+\(--help/,
      ],
      ['an unknown short flag', ['-p'], /unknown option '-p'\s+\(--help/],
      ['a word too many', ['--offline', 'extra'], /too many arguments/],
      ['a misspelt command', ['exprot', 'shop'], /no such command, did you mean export\? \(--help/],
      ['a flag without its value', ['--wallet-dir'], /'--wallet-dir <dir>' argument missing\s+\(--help/],
      ['a switch with a value', ['--offline=1'], /wallet-rpc: --offline is a switch and takes no value/],
      [
        'a missing config file',
        ['--config-file=/nowhere/x'],
        /wallet-rpc: --config-file: \/nowhere\/x cannot be read/,
      ],
      [
        'a password to ask for without a terminal',
        ['--wallet-dir=w', '--rpc-login=alice'],
        /no terminal to ask on/,
      ],
    ]),
  )('%s ends the process with a hint', async (_, args, hint) => {
    const { code, output } = await runWalletRpc(args);
    expect(output).toMatch(hint);
    expect(output).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
  });

  test.each(
    someRows([
      ['a misspelt flag', ['--rpc-logn=alice:hunter2']],
      ['a misspelt flag and its value', ['--rpc-logn', 'alice:hunter2']],
      ['one dash too few', ['-rpc-login=alice:hunter2']],
      ['a short flag', ['-phunter2']],
      ['a stray word', ['hunter2']],
      ['a flag twice', ['--rpc-login=alice:hunter2', '--rpc-login=alice:hunter2']],
      ['no wallet', ['--rpc-login=alice:hunter2']],
    ]),
  )('%s repeats no secret', async (_, args) => {
    const { code, output } = await runWalletRpc(args);
    expect(output).not.toContain('hunter2');
    expect(code).toBe(1);
  });

  it('prints the help when it contains --help', async () => {
    const { code, output } = await runWalletRpc(['--bogus', '--help']);
    expect(output).toContain('--wallet-dir <dir>');
    for (const name of COMMAND_NAMES) expect(output).toMatch(new RegExp(`^  ${name} +\\w`, 'm'));
    expect(code).toBe(0);
  });

  it('does not matter with --version', async () => {
    const { code, output } = await runWalletRpc(['--version']);
    expect(output).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(code).toBe(0);
  });
});

describe('a start that fails', () => {
  test.each(someRows(['/nowhere/ca.pem', '/', '/proc/self/status']))(
    'refuses to start with %s as the authorities of the node',
    async (file) => {
      const wallets = directory();
      const { code, output } = await runWalletRpc([
        `--wallet-dir=${wallets}`,
        `--rpc-bind-port=${await freePort()}`,
        '--disable-rpc-login',
        `--daemon-ssl-ca-certificates=${file}`,
      ]);
      expect(output).toMatch(/wallet-rpc: --daemon-ssl-…: .*TLS file of the daemon settings/);
      expect(code).toBe(1);
      rmSync(wallets, { recursive: true });
    },
  );

  it('reports a port in use', async () => {
    const port = await freePort();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', () => resolve()));
    const wallets = directory();
    const { code, output } = await runWalletRpc([
      `--wallet-dir=${wallets}`,
      '--offline',
      `--rpc-bind-port=${port}`,
    ]);
    expect(output).toContain(
      `wallet-rpc: cannot listen on 127.0.0.1 port ${port}: address already in use; end the program that listens there, or choose another port with --rpc-bind-port`,
    );
    expect(code).toBe(1);
    other.close();
    rmSync(wallets, { recursive: true });
  });

  itAtNight('does not touch the pid file of another server', async () => {
    const port = await freePort();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', () => resolve()));
    const wallets = directory();
    const pidfile = join(wallets, 'pid');
    writeFileSync(pidfile, '1\n');
    await runWalletRpc([
      `--wallet-dir=${wallets}`,
      '--offline',
      `--rpc-bind-port=${port}`,
      `--pidfile=${pidfile}`,
    ]);
    expect(readFileSync(pidfile, 'utf8')).toBe('1\n');
    other.close();
    rmSync(wallets, { recursive: true });
  });

  itAtNight('reports a missing wallet file', async () => {
    const wallets = directory();
    const { code, output } = await runWalletRpc([
      `--wallet-file=${join(wallets, 'none')}`,
      '--password=hunter2',
      '--offline',
      '--rpc-bind-port=0',
    ]);
    const file = join(wallets, 'none');
    expect(output).toContain(`wallet-rpc: --wallet-file: ${file} cannot be opened: `);
    expect(output).toContain(`there is no ${file}.keys: name an existing wallet, or create one`);
    expect(output).not.toContain('hunter2');
    expect(code).toBe(1);
    rmSync(wallets, { recursive: true });
  });
});

describe('a running server', () => {
  itAtNight('stops although a client keeps a connection open without a complete request', async () => {
    const server = await startWalletProcess();
    const silent = connect(server.port, '127.0.0.1');
    const half = connect(server.port, '127.0.0.1');
    for (const socket of [silent, half]) socket.on('error', () => undefined);
    half.write('POST /json_rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{');
    await Promise.all([silent, half].map((socket) => once(socket, 'connect')));
    // The server accepts connections in order: it has both once it answers on a third one.
    await server.rpc('get_version');
    expect(await server.stop()).toBe(0);
    await logged(server.process, 'Wallet RPC server stopped');
  });

  itAtNight('writes its pid file and removes it', async () => {
    const wallets = directory();
    const pidfile = join(wallets, 'pid');
    const server = await startWalletProcess({ args: [`--pidfile=${pidfile}`] });
    await until('the pid file', () => existsSync(pidfile));
    expect(readFileSync(pidfile, 'utf8')).toBe(`${server.process.child.pid}\n`);
    await server.stop();
    expect(existsSync(pidfile)).toBe(false);
    rmSync(wallets, { recursive: true });
  });

  itAtNight(
    'creates files that only their owner can read, even in a directory that all users can read',
    async () => {
      const wallets = directory();
      const log = join(wallets, 'wallet.log');
      const server = await startWalletProcess({ walletDir: wallets, args: [`--log-file=${log}`] });
      await createWallet(server, 'shop');
      for (const name of ['shop', 'shop.keys', 'wallet.log'])
        expect(`${name} ${(statSync(join(wallets, name)).mode & 0o777).toString(8)}`).toBe(`${name} 600`);
      await server.stop();
      rmSync(wallets, { recursive: true });
    },
  );

  itAtNight('goes on when its output pipe is closed', async () => {
    const server = await startWalletProcess({ args: ['--log-level=4'] });
    server.process.child.stdout?.destroy();
    server.process.child.stderr?.destroy();
    for (let i = 0; i < 5; i++) expect(await server.rpc('get_version')).toMatchObject({ release: true });
    expect(await server.stop()).toBe(0);
  });

  itAtNight('warns of flags without effect and of a missing login', async () => {
    const server = await startWalletProcess({ args: ['--no-initial-sync'] });
    await logged(server.process, '--no-initial-sync is ignored');
    await logged(server.process, 'No login');
    await server.stop();
  });

  for (const [version, line] of [
    ['1.3', "Interface: wallet RPC 1.3 to the letter; today's client libraries want --api-version 1.32"],
    ['1.32', 'Interface: wallet RPC 1.32'],
  ] as const)
    itAtNight(`logs that it serves interface ${version}`, async () => {
      const server = await startWalletProcess({ args: [`--api-version=${version}`] });
      await logged(server.process, line);
      await server.stop();
    });

  itAtNight('applies log categories given with the level from the start', async () => {
    const server = await startWalletProcess({ args: ['--log-level=0,wallet.rpc:DEBUG'] });
    const { categories } = await server.rpc('set_log_categories', { categories: '+' });
    expect(categories).toMatch(/^\*:WARNING,.*,wallet\.rpc:DEBUG$/);
    await logged(server.process, 'method=get_version');
    await server.stop();
  });

  itAtNight('names a daemon that cannot be used, and the remedy', async () => {
    const server = await startWalletProcess({ daemon: '127.0.0.1:1' });
    await createWallet(server, 'w');
    await logged(server.process, 'the daemon cannot be used');
    await logged(server.process, /name another with --daemon-address or set_daemon daemon=127\.0\.0\.1:1 /);
    await server.stop();
  });

  itAtNight('opens a wallet file at the start', async () => {
    const wallets = directory();
    const first = await startWalletProcess({ walletDir: wallets });
    await createWallet(first, 'shop', 'hunter2');
    const { address } = (await first.rpc('get_address')) as { address: string };
    await first.stop();
    const port = await freePort();
    const passwordFile = join(wallets, 'password');
    writeFileSync(passwordFile, 'hunter2\n');
    const running = start(process.execPath, [
      MAIN,
      `--wallet-file=${join(wallets, 'shop')}`,
      `--password-file=${passwordFile}`,
      `--rpc-bind-port=${port}`,
      '--offline',
    ]);
    await logged(running, 'Starting wallet RPC server');
    const { text } = await post(port, '/json_rpc', { jsonrpc: '2.0', id: 0, method: 'get_address' });
    expect(text).toContain(address);
    running.child.kill('SIGTERM');
    expect(await running.exited).toBe(0);
    rmSync(wallets, { recursive: true });
  });
});

describe('--detach', () => {
  it('returns once a server in the background answers, which --pidfile names', async () => {
    const wallets = directory();
    const port = await freePort();
    const pidfile = join(wallets, 'pid');
    const { code, output } = await runWalletRpc([
      '--detach',
      `--wallet-dir=${wallets}`,
      `--rpc-bind-port=${port}`,
      `--pidfile=${pidfile}`,
      `--log-file=${join(wallets, 'log')}`,
      '--offline',
    ]);
    expect(output).toMatch(/^Running in the background, process \d+\n$/);
    expect(code).toBe(0);
    const ask = (method: string) => post(port, '/json_rpc', { jsonrpc: '2.0', id: 0, method });
    expect((await ask('get_version')).status).toBe(200);
    await until('the pid file', () => existsSync(pidfile));
    expect(output).toContain(readFileSync(pidfile, 'utf8').trim());
    expect(readFileSync(join(wallets, 'log'), 'utf8')).toContain('Starting wallet RPC server');
    await ask('create_wallet');
    process.kill(Number(readFileSync(pidfile, 'utf8')), 'SIGTERM');
    await until('its end', () => !existsSync(pidfile));
    rmSync(wallets, { recursive: true });
  });

  itAtNight('reports why the background server did not start', async () => {
    const wallets = directory();
    const { code, output } = await runWalletRpc(
      ['--detach', `--wallet-file=${join(wallets, 'none')}`, '--password='],
      {
        WALLET_RPC_OFFLINE: '1',
        WALLET_RPC_RPC_BIND_PORT: '0',
      },
    );
    expect(output).toMatch(/^wallet-rpc: --wallet-file: .*none cannot be opened: there is no /);
    expect(code).toBe(1);
    rmSync(wallets, { recursive: true });
  });
});
