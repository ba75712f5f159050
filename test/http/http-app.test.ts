import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Dispatcher } from '../../src/http/calls/dispatcher.js';
import { RpcError } from '../../src/http/calls/errors.js';
import { createHttpApp } from '../../src/http/http-app.js';
import type { Handler } from '../../src/http/message/handler.js';
import { HttpServer } from '../../src/http/server/http-server.js';
import { JsonRows, writeRows } from '../../src/http/calls/json-rows.js';
import { yieldToEventLoop } from '../../src/util/event-loop.js';
import { EncodedJson } from '../../src/util/json-writer.js';
import { post } from '../support/network/json-rpc.js';
import { until, untilSteady } from '../support/fakes/until.js';

const ROWS_A_PAGE = 400;
const PAGES = 30;
const row = (page: number, place: number): string => `${page} ${place} `.repeat(40);

/** Pages read so far. */
let read = 0;
let released = 0;
/** Methods of the calls that ran. */
const ran: string[] = [];
let endSlow: () => void = () => undefined;
let slow = Promise.resolve();
const bugs: unknown[] = [];

async function* pages(count: number, failure?: Error): AsyncGenerator<string[]> {
  for (let page = 0; page < count; page++) {
    await yieldToEventLoop();
    read += 1;
    yield Array.from({ length: ROWS_A_PAGE }, (_, place) => row(page, place));
  }
  if (failure !== undefined) throw failure;
}

const FAILURES: Readonly<Record<string, Error>> = {
  closed: new RpcError(-13, 'No wallet file'),
  bug: new Error('unexpected'),
};

/** Encoded once, and part of every answer. */
const cached = new EncodedJson([Buffer.from(`"${'k'.repeat(1 << 17)}"`)]);

let server: HttpServer;
let port: number;

beforeAll(async () => {
  const dispatcher = new Dispatcher({
    call: (method) => {
      ran.push(method);
      if (method === 'unwritable') return Promise.resolve({ fee: Number.POSITIVE_INFINITY });
      if (method === 'refused') return Promise.reject(new RpcError(-1, 'No', { explanation: 'why' }));
      if (method === 'slow') return slow.then(() => ({}));
      const count = method === 'endless' ? 1e6 : method === 'short' ? 1 : PAGES;
      return writeRows({
        cached,
        list: JsonRows.of({ pages: pages(count, FAILURES[method]), release: () => void (released += 1) }),
      });
    },
    onBug: () => undefined,
  });
  server = new HttpServer({
    handler: createHttpApp({ dispatcher, origins: [], hosts: [], onBug: (error) => bugs.push(error) }),
    maxConnections: 10,
    maxPerPrivateIp: 10,
    maxPerPublicIp: 10,
  });
  port = await server.listen('127.0.0.1', 0);
});

afterAll(() => server.close(0));

beforeEach(() => {
  read = released = 0;
  ran.splice(0);
  bugs.splice(0);
});

const body = (method: string): string => JSON.stringify({ id: 1, method });

const expected = (count: number): string =>
  JSON.stringify({
    id: 1,
    jsonrpc: '2.0',
    result: {
      cached: 'k'.repeat(1 << 17),
      list: Array.from({ length: count }, (_, page) =>
        Array.from({ length: ROWS_A_PAGE }, (_row, place) => row(page, place)),
      ).flat(),
    },
  });

describe('an answer of many pages', () => {
  it('arrives complete, repeatedly and for several clients at once', async () => {
    const whole = expected(PAGES);
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all([1, 2, 3].map(() => post(port, '/json_rpc', body('list'))));
      for (const { status, text } of answers) expect([status, text === whole]).toEqual([200, true]);
    }
    expect(released).toBe(9);
  });

  it('has a Content-Length if it is short', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/json_rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: body('short'),
    });
    const text = await response.text();
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect(text === expected(1)).toBe(true);
  });

  it('ends with the connection for a client of HTTP/1.0', async () => {
    const socket = connect(port, '127.0.0.1');
    const asked = body('list');
    socket.write(
      `POST /json_rpc HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${asked.length}\r\n\r\n${asked}`,
    );
    let text = '';
    socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
    await once(socket, 'close');
    const [head = '', answer] = text.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(head).not.toMatch(/chunked/i);
    expect(answer === expected(PAGES)).toBe(true);
  });

  it.each([
    ['closed', 0],
    ['bug', 1],
  ])('breaks off when a later page cannot be read: %s', async (method, reported) => {
    await expect(post(port, '/json_rpc', body(method))).rejects.toThrow();
    expect(read).toBe(PAGES);
    expect(released).toBe(1);
    expect(bugs).toHaveLength(reported);
    expect((await post(port, '/json_rpc', body('short'))).status).toBe(200);
  });

  it('is read no further than its client has read, some megabytes apart', async () => {
    const asking = request({ port, path: '/json_rpc', method: 'POST' }).end(body('endless'));
    asking.on('error', () => undefined);
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    const first = await untilSteady('no page is read', () => read);
    expect(first * JSON.stringify(row(0, 0)).length * ROWS_A_PAGE).toBeLessThan(32 * 1024 * 1024);
    let length = 0;
    for await (const part of response) {
      length += (part as Buffer).length;
      if (read > first + 20) break;
    }
    expect(length).toBeGreaterThan(1 << 20);
    await until('the rows are released', () => Promise.resolve(released === 1 || undefined));
  });

  it('is read no further once the client has closed the connection', async () => {
    const asking = request({ port, path: '/json_rpc', method: 'POST' }, (response) => {
      response.once('data', () => asking.destroy());
    });
    asking.on('error', () => undefined).end(body('endless'));
    await until('the rows are released', () => Promise.resolve(released === 1 || undefined));
    const soFar = read;
    for (let turn = 0; turn < 20; turn++) await yieldToEventLoop();
    expect(read).toBe(soFar);
    expect(bugs).toEqual([]);
  });
});

