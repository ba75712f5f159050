import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import {
  createServer,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { RequestOrder } from '../../../src/http/server/request-order.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { until, untilSteady } from '../../support/fakes/until.js';

let server: Server | undefined;
let port = 0;
const clients: Socket[] = [];

/** Errors of the server that were passed on. */
let failures = 0;

async function serve(
  handler: RequestListener,
  options: ServerOptions = {},
  errorHeaders: OutgoingHttpHeaders = {},
): Promise<void> {
  const { listener, failed } = new RequestOrder(handler, errorHeaders);
  failures = 0;
  server = createServer(options, listener)
    .on('clientError', failed)
    .on('clientError', () => void (failures += 1))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
}

/** Opens a connection, of which nothing is read until the socket is resumed. */
async function open(): Promise<Socket> {
  const client = connect(port, '127.0.0.1').pause();
  client.on('error', () => undefined);
  clients.push(client);
  await once(client, 'connect');
  return client;
}

const requestOf = (path: string, body = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Reads a connection until its answers contain a text. @returns the bodies of all answers, joined. */
async function readUntil(client: Socket, end: string): Promise<string> {
  let text = '';
  client.on('data', (bytes: Buffer) => (text += bytes.toString('latin1'))).resume();
  await until(`the answer ${end}`, () => text.includes(end));
  return text.replaceAll(/HTTP\/1\.1 200 OK\r\n[^]*?\r\n\r\n/g, '');
}

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server?.closeAllConnections();
  server?.close();
});

describe('a request after one that was refused before its body was read to the end', () => {
  const LENGTH = 4 << 20;

  it.each([0, 1])('is answered on the same connection, after %i pieces of the body', async (pieces) => {
    const answer = async (...[req, res]: Parameters<RequestListener>): Promise<void> => {
      const body = req.iterator({ destroyOnReturn: false });
      if (req.url === '/refused') {
        for (let i = 0; i < pieces; i++) await body.next();
        await body.return?.();
      }
      res.end(req.url);
    };
    await serve((req, res) => void answer(req, res));
    const client = await open();
    client.write(requestOf('/refused', 'x'.repeat(LENGTH)) + requestOf('/next'));
    expect(await readUntil(client, '/next')).toBe('/refused/next');
  });
});

