import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { authentication, sameText, REALM, singleLogin } from '../../../src/http/login/authentication.js';
import { Dispatcher } from '../../../src/http/calls/dispatcher.js';
import { createHttpApp } from '../../../src/http/http-app.js';
import { HttpServer } from '../../../src/http/server/http-server.js';
import { NonceStore } from '../../../src/http/login/nonce-store.js';
import { randomRuns } from '../../support/fakes/random-runs.js';
import { isNight } from '../../support/jest/lanes.js';

const run = promisify(execFile);
const USER = 'merchant';
const PASSWORD = 'p:ass word';
const BODY = '{"jsonrpc":"2.0","id":"0","method":"ping"}';
const ANSWER = { id: '0', jsonrpc: '2.0', result: { pong: true } };

let server: HttpServer;
let url: string;
const refused: string[] = [];

beforeAll(async () => {
  const dispatcher = new Dispatcher({ call: () => Promise.resolve({ pong: true }), onBug: () => undefined });
  server = new HttpServer({
    handler: createHttpApp({
      dispatcher,
      auth: authentication(singleLogin(USER, PASSWORD), new NonceStore(), (client) => refused.push(client)),
      origins: ['https://shop.example'],
      hosts: [],
      onBug: () => undefined,
    }),
    maxConnections: 100,
    maxPerPrivateIp: 100,
    maxPerPublicIp: 100,
  });
  url = `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}/json_rpc`;
});

afterAll(() => server?.close(100));

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** Sends a request with a digest computed here. @param spell changes the header, after the digest was computed. */
async function send(
  nonce: string,
  count: number,
  options: {
    password?: string;
    uri?: string;
    to?: string;
    algorithm?: string;
    spell?: (header: string) => string;
  } = {},
): Promise<Response> {
  const { password = PASSWORD, uri = '/json_rpc', algorithm = 'MD5', to = url, spell = (h) => h } = options;
  const nc = count.toString(16).padStart(8, '0');
  const plain = md5(`${USER}:${REALM}:${password}`);
  const ha1 = /sess/i.test(algorithm) ? md5(`${plain}:${nonce}:abc`) : plain;
  const response = md5(`${ha1}:${nonce}:${nc}:abc:auth:${md5(`POST:${uri}`)}`);
  const authorization = spell(
    `Digest username="${USER}", realm="${REALM}", nonce="${nonce}", uri="${uri}", algorithm=${algorithm}, qop=auth, nc=${nc}, cnonce="abc", response="${response}"`,
  );
  return fetch(to, {
    method: 'POST',
    body: BODY,
    headers: { authorization, 'content-type': 'application/json' },
  });
}

async function freshNonce(): Promise<string> {
  const { headers } = await fetch(url, {
    method: 'POST',
    body: BODY,
    headers: { 'content-type': 'application/json' },
  });
  return /nonce="([^"]+)"/.exec(headers.get('www-authenticate') ?? '')?.[1] ?? '';
}

