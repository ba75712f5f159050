import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { makeCertificate, type Certificate } from '../support/network/certificate.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { call, post } from '../support/network/json-rpc.js';
import { freePort, start, stop } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { MAIN, startWalletProcess, startWalletRpc } from '../support/processes/wallet-rpc.js';
import { runWalletRpc } from '../support/processes/wallet-rpc-run.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

const SECRET = 'pa:ss-must-not-leak';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'cli-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the command line', () => {
  test.each(
    someRows(
      [
        ['an unknown flag, with a hint', ['--wallet-dirr', 'x'], 'Did you mean --wallet-dir?'],
        ['no wallet at all', ['--rpc-bind-port=0'], '--wallet-dir'],
        ['two kinds of wallet', ['--wallet-dir=a', '--wallet-file=b'], 'exclude each other'],
        [
          'an address that others reach',
          ['--wallet-dir=a', '--rpc-bind-ip=0.0.0.0'],
          '--confirm-external-bind',
        ],
        [
          'a login and none',
          ['--wallet-dir=a', '--rpc-login=u:p', '--disable-rpc-login'],
          'exclude each other',
        ],
        ['two networks', ['--wallet-dir=a', '--testnet', '--stagenet'], 'exclude each other'],
        ['a port that is none', ['--wallet-dir=a', '--rpc-bind-port=70000'], '--rpc-bind-port'],
        ['an unknown interface', ['--wallet-dir=a', '--api-version=2'], '--api-version'],
        ['a TLS mode that is none', ['--wallet-dir=a', '--rpc-ssl=perhaps'], '--rpc-ssl'],
        ['a flag twice', ['--wallet-dir=a', '--wallet-dir=b'], 'given twice'],
        [
          'a login without password and without a terminal',
          ['--wallet-dir=a', '--rpc-login=u', '--non-interactive'],
          '--rpc-login',
        ],
        [
          'a wallet directory that is a file',
          ['--wallet-dir=/dev/null', '--rpc-bind-port=0', '--offline'],
          "--wallet-dir: /dev/null cannot be used: the file 'null' cannot be used: another file has its name",
        ],
        [
          'a wallet file that is missing',
          ['--wallet-file=/nowhere/w', '--password=', '--rpc-bind-port=0', '--offline'],
          '--wallet-file: /nowhere/w cannot be opened: there is no /nowhere/w.keys',
        ],
        [
          'a wallet directory on a file system that makes none',
          ['--wallet-dir=/proc/wallets/of/shops', '--rpc-bind-port=0', '--offline'],
          '--wallet-dir: /proc/wallets/of/shops cannot be used',
        ],
        [
          'a log file on a file system that makes no directories',
          ['--wallet-dir=a', '--log-file=/proc/logs/wallet-rpc.log', '--rpc-bind-port=0', '--offline'],
          '--log-file: /proc/logs/wallet-rpc.log cannot be written',
        ],
        ['a config file that is missing', ['--wallet-dir=a', '--config-file=/nowhere'], '--config-file'],
      ],
      2,
    ),
  )('refuses %s', async (_, args, hint) => {
    const { code, stderr } = await runWalletRpc(args);
    expect(code).toBe(1);
    expect(stderr).toContain(hint);
  });

  it('never repeats a secret in an error', async () => {
    const { output } = await runWalletRpc([
      '--wallet-dir=a',
      `--rpc-login=${SECRET}`,
      `--rpc-login=${SECRET}x`,
    ]);
    expect(output).not.toContain('must-not-leak');
  });
});

