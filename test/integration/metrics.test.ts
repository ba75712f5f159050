import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { get as request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { walletCalls } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { freePort } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

/* /metrics of servers with the real daemon: behind the login, on a port of its own, and in restricted mode. */

const LOGIN = 'user:secret';
/** Largest number of connections of an address of this machine to the port of the metrics. */
const MOST = 10;

let monerod: Monerod;
let server: WalletRpc;
let metricsPort: number;

beforeAll(async () => {
  monerod = await startMonerod();
  metricsPort = await freePort();
  server = await startWalletRpc({
    daemon: monerod.address,
    args: [`--metrics-bind=${metricsPort}`, '--restricted-rpc'],
  });
});

afterAll(async () => {
  await server?.stop();
  await monerod?.stop();
});

interface Page {
  readonly status: number;
  readonly text: string;
}

const get = async (port: number, path: string, headers: Record<string, string> = {}): Promise<Page> => {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  return { status: reply.status, text: await reply.text() };
};

/** Value of a series; undefined if there is none. */
const valueOf = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

describe('metrics on a port of their own', () => {
  // First, since later tests leave connections open for further requests.
  it('are served to ten connections of an address of this machine at a time', async () => {
    const read = (): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        request({ port: metricsPort, path: '/livez', agent: false }, (answer) => {
          resolve(answer.resume().statusCode);
        }).on('error', reject);
      });
    const open: Socket[] = [];
    const hold = async (): Promise<void> => {
      const socket = connect(metricsPort, '127.0.0.1');
      open.push(socket);
      await once(socket, 'connect');
    };
    for (let i = 0; i < MOST - 1; i++) await hold();
    expect(await read()).toBe(200);
    await until('the end of the connection that was answered', async () => {
      await hold();
      return read().then(
        () => void open.pop()?.destroy(),
        () => true,
      );
    });
    expect(open).toHaveLength(MOST);
    for (const socket of open) socket.destroy();
    expect(await until('an answer', () => read().catch(() => undefined))).toBe(200);
  });

  it('need no login, and are not served on the port of a restricted server', async () => {
    expect((await get(server.port, '/metrics')).status).toBe(403);
    expect((await get(metricsPort, '/metrics')).status).toBe(200);
    expect((await get(metricsPort, '/livez')).status).toBe(200);
    expect((await get(metricsPort, '/json_rpc')).status).toBe(404);
  });

  it('are refused to pages of other sites', async () => {
    const url = `http://127.0.0.1:${metricsPort}/metrics`;
    const status = (header: string): string =>
      spawnSync('curl', ['-s', '-o', '/dev/null', '-w', '%{http_code}', '-H', header, url]).stdout.toString();
    expect(status('Host: evil.example')).toBe('403');
    expect(status('Origin: http://evil.example')).toBe('403');
  });
});

describe('metrics behind the login', () => {
  let guarded: WalletRpc;

  beforeAll(async () => {
    guarded = await startWalletRpc({
      daemon: monerod.address,
      args: [`--rpc-login=${LOGIN}`, '--trusted-daemon'],
    });
  });

  afterAll(() => guarded?.stop());

  it('are read with it only', async () => {
    const url = `http://127.0.0.1:${guarded.port}/metrics`;
    expect((await get(guarded.port, '/metrics')).status).toBe(401);
    const { stdout } = spawnSync('curl', ['-s', '--digest', '-u', LOGIN, url], { encoding: 'utf8' });
    expect(valueOf(stdout, 'wallet_rpc_open_wallets')).toBe(0);
    expect(valueOf(stdout, 'wallet_rpc_http_responses_total{code="401"}')).toBeGreaterThanOrEqual(2);
  });
});

describe('the metrics of a server', () => {
  let open: WalletRpc;

  beforeAll(async () => {
    open = await startWalletRpc({ daemon: monerod.address, args: ['--trusted-daemon'] });
  });

  afterAll(() => open?.stop());

  it('follow its wallets, its calls and its daemon', async () => {
    const { rpc, call } = walletCalls(open.port, 'w');
    await createWallet({ rpc });
    const { address } = await rpc('get_address');
    await monerod.generate(address, 90);
    await rpc('refresh');
    await call('no_such_method');
    const destinations = [{ amount: 1_000_000_000, address }];
    await rpc('transfer', { destinations });
    const { text } = await get(open.port, '/metrics');
    const { height } = await rpc('get_height');
    expect(height).toBe(91);
    const expected = {
      wallet_rpc_open_wallets: 1,
      'wallet_rpc_wallet_height_blocks{wallet="w"}': 91,
      'wallet_rpc_wallet_lag_blocks{wallet="w"}': 0,
      'wallet_rpc_wallet_pending_payments{wallet="w"}': 1,
      'wallet_rpc_wallet_failed_payments{wallet="w"}': 0,
      wallet_rpc_daemon_up: 1,
      wallet_rpc_daemon_height_blocks: 91,
      'wallet_rpc_requests_total{method="transfer",code="0"}': 1,
      'wallet_rpc_requests_total{method="unknown",code="-32601"}': 1,
    };
    for (const [series, value] of Object.entries(expected))
      expect([series, valueOf(text, series)]).toEqual([series, value]);
    expect(valueOf(text, 'wallet_rpc_scanned_blocks_total')).toBeGreaterThanOrEqual(90);
    expect(valueOf(text, 'wallet_rpc_wallet_store_bytes{wallet="w"}')).toBeGreaterThan(4096);
    // Pages of blocks are fetched by the refresh thread.
    expect(
      valueOf(text, 'wallet_rpc_daemon_request_duration_seconds_count{call="/getblocks.bin"}'),
    ).toBeGreaterThan(0);
    await monerod.generate(address, 1);
    await rpc('refresh');
    const after = await get(open.port, '/metrics');
    expect(valueOf(after.text, 'wallet_rpc_wallet_pending_payments{wallet="w"}')).toBe(0);
    expect(spawnSync('promtool', ['check', 'metrics'], { input: after.text }).status).toBe(0);
  });

  it('have webhook deliveries that wait', async () => {
    const port = await freePort();
    const server = await startWalletRpc({
      daemon: monerod.address,
      args: ['--trusted-daemon', '--webhook-allow-private'],
    });
    try {
      const { rpc } = walletCalls(server.port, 'hooked');
      await createWallet({ rpc });
      // Nothing listens there.
      await rpc('add_webhook', { url: `http://127.0.0.1:${port}/` });
      const { address } = await rpc('get_address');
      await monerod.generate(address, 1);
      await rpc('refresh');
      await until('a failed attempt', async () => {
        const { text } = await get(server.port, '/metrics');
        return (valueOf(text, 'wallet_rpc_wallet_webhook_retries{wallet="hooked"}') ?? 0) > 0 || undefined;
      });
    } finally {
      await server.stop();
    }
  });

  it('have errors of calls to a daemon that is gone', async () => {
    const absent = await freePort();
    const server = await startWalletRpc({ daemon: `127.0.0.1:${absent}` });
    try {
      const text = await until('an error', async () => {
        const page = await get(server.port, '/metrics');
        return page.text.includes('wallet_rpc_daemon_errors_total{') ? page.text : undefined;
      });
      expect(valueOf(text, 'wallet_rpc_daemon_up')).toBe(0);
      expect(text).toContain('wallet_rpc_daemon_errors_total{call="get_info",kind="unreachable"}');
    } finally {
      await server.stop();
    }
  });
});
