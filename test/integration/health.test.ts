import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startDaemonProxy } from '../support/network/daemon-proxy.js';
import { damageStore } from '../support/wallets/damage-store.js';
import { walletCalls } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { freePort, start, stop } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { MAIN, startWalletProcess, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { describeAtNight, itAtNight } from '../support/jest/lanes.js';

/* The pages /livez and /readyz of a server with the real daemon. */

const ADDRESS =
  '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm';

const SEED =
  'velvet lymph giddy number token physics poetry unquoted nibs useful sabotage limits benches lifestyle eden ' +
  'nitrogen anvil fewest avoid batch vials washing fences goat unquoted';

interface Health {
  readonly status: number;
  readonly body: { readonly ready?: boolean; readonly reasons?: readonly object[] };
  readonly headers: Headers;
}

async function ask(port: number, path: string, method = 'GET'): Promise<Health> {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  const text = await reply.text();
  const { status, headers } = reply;
  return { status, body: text === '' ? {} : (JSON.parse(text) as Health['body']), headers };
}

let monerod: Monerod;
let server: WalletRpc;
const chain = mkdtempSync(join(tmpdir(), 'health-'));

beforeAll(async () => {
  monerod = await startMonerod({ dataDir: chain });
  server = await startWalletRpc({
    daemon: monerod.address,
    args: ['--trusted-daemon', '--ready-daemon-seconds=1', '--ready-blocks-behind=5'],
  });
});

afterAll(async () => {
  await server?.stop();
  await monerod?.stop();
  rmSync(chain, { recursive: true, force: true });
});

const readiness = (): Promise<Health> => ask(server.port, '/readyz');

const untilReady = (): Promise<Health> =>
  until('a ready server', async () => {
    const health = await readiness();
    return health.status === 200 ? health : undefined;
  });

/** Waits until the only reason has a name. */
const untilNotReady = (reason: string): Promise<Health> =>
  until(`the reason ${reason}`, async () => {
    const health = await readiness();
    return health.status === 503 && JSON.stringify(health.body.reasons).includes(`"${reason}"`)
      ? health
      : undefined;
  });

describe('a server without wallets', () => {
  it('is ready once the daemon has answered', async () => {
    const { body, headers } = await untilReady();
    expect(body).toEqual({ ready: true, reasons: [] });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toContain('application/json');
  });

  it('answers HEAD', async () => {
    for (const path of ['/livez', '/readyz'])
      expect([path, await ask(server.port, path, 'HEAD')]).toMatchObject([path, { status: 200, body: {} }]);
  });
});

describe('a wallet that lacks blocks', () => {
  it('makes the server not ready, without its name, until it has caught up', async () => {
    const { rpc } = walletCalls(server.port, 'my secret name');
    await createWallet({ rpc });
    await rpc('auto_refresh', { enable: false });
    // Waits for a refresh that began before, which could read the blocks to come.
    await rpc('refresh');
    await untilReady();
    await monerod.generate(ADDRESS, 6);
    const { body } = await untilNotReady('wallets_behind');
    expect(body).toEqual({ ready: false, reasons: [{ reason: 'wallets_behind', wallets: 1, blocks: 6 }] });
    await rpc('refresh');
    expect((await readiness()).status).toBe(200);
  });
});

describeAtNight('a refresh that waits for the daemon', () => {
  it('delays neither page', async () => {
    const proxy = await startDaemonProxy(monerod.address);
    const waiting = await startWalletRpc({ daemon: proxy.address, args: ['--ready-blocks-behind=5'] });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let asked = false;
    proxy.hold = (path) => {
      asked ||= path === '/getblocks.bin';
      return path === '/getblocks.bin' ? held : Promise.resolve();
    };
    try {
      const wallet = walletCalls(waiting.port, 'w');
      await wallet.rpc('restore_deterministic_wallet', { seed: SEED, restore_height: 0, password: '' });
      const refreshed = wallet.rpc('refresh');
      await until('the held page of blocks', () => asked || undefined);
      expect((await ask(waiting.port, '/livez')).status).toBe(200);
      const { body } = await ask(waiting.port, '/readyz');
      expect(body.reasons).toEqual([{ reason: 'wallets_behind', wallets: 1, blocks: 6 }]);
      release();
      await refreshed;
      expect((await ask(waiting.port, '/readyz')).status).toBe(200);
    } finally {
      release();
      await waiting.stop();
      await proxy.stop();
    }
  });
});

describeAtNight('a daemon that stops', () => {
  it('makes the server not ready after the time limit, and ready again when it is back', async () => {
    const { port } = monerod;
    await monerod.stop();
    const { body } = await untilNotReady('daemon_unreachable');
    expect(body.reasons).toEqual([{ reason: 'daemon_unreachable', seconds: expect.any(Number) }]);
    expect((await ask(server.port, '/livez')).status).toBe(200);
    monerod = await startMonerod({ dataDir: chain, port });
    await untilReady();
  });
});

describe('a store that is damaged', () => {
  it('makes the server not ready once it is noticed', async () => {
    const wallet = walletCalls(server.port, 'damaged');
    await createWallet(wallet);
    await wallet.rpc('refresh');
    await untilReady();
    await damageStore(server.walletDir, 'damaged', wallet);
    await wallet.call('get_accounts');
    expect((await readiness()).body.reasons).toEqual([{ reason: 'store_damaged', wallets: 1 }]);
  });
});

describe('a server that needs a login', () => {
  it('answers without credentials, and while its wallet is being opened', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'slow-'));
    // Each round takes some milliseconds, so that the wallet takes seconds to open.
    const rounds = '--kdf-rounds=40';
    const creator = await startWalletRpc({ walletDir: directory, args: [rounds] });
    await createWallet(creator, 'slow', 'p');
    await creator.stop();
    const port = await freePort();
    const running = start(process.execPath, [
      MAIN,
      `--wallet-file=${join(directory, 'slow')}`,
      '--password=p',
      `--rpc-bind-port=${port}`,
      ...[rounds, '--offline', '--rpc-login=user:secret'],
    ]);
    try {
      const { status, body } = await until('the open port', () => ask(port, '/readyz'));
      expect([status, body.reasons]).toEqual([503, [{ reason: 'opening_wallets', wallets: 1 }]]);
      expect(running.output()).not.toContain('Starting wallet RPC server');
      expect((await ask(port, '/livez')).status).toBe(200);
      await until('a ready server', async () => (await ask(port, '/readyz')).status === 200 || undefined);
      expect((await fetch(`http://127.0.0.1:${port}/json_rpc`, { method: 'POST' })).status).toBe(401);
    } finally {
      await stop(running);
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

describe('a wallet of --open that cannot be opened', () => {
  itAtNight(
    'makes the server not ready until its password file is right and the server reloads',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'unopened-'));
      const creator = await startWalletRpc({ walletDir: directory });
      await createWallet(creator, 'secret-shop', 'p');
      await creator.stop();
      const password = join(directory, 'passwords', 'secret-shop');
      mkdirSync(dirname(password));
      writeFileSync(password, 'another');
      const opener = await startWalletProcess({
        walletDir: directory,
        args: ['--open=secret-shop', `--password-dir=${dirname(password)}`],
      });
      try {
        const { body } = await until('the attempt', async () => {
          const answer = await ask(opener.port, '/readyz');
          return JSON.stringify(answer.body).includes('wallets_not_opened') ? answer : undefined;
        });
        expect(body.reasons).toEqual([
          { reason: 'wallets_not_opened', wallets: 1, causes: ['wrong_password'] },
        ]);
        expect(JSON.stringify(body)).not.toContain('secret');
        const pages = await Promise.all(
          ['/metrics', '/status'].map(async (path) =>
            (await fetch(`http://127.0.0.1:${opener.port}${path}`)).text(),
          ),
        );
        expect(pages[0]).toContain(
          'wallet_rpc_wallet_unopened{wallet="secret-shop",cause="wrong_password"} 1',
        );
        expect(pages[1]).toMatch(/secret-shop[^]*Not opened/);
        writeFileSync(password, 'p');
        opener.process.child.kill('SIGHUP');
        await until(
          'a ready server',
          async () => (await ask(opener.port, '/readyz')).status === 200 || undefined,
        );
      } finally {
        await opener.stop();
        rmSync(directory, { recursive: true, force: true });
      }
    },
  );
});
