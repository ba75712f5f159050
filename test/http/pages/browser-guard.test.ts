import { afterAll, describe, expect, it, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { promisify } from 'node:util';
import { digestAuth } from '../../../src/http/login/authentication.js';
import { Dispatcher } from '../../../src/http/calls/dispatcher.js';
import { createHttpApp } from '../../../src/http/http-app.js';
import { HttpServer } from '../../../src/http/server/http-server.js';
import { call } from '../../support/network/json-rpc.js';
import { startWalletRpc } from '../../support/processes/wallet-rpc.js';

const run = promisify(execFile);
const BODY = '{"jsonrpc":"2.0","id":"0","method":"ping"}';

const servers: HttpServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close(0))));

/** Starts a server that serves the name `wallet` and allows one origin. @returns its port. */
async function serve(login: boolean): Promise<number> {
  const server = new HttpServer({
    handler: createHttpApp({
      dispatcher: new Dispatcher({ call: () => Promise.resolve({ pong: true }), onBug: () => undefined }),
      ...(login ? { auth: digestAuth('user', 'password') } : {}),
      origins: ['https://shop.example'],
      hosts: ['wallet'],
      onBug: () => undefined,
    }),
    maxConnections: 100,
    maxPerPrivateIp: 100,
    maxPerPublicIp: 100,
  });
  servers.push(server);
  return server.listen('127.0.0.1', 0);
}

const open = await serve(false);
const guarded = await serve(true);

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly allowed: string | undefined;
}

/** Sends a request with headers that a program cannot set with fetch. */
const post = (port: number, headers: Readonly<Record<string, string>>, method = 'POST'): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const type = { 'content-type': 'application/json' };
    // Node.js replaces an empty name by that of the server unless it sets none.
    const options = {
      ...{ port, path: '/json_rpc', method, agent: false, setHost: false },
      headers: { ...type, ...headers },
    };
    const sent = request(options, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      const allowed = response.headers['access-control-allow-origin'];
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, allowed }));
    });
    sent.on('error', reject);
    sent.end(BODY);
  });

describe('a host name', () => {
  const KNOWN = [
    'localhost',
    'LOCALHOST:18083',
    '127.0.0.1',
    '[::1]:18083',
    '192.168.1.5:18083',
    'wallet',
    'Wallet:80',
    '',
  ];
  const UNKNOWN = [
    'monero-wallet-rpc',
    'monero_wallet-rpc:18083',
    'evil.example',
    'evil.example:18083',
    'wallet.evil.example',
    '127.0.0.1.evil.example',
    'xn--localhost',
  ];
  /** Headers that browsers send, and programs do not. */
  const BROWSERS: readonly Readonly<Record<string, string>>[] = [
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: '' },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-user': '?1' },
  ];
  const PROGRAMS: readonly Readonly<Record<string, string>>[] = [
    {},
    { 'sec-fetch-mode': 'cors', 'accept-language': '*', 'user-agent': 'node' },
    { 'user-agent': 'Mozilla/5.0', referer: 'http://evil.example/' },
  ];

  test.each([...KNOWN, ...UNKNOWN])(
    'is served to programs without a login, whatever it is: %j',
    async (host) => {
      for (const headers of PROGRAMS) expect((await post(open, { host, ...headers })).status).toBe(200);
    },
  );

  test.each(KNOWN)(
    'is served to browsers when it is listed, local, an address, or empty: %j',
    async (host) => {
      expect((await post(open, { host, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
      expect((await post(open, { host }, 'GET')).status).toBe(405);
    },
  );

  test.each(UNKNOWN)(
    'is refused to browsers when it is not listed, and the answer names both flags: %s',
    async (host) => {
      for (const headers of [...BROWSERS, { origin: `http://${host}` }]) {
        const { status, text } = await post(open, { host, ...headers });
        expect(status).toBe(403);
        expect(text).toMatch(/--rpc-allowed-hosts.*--rpc-login/);
      }
    },
  );

  test.each(UNKNOWN)(
    'is refused to every read when it is not listed, since that of a browser has no header of its own: %s',
    async (host) => {
      for (const method of ['GET', 'HEAD'])
        for (const headers of [...PROGRAMS, ...BROWSERS])
          expect((await post(open, { host, ...headers }, method)).status).toBe(403);
    },
  );

  it('is not checked by a server with a login', async () => {
    expect((await post(guarded, { host: 'evil.example' })).status).toBe(401);
  });

  it('is listed for browsers by the flag that a container sets', async () => {
    const server = await startWalletRpc({
      args: ['--rpc-bind-ip=0.0.0.0', '--confirm-external-bind', '--rpc-allowed-hosts=wallet,shop.example'],
    });
    try {
      expect((await call(server.port, 'get_version')).error).toBeUndefined();
      expect((await post(server.port, { host: `wallet:${server.port}` })).status).toBe(200);
      const browser = { origin: `http://wallet:${server.port}` };
      expect((await post(server.port, { host: `wallet:${server.port}`, ...browser })).status).toBe(200);
      expect((await post(server.port, { host: 'shop.example', 'sec-fetch-site': 'none' })).status).toBe(200);
      expect((await post(server.port, { host: 'other.example' })).status).toBe(200);
      expect((await post(server.port, { host: 'other.example', ...browser })).status).toBe(403);
    } finally {
      await server.stop();
    }
  });
});

describe('an origin', () => {
  test.each([
    ['the address that is called', `127.0.0.1:${open}`, `http://127.0.0.1:${open}`],
    ['a listed name that is called', 'wallet', 'http://wallet'],
    ['listed', 'localhost', 'https://shop.example'],
  ])('may call when it is %s', async (_, host, origin) => {
    const reply = await post(open, { host, origin });
    expect([reply.status, reply.allowed]).toEqual([200, origin]);
  });

  test.each([
    ['another site', 'localhost', 'https://evil.example'],
    ['another port', `127.0.0.1:${open}`, 'http://127.0.0.1:1'],
    ['another scheme', `127.0.0.1:${open}`, `https://127.0.0.1:${open}`],
    ['opaque', 'localhost', 'null'],
    ['a foreign name that resolves to this server', 'evil.example', 'http://evil.example'],
  ])('may not when it is %s', async (_, host, origin) => {
    expect((await post(open, { host, origin })).status).toBe(403);
    expect((await post(open, { host, origin }, 'OPTIONS')).status).toBe(403);
  });

  it('that equals the served host reaches the login of a server that has one', async () => {
    expect((await post(guarded, { host: 'any.example', origin: 'http://any.example' })).status).toBe(401);
  });
});

describe('a body that a form can send', () => {
  const types = [
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ];
  const page = { origin: `http://127.0.0.1:${open}`, host: `127.0.0.1:${open}` };

  test.each(types)('is taken from a program: %s', async (type) => {
    expect((await post(open, { 'content-type': type })).status).toBe(200);
    expect((await post(open, { 'content-type': type, 'sec-fetch-mode': 'cors' })).status).toBe(200);
  });

  test.each(types)('is refused from a browser: %s', async (type) => {
    expect((await post(open, { 'content-type': type, ...page })).status).toBe(415);
    expect((await post(open, { 'content-type': type, 'sec-fetch-site': 'cross-site' })).status).toBe(415);
  });

  it('is taken from curl -d and from fetch, without a header', async () => {
    const url = `http://127.0.0.1:${open}/json_rpc`;
    const { stdout } = await run('curl', ['-s', url, '-d', BODY]);
    expect(stdout).toContain('"pong":true');
    const fetched = await fetch(url, { method: 'POST', body: BODY });
    expect([fetched.status, await fetched.text()]).toEqual([200, stdout]);
  });
});
