import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { serveSite, type PublicSite, type SiteRequest } from '../../../src/http/pages/public-site.js';
import { until } from '../../support/fakes/until.js';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Got {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Serves a site, and makes one request. */
async function get(
  answer: PublicSite['answer'],
  { path = '/', method = 'GET', headers = {} } = {},
  onBug: (error: unknown) => void = () => undefined,
): Promise<Got> {
  const started = createServer(serveSite({ headers: { 'X-Site': 'yes' }, answer }, onBug));
  servers.push(started);
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', () => resolve()));
  const { port } = started.address() as AddressInfo;
  const sent = request({ port, host: '127.0.0.1', path, method, headers }).end();
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const part of reply.setEncoding('utf8')) body += part as string;
  return { status: reply.statusCode, headers: reply.headers, body };
}

const page = { status: 200, type: 'text/plain; charset=utf-8', body: 'pâge', headers: { 'X-Page': '1' } };

describe('a public site', () => {
  it('receives path, address and languages, and answers with its headers', async () => {
    const seen: SiteRequest[] = [];
    const got = await get(
      (asked) => {
        seen.push(asked);
        return Promise.resolve(page);
      },
      { path: '/a/%20b?secret=1', headers: { 'Accept-Language': 'de' } },
    );
    expect(seen).toEqual([{ path: '/a/%20b', address: '127.0.0.1', languages: 'de' }]);
    expect(got).toMatchObject({
      ...{ status: 200, body: 'pâge' },
      headers: { 'x-site': 'yes', 'x-page': '1', 'content-length': '5', 'content-type': page.type },
    });
  });

  it('answers HEAD without a body, and no other method', async () => {
    const answer = () => Promise.resolve(page);
    expect(await get(answer, { method: 'HEAD' })).toMatchObject({
      ...{ status: 200, body: '', headers: { 'content-length': '5' } },
    });
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect(await get(answer, { method })).toMatchObject({
        ...{ status: 405, body: '', headers: { allow: 'GET, HEAD', 'x-site': 'yes' } },
      });
  });

  it('streams events, and ends each stream once', async () => {
    let ends = 0;
    const pending = [[{ id: 0, type: 'update', data: '{}' }]];
    const source = {
      next: () => pending.shift() ?? [],
      wait: () => Promise.resolve(),
      get isClosed() {
        return pending.length === 0;
      },
    };
    const got = await get(() => Promise.resolve({ source, end: () => (ends += 1) }));
    expect(got.body).toContain('event: update\ndata: {}\n\n');
    expect(got.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-site': 'yes',
    });
    await until('the end', () => Promise.resolve(ends === 1 ? true : undefined));
    const head = await get(() => Promise.resolve({ source, end: () => (ends += 1) }), { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, '']);
    await until('the end', () => Promise.resolve(ends === 2 ? true : undefined));
  });

  it('reports an error, and answers without its text', async () => {
    const bugs: unknown[] = [];
    const error = new Error('secret');
    const got = await get(
      () => Promise.reject(error),
      {},
      (bug) => bugs.push(bug),
    );
    expect(got).toMatchObject({ status: 500, body: '' });
    expect(bugs).toEqual([error]);
  });
});