describe('digest login', () => {
  it('accepts curl', async () => {
    const { stdout } = await run('curl', [
      '-s',
      '--digest',
      '-u',
      `${USER}:${PASSWORD}`,
      '-H',
      'Content-Type: application/json',
      '-d',
      BODY,
      url,
    ]);
    expect(JSON.parse(stdout)).toEqual(ANSWER);
  });

  it('accepts Python requests, several times over one session', async () => {
    const script = [
      'import requests, sys, json',
      'from requests.auth import HTTPDigestAuth',
      's = requests.Session(); s.auth = HTTPDigestAuth(sys.argv[2], sys.argv[3])',
      'print(json.dumps([s.post(sys.argv[1], json={"jsonrpc": "2.0", "id": "0", "method": "ping"}).json() for _ in range(3)]))',
    ].join('\n');
    const { stdout } = await run('python3', ['-c', script, url, USER, PASSWORD]);
    expect(JSON.parse(stdout)).toEqual([ANSWER, ANSWER, ANSWER]);
  });

  it('offers MD5 and MD5-sess, and answers alike for every path before the login', async () => {
    const reply = await fetch(url.replace('json_rpc', 'elsewhere'), { method: 'POST' });
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toMatch(
      /algorithm=MD5,.*stale=false.*algorithm=MD5-sess,/s,
    );
  });

  it('accepts one nonce on many connections, its counters in any order', async () => {
    const nonce = await freshNonce();
    const counts = Array.from({ length: 40 }, (_, i) => 40 - i);
    const replies = await Promise.all(counts.map((count) => send(nonce, count)));
    expect(replies.map(({ status }) => status)).toEqual(counts.map(() => 200));
  });

  it('refuses a replay, and reports the nonce as stale', async () => {
    const nonce = await freshNonce();
    expect((await send(nonce, 1)).status).toBe(200);
    const again = await send(nonce, 1);
    expect(again.status).toBe(401);
    expect(again.headers.get('www-authenticate')).toContain('stale=true');
    expect((await send(nonce, 2)).status).toBe(200);
  });

  it('refuses a wrong password slowly, and without using up the counter', async () => {
    const nonce = await freshNonce();
    const started = Date.now();
    const wrong = await send(nonce, 1, { password: 'guess' });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('www-authenticate')).toContain('stale=false');
    expect(Date.now() - started).toBeGreaterThan(400);
    expect((await send(nonce, 1)).status).toBe(200);
  });

  it('reports the address of a wrong password, not of a challenge or a stale nonce', async () => {
    refused.length = 0;
    const nonce = await freshNonce();
    await send(nonce, 1);
    await send(nonce, 1);
    expect(refused).toEqual([]);
    await send(nonce, 2, { password: 'guess' });
    expect(refused).toEqual(['127.0.0.1']);
  });

  it('refuses a digest made for another path', async () => {
    expect((await send(await freshNonce(), 1, { uri: '/other' })).status).toBe(401);
  });

  it('accepts a path with scheme and host, as some clients send it', async () => {
    expect((await send(await freshNonce(), 1, { uri: 'http://127.0.0.1:18083/json_rpc' })).status).toBe(200);
    expect((await send(await freshNonce(), 1, { uri: 'http://127.0.0.1:18083/other' })).status).toBe(401);
  });

  it.each([
    '/wallet/json_rpc',
    '/a/b/json_rpc',
    '//json_rpc',
    'http://shop.example/wallet/json_rpc',
    'HTTPS://[::1]:443/wallet/json_rpc',
  ])('accepts a path whose folder a proxy took away: %s', async (uri) => {
    expect((await send(await freshNonce(), 1, { uri })).status).toBe(200);
  });

  it.each(['/json_rpc/', '/other', '/xjson_rpc', '/other?/json_rpc', '/wallet/json_rpc?a=b', '', 'json_rpc'])(
    'refuses a login that was made for another path: %j',
    async (uri) => {
      expect((await send(await freshNonce(), 1, { uri })).status).toBe(401);
    },
  );

  it('refuses a login for a folder that the request names and the login does not', async () => {
    const to = url.replace('/json_rpc', '/wallet/json_rpc');
    expect((await send(await freshNonce(), 1, { to })).status).toBe(401);
    expect((await send(await freshNonce(), 1, { to, uri: '/wallet/json_rpc' })).status).toBe(404);
  });

  it.each(['MD5', 'md5', '"MD5"', 'MD5-sess', 'MD5-SESS', 'md5-sess', '"Md5-Sess"'])(
    'accepts the algorithm %s',
    async (algorithm) => {
      expect((await send(await freshNonce(), 1, { algorithm })).status).toBe(200);
    },
  );

  it.each(['SHA-256', 'MD4', 'MD5-other', 'SHA-256-sess', '""'])(
    'refuses the algorithm %s',
    async (algorithm) => {
      expect((await send(await freshNonce(), 1, { algorithm })).status).toBe(401);
    },
  );

  it.each<[string, (header: string) => string]>([
    ['names in capitals', (h) => h.replaceAll(/(?<= )(\w+)=/g, (name) => name.toUpperCase())],
    ['spaces around equals signs', (h) => h.replaceAll(/(?<= )(\w+)=("|\w)/g, '$1 = $2')],
    ['no spaces after commas', (h) => h.replaceAll(', ', ',')],
    ['a quoted qop and counter', (h) => h.replace('qop=auth', 'qop="auth"').replace(/nc=(\d+)/, 'nc="$1"')],
    ['a response in capitals', (h) => h.replace(/response="\w+"/, (text) => text.toUpperCase())],
    ['the scheme in capitals', (h) => h.replace('Digest', 'DIGEST')],
  ])('accepts %s', async (_, spell) => {
    expect((await send(await freshNonce(), 1, { spell })).status).toBe(200);
  });

  it('refuses a nonce that it did not issue', async () => {
    const forged = Buffer.alloc(32, 7).toString('base64');
    const reply = await send(forged, 1);
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toContain('stale=true');
  });

  it('answers the preflight of an allowed origin without credentials, and refuses others', async () => {
    const preflight = (origin: string): Promise<Response> =>
      fetch(url, { method: 'OPTIONS', headers: { origin } });
    const allowed = await preflight('https://shop.example');
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://shop.example',
    ]);
    expect((await preflight('https://evil.example')).status).toBe(403);
    const post = await fetch(url, {
      method: 'POST',
      body: BODY,
      headers: { origin: 'https://evil.example' },
    });
    expect(post.status).toBe(403);
  });
});