describe('requests that are sent before the answers to earlier ones are read', () => {
  it('run one after another, in their order, with their bodies', async () => {
    let running = 0;
    let most = 0;
    await serve((req, res) => {
      running += 1;
      most = Math.max(most, running);
      void (async () => {
        let body = '';
        for await (const bytes of req) body += String(bytes);
        // The earlier ones take longer.
        await turns(req.url === '/0' ? 50 : 1);
        running -= 1;
        res.end(`${req.url}${body},`);
      })();
    });
    const client = await open();
    const long = 'x'.repeat(200_000);
    client.write(requestOf('/0') + requestOf('/1', long) + requestOf('/2', 'y') + requestOf('/3'));
    expect(await readUntil(client, '/3,')).toBe(`/0,/1${long},/2y,/3,`);
    expect(most).toBe(1);
  });

  it('do not delay those of another connection', async () => {
    await serve((req, res) => {
      if (req.url !== '/held') res.end('done;');
    });
    const held = await open();
    held.write(requestOf('/held') + requestOf('/waits'));
    const other = await open();
    other.write(requestOf('/free'));
    expect(await readUntil(other, 'done;')).toBe('done;');
  });

  it('take turns with those of other connections, even if thousands are read at once', async () => {
    const COUNT = 400;
    const ran: string[] = [];
    const others: Socket[] = [];
    await serve((req, res) => {
      if (ran.length === 0) others[0]?.write(requestOf('/other'));
      ran.push(String(req.url));
      const end = performance.now() + 1;
      while (performance.now() < end);
      res.end(`${req.url};`);
    });
    const other = await open();
    others.push(other);
    const client = await open();
    const last = `/${COUNT - 1}`;
    client.write(Array.from({ length: COUNT }, (_, i) => requestOf(`/${i}`)).join(''));
    const [text] = await Promise.all([readUntil(other, '/other;'), readUntil(client, `${last};`)]);
    expect(text).toBe('/other;');
    expect(ran).toHaveLength(COUNT + 1);
    expect(ran.indexOf('/other')).toBeLessThan(COUNT / 2);
    expect(ran.filter((path) => path !== '/other')).toEqual(Array.from({ length: COUNT }, (_, i) => `/${i}`));
  });

  it('are few in a turn of the event loop, however many connections have them', async () => {
    const CONNECTIONS = 60;
    let turn = 0;
    const count = (): void => {
      turn += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const later = new Map<number, number>();
    await serve((req, res) => {
      // As a handler that awaits something, which is there at once.
      void Promise.resolve().then(() => {
        if (req.url !== '/first') later.set(turn, (later.get(turn) ?? 0) + 1);
        res.end(`${req.url};`);
      });
    });
    const connections = await Promise.all(Array.from({ length: CONNECTIONS }, open));
    for (const client of connections)
      client.write(requestOf('/first') + requestOf('/second') + requestOf('/third'));
    await Promise.all(connections.map((client) => readUntil(client, '/third;')));
    clearImmediate(next);
    expect([...later.values()].reduce((sum, one) => sum + one, 0)).toBe(2 * CONNECTIONS);
    expect(Math.max(...later.values())).toBeLessThanOrEqual(16);
  });

  it('do not run when the connection ends before their turn', async () => {
    const ran: string[] = [];
    let closed = false;
    await serve((req, res) => {
      ran.push(String(req.url));
      res.once('close', () => (closed = true));
    });
    const client = await open();
    client.write(requestOf('/first') + requestOf('/second'));
    await until('the first runs', () => ran.length > 0);
    await turns(10);
    client.destroy();
    await until('the server sees the end', () => closed);
    await turns(10);
    expect(ran).toEqual(['/first']);
  });

  it('run when the client has closed its side after them', async () => {
    await serve((req, res) => void turns(5).then(() => res.end(`${req.url};`)));
    (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
    const client = await open();
    client.end(requestOf('/a') + requestOf('/b') + requestOf('/c'));
    expect(await readUntil(client, '/c;')).toBe('/a;/b;/c;');
  });

  it('are read from the connection no faster than they are answered, however many there are', async () => {
    const COUNT = 400;
    const body = 'b'.repeat(60_000);
    let answer: () => void = () => undefined;
    const first = new Promise<void>((resolve) => (answer = resolve));
    let read = 0;
    await serve((req, res) => {
      void (async () => {
        if (req.url === '/0') await first;
        for await (const bytes of req) void bytes;
        res.end(`${req.url};`);
      })();
    });
    server?.on('connection', (socket) => {
      read = 0;
      const count = (): void => void (read = socket.bytesRead);
      const timer = setInterval(count, 1);
      socket.once('close', () => clearInterval(timer));
    });
    const client = await open();
    for (let i = 0; i < COUNT; i++) client.write(requestOf(`/${i}`, body));
    await until('the server reads', () => read > body.length);
    expect(await untilSteady('the server stops', () => read)).toBeLessThan(40 * body.length);
    answer();
    expect(await readUntil(client, `/${COUNT - 1};`)).toBe(
      Array.from({ length: COUNT }, (_, i) => `/${i};`).join(''),
    );
  });

  // Nothing more is read from a connection with 16 waiting requests.
  it.each([15, 16, 17, 18, 33])('are all answered when %i wait behind the first', async (count) => {
    const { ran, answer } = await serveHeld();
    const client = await open();
    const paths = Array.from({ length: count + 1 }, (_, i) => `/${i};`);
    for (const path of paths) client.write(requestOf(path, 'b'.repeat(70_000)));
    await until('the first runs', () => ran.length > 0);
    await turns(20);
    expect(ran).toEqual(['/0;']);
    answer();
    expect(await readUntil(client, `/${count};`)).toBe(paths.join(''));
    expect(ran).toEqual(paths);
  });

  it('are not lost when they are short and come in thousands', async () => {
    const COUNT = 5_000;
    await serve((req, res) => void turns(1).then(() => res.end(`${req.url};`)));
    const client = await open();
    client.write(Array.from({ length: COUNT }, (_, i) => requestOf(`/${i}`)).join(''));
    expect(await readUntil(client, `/${COUNT - 1};`)).toBe(
      Array.from({ length: COUNT }, (_, i) => `/${i};`).join(''),
    );
  });
});

/** Reads a connection to its end. @returns status and body of each answer. */
async function readAll(client: Socket): Promise<readonly string[]> {
  let text = '';
  client.on('data', (bytes: Buffer) => (text += bytes.toString('latin1'))).resume();
  if (!client.closed) await once(client, 'close');
  return text
    .split('HTTP/1.1 ')
    .slice(1)
    .map((answer) => answer.replace(/\r\n[^]*\r\n\r\n/, ' ').trimEnd());
}

/** A server whose answers are sent when `answer` is called. @returns the paths of the requests that ran. */
async function serveHeld(options?: ServerOptions): Promise<{ readonly ran: string[]; answer(): void }> {
  const ran: string[] = [];
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await serve((req, res) => {
    ran.push(String(req.url));
    void (async () => {
      for await (const bytes of req) void bytes;
      await held;
      res.end(req.url);
    })().catch(() => undefined);
  }, options);
  return { ran, answer: () => answer() };
}

const CHUNKED = 'POST /cut HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('bytes that are no request', () => {
  const unreadable = [
    ['a request line', 'rubbish\r\n\r\n', '400 Bad Request'],
    ['a header', `GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, '431 Request Header Fields Too Large'],
    ['the body of a request', `${CHUNKED}zz\r\n`, '400 Bad Request'],
  ] as const;

  it.each(unreadable)('are answered at once if nothing is before them: %s', async (_what, bytes, status) => {
    const { answer } = await serveHeld();
    const client = await open();
    client.write(bytes);
    expect(await readAll(client)).toEqual([status]);
    answer();
  });

  it.each(unreadable)('do not replace the answers before them: %s', async (_what, bytes, status) => {
    const { ran, answer } = await serveHeld();
    const client = await open();
    client.write(requestOf('/first') + requestOf('/second', 'body') + bytes);
    await until('the server finds them', () => failures > 0);
    await turns(10);
    answer();
    expect(await readAll(client)).toEqual(['200 OK /first', '200 OK /second', status]);
    expect(ran).toEqual(['/first', '/second']);
  });

  it('end a connection without an answer of their own once that of their request has begun', async () => {
    await serve((_req, res) => void res.write('begun'));
    const client = await open();
    client.write(CHUNKED);
    await once(client.resume(), 'data');
    client.write('zz\r\n');
    await once(client, 'close');
    expect(failures).toBe(1);
  });

  it('are answered after an answer that was given without reading them', async () => {
    await serve((_req, res) => void res.end('early'));
    const client = await open();
    client.write(CHUNKED);
    const answers = readAll(client);
    await turns(20);
    client.write('zz\r\n');
    expect((await answers)[0]).toMatch(/^200 OK.*early/s);
  });
});

describe('a request that comes too late', () => {
  it('is answered with the headers of the server', async () => {
    const options = { headersTimeout: 50, connectionsCheckingInterval: 10 };
    await serve((_req, res) => res.end(), options, { 'X-Frame-Options': 'DENY' });
    const client = await open();
    client.write('GET / HTTP/1.1\r\nHost: ');
    let text = '';
    client.on('data', (bytes: Buffer) => (text += bytes.toString())).resume();
    await once(client, 'close');
    expect(text).toBe('HTTP/1.1 408 Request Timeout\r\nX-Frame-Options: DENY\r\nConnection: close\r\n\r\n');
  });

  it('does not replace the answer to the one before it', async () => {
    const { ran, answer } = await serveHeld({ headersTimeout: 50, connectionsCheckingInterval: 10 });
    const client = await open();
    client.write(`${requestOf('/first')}POST /late HTTP/1.1\r\nHost: `);
    await until('the time limit', () => failures > 0);
    await turns(10);
    answer();
    expect(await readAll(client)).toEqual(['200 OK /first', '408 Request Timeout']);
    expect(ran).toEqual(['/first']);
  });
});