describe('settings', () => {
  itAtNight('come from the command line, then the environment, then the config file', async () => {
    const config = join(directory, 'wallet-rpc.conf');
    writeFileSync(
      config,
      `# a comment\nrpc-login = file:${SECRET}\napi-version = 1.32\nrestricted-rpc = 1\n`,
    );
    const wallet = await startWalletProcess({
      args: [`--config-file=${config}`],
      env: { WALLET_RPC_API_VERSION: '1.3' },
    }).catch(() => undefined);
    // The launcher says --disable-rpc-login, which the file's login contradicts.
    expect(wallet).toBeUndefined();

    const port = await freePort();
    const running = start(
      process.execPath,
      [MAIN, `--wallet-dir=${directory}`, `--rpc-bind-port=${port}`, '--offline', `--config-file=${config}`],
      { ...process.env, WALLET_RPC_RPC_LOGIN: `environment:${SECRET}`, WALLET_RPC_API_VERSION: '1.3' },
    );
    try {
      await until('the server', async () =>
        (await post(port, '/json_rpc', {})).status === 401 ? true : undefined,
      );
      const curl = (user: string, method: string): string =>
        execFileSync(
          'curl',
          [
            '-s',
            '--digest',
            '-u',
            `${user}:${SECRET}`,
            '-d',
            `{"method":"${method}"}`,
            '-H',
            'Content-Type: application/json',
            `http://127.0.0.1:${port}/json_rpc`,
          ],
          { encoding: 'utf8' },
        );
      expect(curl('environment', 'get_version')).toContain('"version":65539');
      expect(curl('environment', 'refresh')).toContain('"code":-7');
      expect(curl('file', 'get_version')).toContain('401');
      expect(running.output()).not.toContain('must-not-leak');
      // Visible to every user of the machine.
      expect(readFileSync(`/proc/${running.child.pid ?? 0}/cmdline`, 'utf8')).not.toContain('must-not-leak');
    } finally {
      await stop(running);
    }
  });

  it('of a config file that are unknown are refused with their line', async () => {
    const config = join(directory, 'bad.conf');
    writeFileSync(config, 'wallet-dir=a\nwallet-dri=b\n');
    const { stderr } = await runWalletRpc([`--config-file=${config}`]);
    expect(stderr).toContain("line 2: unknown setting 'wallet-dri'");
  });
});

describe('a running server', () => {
  it.each(someRows(['SIGTERM', 'SIGINT'] as const))(
    'prints the lines that launchers wait for, and stops cleanly on %s',
    async (signal) => {
      const wallet = await startWalletProcess();
      await createWallet(wallet, 'w');
      const { address } = await wallet.rpc('create_address', { label: 'kept' });
      const output = wallet.process.output();
      expect(output).toContain(`Binding on 127.0.0.1 (IPv4):${wallet.port}`);
      expect(output).toContain('Starting wallet RPC server');
      expect(output).toContain(`Wallet directory: ${wallet.walletDir}`);
      expect(output).toContain('Network: mainnet');
      expect(output).toContain('Daemon: none (offline)');
      expect(await wallet.stop({ signal, keep: true })).toBe(0);
      const again = await startWalletProcess({ walletDir: wallet.walletDir });
      await again.rpc('open_wallet', { filename: 'w', password: '' });
      expect((await again.rpc('get_address', { address_index: [1] })).addresses[0]).toMatchObject({
        address,
        label: 'kept',
      });
      await again.stop({ keep: false });
    },
  );

  itAtNight('answers stop_wallet, then stops', async () => {
    const wallet = await startWalletProcess();
    await createWallet(wallet, 'w');
    expect(await wallet.rpc('stop_wallet')).toEqual({});
    expect(await wallet.process.exited).toBe(0);
    await wallet.stop();
  });
});