describe('an answer that cannot be sent', () => {
  it.each([
    ['a call', { id: 1, method: 'unwritable' }],
    ['a batch', [1, 2].map((id) => ({ id, method: id === 1 ? 'short' : 'unwritable' }))],
  ])('ends the connection, since the calls have run: %s', async (_, asked) => {
    await expect(post(port, '/json_rpc', asked)).rejects.toThrow();
    expect(ran).toContain('unwritable');
    expect(bugs).toEqual([new RangeError('not a JSON number')]);
    expect((await post(port, '/json_rpc', body('short'))).status).toBe(200);
  });

  it('is no bug if its client is gone', async () => {
    slow = new Promise((resolve) => (endSlow = resolve));
    const asking = request({ port, path: '/json_rpc', method: 'POST' });
    asking.on('error', () => undefined).end(body('slow'));
    await until('the call runs', () => Promise.resolve(ran.includes('slow') || undefined));
    const closed = new Promise((resolve) => asking.once('close', resolve));
    asking.destroy();
    await closed;
    endSlow();
    expect((await post(port, '/json_rpc', body('short'))).status).toBe(200);
    expect(bugs).toEqual([]);
  });
});

describe('a request whose client is gone before it is read', () => {
  it.each([
    ['half of it arrived', 20],
    ['all of it arrived', 1000],
  ])('is no bug: %s', async (_, length) => {
    let start: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (start = resolve));
    const auth: Handler = (_req, _res, next) => void started.then(() => next());
    const late: unknown[] = [];
    const app = createHttpApp({
      dispatcher: new Dispatcher({
        call: () => Promise.resolve({}),
        onBug: (_method, error) => late.push(error),
      }),
      ...{ origins: [], hosts: [], auth, onBug: (error: unknown) => late.push(error) },
    });
    const lost = createServer();
    const answered: IncomingMessage[] = [];
    lost.on('request', (req, res) => {
      answered.push(req);
      app(req, res);
    });
    await new Promise<void>((resolve) => lost.listen(0, '127.0.0.1', resolve));
    const asked = body('short');
    const socket = connect((lost.address() as AddressInfo).port, '127.0.0.1');
    socket.write(
      `POST /json_rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${asked.length}\r\n\r\n${asked.slice(0, length)}`,
    );
    await until('the request arrives', () => Promise.resolve(answered.length > 0 || undefined));
    socket.destroy();
    await until('the connection ends', () => Promise.resolve(answered[0]?.destroyed || undefined));
    start();
    for (let turn = 0; turn < 20; turn++) await yieldToEventLoop();
    expect(late).toEqual([]);
    await new Promise((resolve) => lost.close(resolve));
  });
});

describe('a request of a short declared length', () => {
  it.each([
    ['no JSON', Buffer.from('{"id":1,"method":"short"'), -32700],
    ['bytes that are not UTF-8', Buffer.from('{"id":1,"method":"\u00e9"}', 'latin1'), -32700],
    [
      'too deep a nesting',
      Buffer.from(`{"id":1,"method":"short","params":${'['.repeat(101)}${']'.repeat(101)}}`),
      -32700,
    ],
    ['nothing', Buffer.alloc(0), -32600],
  ])('is answered as one in chunks: with %s', async (_, sent, code) => {
    const answers = [true, false].map(async (isDeclared) => {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const asking = request({ port, path: '/json_rpc', method: 'POST', agent: false });
      asking.on('response', resolve).on('error', reject);
      if (isDeclared) asking.setHeader('Content-Length', sent.length);
      else asking.setHeader('Transfer-Encoding', 'chunked');
      asking.end(sent);
      const answer = await promise;
      return [answer.statusCode, await text(answer)];
    });
    const [declared, chunked] = await Promise.all(answers);
    expect(declared).toEqual(chunked);
    expect(declared).toEqual([200, expect.stringContaining(`"code":${code}`)]);
    expect(ran).toEqual([]);
  });
});

describe('an error', () => {
  it.each<[string, Readonly<Record<string, string>>, boolean]>([
    ['no header', {}, false],
    ['Error-Details: yes', { 'error-details': 'yes' }, true],
    ['ERROR-DETAILS: Yes', { 'ERROR-DETAILS': 'Yes' }, true],
    ['Error-Details: no', { 'error-details': 'no' }, false],
    ['an empty Error-Details', { 'error-details': '' }, false],
  ])('has an explanation only for a client that asks: %s', async (_, headers, isExplained) => {
    const { text } = await post(port, '/json_rpc', body('refused'), headers);
    const data = isExplained ? { data: { explanation: 'why' } } : {};
    expect(JSON.parse(text)).toEqual({ id: 1, jsonrpc: '2.0', error: { code: -1, message: 'No', ...data } });
  });
});
