import { afterAll, describe, expect, it } from '@jest/globals';
import { digestAuth } from '../../src/http/login/authentication.js';
import { Dispatcher } from '../../src/http/calls/dispatcher.js';
import { RpcError } from '../../src/http/calls/errors.js';
import { createHttpApp, type Forwarding } from '../../src/http/http-app.js';
import { HttpServer } from '../../src/http/server/http-server.js';
import { rawRequest } from '../support/network/raw-http.js';

const BODY = '{"jsonrpc":"2.0","id":"0","method":"ping"}';

const dispatcher = new Dispatcher({
  call(method, _params, { target, idempotencyKey, caller }) {
    if (method === 'ping')
      return Promise.resolve({ target, idempotencyKey, login: caller?.login?.name, pong: [] });
    if (method === 'late') return Promise.reject(new RpcError(-7, 'later', { status: 429, retryAfter: 3 }));
    return Promise.reject(new Error('a bug'));
  },
  onBug: () => undefined,
  sizeOf: () => 'ordinary',
});

const pass = (_req: unknown, _res: unknown, next: () => void): void => next();
/** Parts of a cluster that forward nothing: with them, Express routes every request. */
const ROUTED: { readonly forwarding: Forwarding } = {
  forwarding: { login: pass, isForwarded: () => false, calls: pass, streams: pass },
};

const servers: HttpServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close(0))));

async function serve(login: boolean, parts: Partial<typeof ROUTED>): Promise<number> {
  const server = new HttpServer({
    handler: createHttpApp({
      ...{ dispatcher, onBug: () => undefined, ...parts },
      ...(login ? { auth: digestAuth('user', 'password') } : {}),
      ...{ origins: ['https://shop.example'], hosts: ['wallet'], targetPath: '/wallet/:target/json_rpc' },
    }),
    ...{ maxConnections: 100, maxPerPrivateIp: 100, maxPerPublicIp: 100 },
  });
  servers.push(server);
  return server.listen('127.0.0.1', 0);
}

const open = { direct: await serve(false, {}), routed: await serve(false, ROUTED) };
const guarded = { direct: await serve(true, {}), routed: await serve(true, ROUTED) };

/** Values that differ from answer to answer: the time and the nonce of a challenge. */
const CHANGING = [/^date$/i, /^www-authenticate$/i];

async function answerOf(port: number, line: string, headers: readonly string[], body: string) {
  const head = [`${line} HTTP/1.1`, ...headers, `Content-Length: ${body.length}`, 'Connection: close'];
  const answer = await rawRequest(port, `${head.join('\r\n')}\r\n\r\n${body}`);
  return {
    ...answer,
    headers: answer.headers.map(([name, value]) =>
      CHANGING.some((changing) => changing.test(name)) ? [name] : [name, value],
    ),
  };
}

const HOST = 'Host: localhost';
const REQUESTS: readonly (readonly [
  name: string,
  line: string,
  headers?: readonly string[],
  body?: string,
])[] = [
  ['a call', 'POST /json_rpc'],
  ['a call without a Host header', 'POST /json_rpc', []],
  ['a call for a target', 'POST /wallet/shop/json_rpc'],
  ['a call for a target with an encoded name', 'POST /wallet/a%20%C3%BC%2Fb/json_rpc'],
  ['a target that is not encoded correctly', 'POST /wallet/a%ff/json_rpc'],
  ['an empty target', 'POST /wallet//json_rpc'],
  ['a target of two parts', 'POST /wallet/a/b/json_rpc'],
  ['a query', 'POST /json_rpc?a=1'],
  ['a query for a target', 'POST /wallet/a/json_rpc?b'],
  ['a query in place of a target', 'POST /wallet/?/json_rpc'],
  ['a whole URL', 'POST http://localhost/json_rpc'],
  ['a path with another case', 'POST /JSON_RPC'],
  ['a slash behind the path', 'POST /json_rpc/'],
  ['another path', 'POST /other'],
  ['another method', 'GET /json_rpc'],
  ['HEAD', 'HEAD /json_rpc'],
  ['a preflight of an allowed origin', 'OPTIONS /json_rpc', [HOST, 'Origin: https://shop.example']],
  ['a preflight of another origin', 'OPTIONS /json_rpc', [HOST, 'Origin: https://other.example']],
  ['a call of an allowed origin', 'POST /json_rpc', [HOST, 'Origin: https://shop.example']],
  ['a call of another origin', 'POST /json_rpc', [HOST, 'Origin: https://other.example']],
  ['a call of the own origin', 'POST /json_rpc', [HOST, 'Origin: http://localhost']],
  ['a browser under another name', 'POST /json_rpc', ['Host: evil.example', 'Sec-Fetch-Site: same-origin']],
  ['a form', 'POST /json_rpc', [HOST, 'Content-Type: text/plain', 'Sec-Fetch-Site: same-origin']],
  ['a compressed body', 'POST /json_rpc', [HOST, 'Content-Encoding: gzip']],
  ['a key', 'POST /json_rpc', [HOST, 'Idempotency-Key: "a \\" b"']],
  ['a malformed key', 'POST /json_rpc', [HOST, 'Idempotency-Key: a']],
  ['two keys', 'POST /json_rpc', [HOST, 'Idempotency-Key: "a"', 'Idempotency-Key: "b"']],
  ['details', 'POST /json_rpc', [HOST, 'Error-Details: yes'], BODY.replace('ping', 'none')],
  ['a refusal with a time to wait', 'POST /json_rpc', [HOST], BODY.replace('ping', 'late')],
  ['a bug', 'POST /json_rpc', [HOST], BODY.replace('ping', 'none')],
  ['no JSON', 'POST /json_rpc', [HOST], '{'],
  ['no body', 'POST /json_rpc', [HOST], ''],
  ['a batch', 'POST /json_rpc', [HOST], `[${BODY},${BODY}]`],
  ['a batch of notifications', 'POST /json_rpc', [HOST], '[{"jsonrpc":"2.0","method":"ping"}]'],
  [
    'a body that is too long',
    'POST /json_rpc',
    [HOST],
    `{"method":"ping","params":"${'a'.repeat(1 << 20)}"}`,
  ],
];

describe('an answer without the router of Express', () => {
  it.each(REQUESTS)('is that of Express: %s', async (_, line, headers = [HOST], body = BODY) => {
    const [direct, routed] = await Promise.all([
      answerOf(open.direct, line, headers, body),
      answerOf(open.routed, line, headers, body),
    ]);
    expect(direct).toEqual(routed);
    expect(direct.statusLine).not.toBe('');
  });

  it.each([
    ['no login', []],
    ['a login of another kind', ['Authorization: Basic dXNlcjpwYXNzd29yZA==']],
    ['a wrong login', ['Authorization: Digest username="user", nonce="a", uri="/json_rpc", response="b"']],
  ])('is that of Express: %s', async (_, headers) => {
    const [direct, routed] = await Promise.all([
      answerOf(guarded.direct, 'POST /json_rpc', [HOST, ...headers], BODY),
      answerOf(guarded.routed, 'POST /json_rpc', [HOST, ...headers], BODY),
    ]);
    expect(direct).toEqual(routed);
    expect(direct.statusLine).toContain('401');
  });
});
