import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { digestAuth } from '../../../src/http/login/authentication.js';
import { Dispatcher } from '../../../src/http/calls/dispatcher.js';
import { createHttpApp } from '../../../src/http/http-app.js';
import { HttpServer } from '../../../src/http/server/http-server.js';
import type { Page } from '../../../src/http/pages/pages.js';

const page = (path: string): Page => ({
  path,
  answer: ({ query }) => ({
    status: 200,
    type: 'text/plain; charset=utf-8',
    body: `page ${query['q'] ?? ''}`,
  }),
});

function serve(login: boolean): HttpServer {
  const dispatcher = new Dispatcher({ call: () => Promise.resolve({}), onBug: () => undefined });
  return new HttpServer({
    handler: createHttpApp({
      dispatcher,
      ...(login ? { auth: digestAuth('u', 'p') } : {}),
      ...{ origins: ['http://listed.example'], hosts: [], onBug: () => undefined },
      openPages: [page('/open')],
      pages: [page('/page')],
      forms: [
        {
          path: '/form',
          submit: (fields) =>
            Promise.resolve({
              status: 303,
              type: 'text/plain',
              body: '',
              headers: { Location: fields['to'] ?? '' },
            }),
        },
      ],
    }),
    ...{ maxConnections: 20, maxPerPrivateIp: 20, maxPerPublicIp: 20 },
  });
}

let open: HttpServer;
let guarded: HttpServer;
const ports = { open: 0, guarded: 0 };

beforeAll(async () => {
  open = serve(false);
  guarded = serve(true);
  ports.open = await open.listen('127.0.0.1', 0);
  ports.guarded = await guarded.listen('127.0.0.1', 0);
});

afterAll(() => Promise.all([open.close(0), guarded.close(0)]));

interface Reply {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

function ask(
  port: number,
  path: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (res) => {
      let text = '';
      res.on('data', (chunk: Buffer) => (text += chunk.toString()));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const form = (headers: Record<string, string>) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  body: 'to=%2Fpage',
});

describe('a page', () => {
  it('answers GET and HEAD, is not stored, and answers no other method', async () => {
    expect(await ask(ports.open, '/page?q=1&x=2&x=3')).toMatchObject({
      status: 200,
      body: 'page 1',
      headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
    });
    expect(await ask(ports.open, '/page?q=1', { method: 'HEAD' })).toMatchObject({
      status: 200,
      body: '',
      headers: { 'content-length': '6' },
    });
    expect(await ask(ports.open, '/page', { method: 'POST' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    });
  });

  it('needs the login, unless it is an open page, whose connection is closed', async () => {
    expect((await ask(ports.guarded, '/page')).status).toBe(401);
    const reply = await ask(ports.guarded, '/open', { headers: { Connection: 'keep-alive' } });
    expect(reply).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect((await ask(ports.guarded, '/open', { method: 'HEAD' })).status).toBe(200);
  });

  it('is not served under an unknown host name without a login, open or not', async () => {
    for (const path of ['/open', '/page'])
      expect((await ask(ports.open, path, { headers: { Host: 'evil.example' } })).status).toBe(403);
  });
});

describe('a form', () => {
  const own = (): string => `http://127.0.0.1:${ports.open}`;

  it('is taken from a page of the server itself', async () => {
    const taken = { status: 303, headers: { location: '/page' } };
    expect(await ask(ports.open, '/form', form({ Origin: own() }))).toMatchObject(taken);
    expect(
      await ask(ports.open, '/form', form({ Origin: own(), 'Sec-Fetch-Site': 'same-origin' })),
    ).toMatchObject(taken);
  });

  it('is refused from every other page, from listed origins too, and from programs', async () => {
    const refused: Record<string, string>[] = [
      {},
      { Origin: 'http://evil.example' },
      { Origin: 'null' },
      { Origin: 'http://listed.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: own(), 'Sec-Fetch-Site': 'cross-site' },
    ];
    for (const headers of refused)
      expect([headers, (await ask(ports.open, '/form', form(headers))).status]).toEqual([headers, 403]);
  });

  it('answers no GET, which a page of another site can cause', async () => {
    expect(await ask(ports.open, '/form')).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  });

  it('of more than 4 kB is refused', async () => {
    const long = { ...form({ Origin: own() }), body: `to=${'x'.repeat(5000)}` };
    expect((await ask(ports.open, '/form', long)).status).toBe(413);
  });
});