it.each([
  ['', '', true],
  ['merchant', 'merchant', true],
  ['merchant', 'merchanT', false],
  ['merchan', 'merchant', false],
  ['merchant', 'merchan', false],
  ['\u00e9', 'e\u0301', false],
])('compares %j with %j', (text, expected, isSame) => {
  expect(sameText(text, expected)).toBe(isSame);
});

describe('the nonce store', () => {
  it('stores nothing about nonces that were only issued', () => {
    const store = new NonceStore();
    for (let i = 0; i < (isNight ? 100_000 : 10_000); i++) store.issue();
    expect(store.tracked).toBe(0);
  });

  it('stores a bounded number of used nonces, and refuses evicted ones', () => {
    let now = 1_000_000;
    const store = new NonceStore({ now: () => now });
    const first = store.issue();
    expect(store.use(first, 1)).toBe('fresh');
    for (let i = 0; i < 5000; i++) {
      now += 1;
      store.use(store.issue(), 1);
    }
    expect(store.tracked).toBeLessThanOrEqual(4096);
    expect(store.use(first, 1)).toBe('stale');
    expect(store.use(first, 2)).toBe('stale');
  });

  it('accepts each counter once, in any order within 1,024 of the highest', () => {
    const step = fc.oneof(fc.integer({ min: -1100, max: 1100 }), fc.constantFrom(0, 5000, 4_000_000_000));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
        const store = new NonceStore();
        const nonce = store.issue();
        const used = new Set<number>();
        let highest = 0;
        for (const step of steps) {
          const count = Math.min(highest + step, 0xffff_ffff);
          const isFresh = count >= 1 && count > highest - 1024 && !used.has(count);
          expect(store.use(nonce, count)).toBe(isFresh ? 'fresh' : 'stale');
          if (!isFresh) continue;
          used.add(count);
          highest = Math.max(highest, count);
        }
      }),
      { numRuns: randomRuns(100) },
    );
  });

  it('neither accepts a counter twice nor refuses a nonce because the clock of the machine is stepped', () => {
    const clock = jest.spyOn(Date, 'now');
    try {
      const real = Date.now();
      const store = new NonceStore();
      const first = store.issue();
      expect(store.use(first, 1)).toBe('fresh');
      clock.mockReturnValue(real + 365 * 86_400_000);
      expect(store.use(store.issue(), 1)).toBe('fresh');
      expect(store.use(first, 2)).toBe('fresh');
      clock.mockReturnValue(real);
      expect([store.use(first, 1), store.use(first, 2), store.use(first, 3)]).toEqual([
        'stale',
        'stale',
        'fresh',
      ]);
    } finally {
      clock.mockRestore();
    }
  });

  it('lets a nonce expire', () => {
    let now = 0;
    const store = new NonceStore({ now: () => now });
    const nonce = store.issue();
    now = 31 * 60_000;
    expect(store.use(nonce, 1)).toBe('stale');
  });
});