describe('TLS', () => {
  let certificate: Certificate;

  const ask = (port: number): Promise<{ text: string; fingerprint: string }> =>
    new Promise((resolve, reject) => {
      const sent = request(
        {
          port,
          host: '127.0.0.1',
          path: '/json_rpc',
          method: 'POST',
          rejectUnauthorized: false,
          headers: { 'content-type': 'application/json' },
        },
        (reply) => {
          let text = '';
          const { fingerprint256 } = (
            reply.socket as unknown as { getPeerCertificate(): { fingerprint256: string } }
          ).getPeerCertificate();
          reply.on('data', (chunk: Buffer) => (text += chunk.toString()));
          reply.on('end', () => resolve({ text, fingerprint: fingerprint256 }));
        },
      );
      sent.on('error', reject);
      sent.end('{"jsonrpc":"2.0","id":"0","method":"get_version"}');
    });

  beforeAll(() => {
    certificate = makeCertificate(directory);
  });

  const files = (): string[] => [
    `--rpc-ssl-private-key=${certificate.keyFile}`,
    `--rpc-ssl-certificate=${certificate.certFile}`,
  ];

  it('is distinguished from plain HTTP on one port', async () => {
    const wallet = await startWalletRpc({ args: files() });
    expect((await ask(wallet.port)).text).toContain('65539');
    expect((await call(wallet.port, 'get_version')).result).toMatchObject({ version: 65539 });
    await wallet.stop();
  });

  itAtNight('does not answer plain HTTP when enabled', async () => {
    const port = await freePort();
    const running = start(process.execPath, [
      MAIN,
      `--wallet-dir=${directory}`,
      `--rpc-bind-port=${port}`,
      '--offline',
      '--rpc-ssl=enabled',
      ...files(),
    ]);
    try {
      const { text, fingerprint } = await until('the server', () => ask(port));
      expect(text).toContain('65539');
      expect(fingerprint).toMatch(/^[0-9A-F:]{95}$/);
      await expect(call(port, 'get_version')).rejects.toThrow();
    } finally {
      await stop(running);
    }
  });

  /** The command-line client, which checks no certificate. */
  const curl = (port: number, ...options: string[]): string =>
    execFileSync(
      'curl',
      ['-sk', ...options, `https://localhost:${port}/json_rpc`, '-d', '{"id":"0","method":"get_version"}'],
      { encoding: 'utf8' },
    );

  itAtNight('without a certificate makes a self-signed one for the first connection', async () => {
    const wallet = await startWalletRpc();
    try {
      expect(wallet.process.output()).not.toContain('certificate');
      expect(curl(wallet.port)).toContain('"version":65539');
      expect((await wallet.call('get_version')).result).toMatchObject({ version: 65539 });
      const { fingerprint } = await ask(wallet.port);
      expect((await ask(wallet.port)).fingerprint).toBe(fingerprint);
      expect(wallet.process.output().split(fingerprint)).toHaveLength(2);
    } finally {
      await wallet.stop();
    }
  });

  itAtNight(
    'without a certificate serves clients with the ciphers of the reference, several at once',
    async () => {
      const wallet = await startWalletProcess();
      try {
        const answers = await Promise.all(Array.from({ length: 5 }, () => ask(wallet.port)));
        expect(new Set(answers.map(({ fingerprint }) => fingerprint)).size).toBe(1);
        // net_ssl.cpp `create_context`; the first of them in TLS 1.2.
        expect(curl(wallet.port, '--tls-max', '1.2', '--ciphers', 'ECDHE-ECDSA-CHACHA20-POLY1305')).toContain(
          '65539',
        );
        expect(curl(wallet.port, '--tls-max', '1.2', '--ciphers', 'ECDHE-ECDSA-AES256-GCM-SHA384')).toContain(
          '65539',
        );
      } finally {
        await wallet.stop();
      }
    },
  );

  itAtNight('needs no certificate when enabled', async () => {
    const port = await freePort();
    const running = start(process.execPath, [
      MAIN,
      `--wallet-dir=${directory}`,
      `--rpc-bind-port=${port}`,
      '--offline',
      '--rpc-ssl=enabled',
    ]);
    try {
      expect((await until('the server', () => ask(port))).text).toContain('65539');
      await expect(call(port, 'get_version')).rejects.toThrow();
    } finally {
      await stop(running);
    }
  });
});
