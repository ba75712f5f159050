import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { Agent, request, type RequestListener, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { HttpServer, type TooManyConnections } from '../../../src/http/server/http-server.js';
import { Listener } from '../../../src/http/server/listener.js';
import { LoginDeadline } from '../../../src/http/server/connection-limits.js';
import { certificateAt, makeCertificate } from '../../support/network/certificate.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { rawRequest } from '../../support/network/raw-http.js';
import { until } from '../../support/fakes/until.js';
import { itAtNight, someRows } from '../../support/jest/lanes.js';

/** A test that waits for so long fails. */
const GRACE_MS = 60_000;

const servers: HttpServer[] = [];
const agents: Agent[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
});

/** A server that answers when `answer` resolves. */
async function serve(answer: () => Promise<void>): Promise<{ server: HttpServer; port: number }> {
  const server = new HttpServer({
    handler: (_request, response) => void answer().then(() => response.end('done')),
    maxConnections: 10,
    maxPerPrivateIp: 10,
    maxPerPublicIp: 10,
  });
  servers.push(server);
  return { server, port: await server.listen('127.0.0.1', 0) };
}

const get = (port: number, agent: Agent): Promise<string> =>
  new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', agent }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });

const keepAlive = (): Agent => {
  const agent = new Agent({ keepAlive: true });
  agents.push(agent);
  return agent;
};

describe('a server that stops', () => {
  it('does not wait for clients that keep an idle connection', async () => {
    const { server, port } = await serve(() => Promise.resolve());
    expect(await get(port, keepAlive())).toBe('done');
    await server.close(GRACE_MS);
  });

  it('does not wait for clients that have not sent anything', async () => {
    const { server, port } = await serve(() => Promise.resolve());
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await new Promise((resolve) => socket.once('connect', resolve));
    // Once another request is answered, the server has accepted the silent connection too.
    await get(port, keepAlive());
    await server.close(GRACE_MS);
  });

  it('finishes a pending answer', async () => {
    let finish = (): void => undefined;
    let asked = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (asked = resolve));
    const { server, port } = await serve(() => {
      asked();
      return new Promise<void>((resolve) => (finish = resolve));
    });
    const answer = get(port, new Agent());
    await arrived;
    const closed = server.close(GRACE_MS);
    finish();
    expect(await answer).toBe('done');
    await closed;
  });

  it('cuts off an answer that takes longer than the grace period', async () => {
    let asked = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (asked = resolve));
    const { server, port } = await serve(() => {
      asked();
      return new Promise(() => undefined);
    });
    const answer = get(port, new Agent());
    const failed = expect(answer).rejects.toThrow();
    await arrived;
    await server.close(10);
    await failed;
  });
});

describe('a client that closes its side after the request', () => {
  const ASKED = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

  /** Sends a request, then closes the client's side. @returns the bytes of the answer, at the end of the connection. */
  function askHalfClosed(port: number): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      sockets.push(socket);
      let text = '';
      socket.on('data', (part: Buffer) => (text += part.toString()));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(text));
      socket.on('end', () => socket.end());
      socket.end(ASKED);
    });
  }

  it.each([
    ['plain HTTP', undefined],
    ['HTTP beside TLS', { certificate: () => Promise.reject(new Error('not asked for')), optional: true }],
  ])('gets an answer that takes long, and then the end of the connection: %s', async (_, tls) => {
    let finish = (): void => undefined;
    let asked = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (asked = resolve));
    const done = new Promise<void>((resolve) => (finish = resolve));
    const server = new HttpServer({
      handler: (request, response) => {
        // The end of the client's side has arrived too.
        request.socket.once('end', asked);
        void done.then(() => response.end('done'));
      },
      ...(tls === undefined ? {} : { tls: { ...tls, allowedFingerprints: [] } }),
      ...{ maxConnections: 10, maxPerPrivateIp: 10, maxPerPublicIp: 10 },
    });
    servers.push(server);
    const answer = askHalfClosed(await server.listen('127.0.0.1', 0));
    await arrived;
    finish();
    expect(await answer).toMatch(/^HTTP\/1\.1 200 OK[^]*done/);
  });

  it('does not count against the limits, and makes room for later ones if there are many', async () => {
    let pending = 0;
    let finish = (): void => undefined;
    const done = new Promise<void>((resolve) => (finish = resolve));
    const server = new HttpServer({
      handler: (request, response) => {
        if (request.url === '/now') return void response.end('now');
        request.socket.once('end', () => (pending += 1));
        void done.then(() => response.end('done'));
      },
      ...{ maxConnections: 2, maxPerPrivateIp: 2, maxPerPublicIp: 2 },
    });
    servers.push(server);
    const port = await server.listen('127.0.0.1', 0);
    const answers: Promise<string>[] = [];
    for (let i = 1; i <= 101; i++) {
      answers.push(askHalfClosed(port));
      await until('the end arrives', () => Promise.resolve(pending === i || undefined));
    }
    expect(await fetch(`http://127.0.0.1:${port}/now`).then((response) => response.text())).toBe('now');
    expect(await answers[0]).toBe('');
    finish();
    const rest = await Promise.all(answers.slice(1));
    expect(rest.filter((text) => !text.includes('done'))).toEqual([]);
  });
});

describe('a limit on connections', () => {
  const LIMIT = 3;
  const reports: TooManyConnections[] = [];

  /** A server that answers requests with the header `login` only. */
  async function guarded(loginMs: number): Promise<number> {
    const loginDeadline = new LoginDeadline(loginMs);
    const server = new HttpServer({
      handler: (asked, response) => {
        if (asked.headers['login'] === undefined) return void response.writeHead(401).end();
        loginDeadline.lift(asked.socket);
        response.end('done');
      },
      loginDeadline,
      onTooMany: (report) => reports.push(report),
      maxConnections: 10,
      maxPerPrivateIp: LIMIT,
      maxPerPublicIp: LIMIT,
    });
    servers.push(server);
    return server.listen('127.0.0.1', 0);
  }

  const opened = async (port: number, text = ''): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.on('error', () => undefined).resume();
    if (text !== '') socket.write(text);
    return socket;
  };

  const closed = (socket: Socket): Promise<void> =>
    new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));

  const request = (login: string): string =>
    `POST / HTTP/1.1\r\nHost: a\r\n${login}Content-Length: 10\r\n\r\n`;

  it.each([
    ['is silent', ''],
    ['sends half of its headers', 'POST / HTTP/1.1\r\nHost: a\r\n'],
    ['sends half of its body', `${request('')}12345`],
    ['repeats requests without the login', `${request('')}1234567890${request('')}1234567890`],
  ])('is free again within the time for a login when a client %s', async (_, text) => {
    const port = await guarded(300);
    const idle = await Promise.all(Array.from({ length: LIMIT }, () => opened(port, text)));
    await Promise.all(idle.map(closed));
    expect(await answered(port)).toBe('done');
  });

  it('does not end a connection that logged in', async () => {
    const port = await guarded(300);
    const socket = await opened(port, `${request('login: yes\r\n')}12345`);
    // One that opened later without a login has reached the end of its time.
    await closed(await opened(port));
    await turns(10);
    expect(socket.closed).toBe(false);
  });

  it('is reported with the address when a connection exceeds it, but not every time', async () => {
    reports.splice(0);
    const port = await guarded(60_000);
    for (let i = 0; i < LIMIT; i++) await opened(port);
    for (let i = 0; i < 20; i++) await closed(await opened(port));
    expect(reports).toEqual([{ ip: '127.0.0.1', limit: LIMIT, of: 'address', refused: 1 }]);
  });

  const answered = (port: number): Promise<string> =>
    fetch(`http://127.0.0.1:${port}`, { headers: { login: 'yes' } }).then((response) => response.text());
});

/** Serves a port whose connections seem to come from given addresses, one after another. */
async function serveFrom(server: HttpServer, addresses: readonly string[]): Promise<number> {
  const listener = await Listener.bind('127.0.0.1', 0);
  const left = [...addresses];
  const { port } = listener;
  server.serve({
    port,
    serve: (accept: (socket: Socket) => void) =>
      listener.serve((socket) => {
        Object.defineProperty(socket, 'remoteAddress', { value: left.shift() });
        accept(socket);
      }),
    close: () => listener.close(),
  } as unknown as Listener);
  return port;
}

/** Opens a connection and asks on it. @returns whether it was answered; it stays open then. */
async function isAnswered(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return Promise.race([
    once(socket, 'data').then(() => true),
    new Promise<boolean>((resolve) => socket.once('close', () => resolve(false))),
  ]);
}

describe('the connections of strangers', () => {
  const answersFrom = async (addresses: readonly string[]): Promise<boolean[]> => {
    const server = new HttpServer({
      handler: (_request, response) => response.end('done'),
      ...{ maxConnections: 6, maxPerPrivateIp: 6, maxPerPublicIp: 2 },
    });
    servers.push(server);
    const port = await serveFrom(server, addresses);
    const answers: boolean[] = [];
    for (const _ of addresses) answers.push(await isAnswered(port));
    return answers;
  };

  it('of one network count as those of one client, and leave room for others', async () => {
    const network = Array.from({ length: 20 }, (_, i) => `2001:db8::${i}`);
    expect(await answersFrom([...network, '2001:db8:0:1::1', '192.0.2.1'])).toEqual([
      ...network.map((_, i) => i < 2),
      ...[true, true],
    ]);
  });

  it('cannot shut this machine out', async () => {
    const strangers = Array.from({ length: 9 }, (_, i) => `2001:db8:${i}::1`);
    expect(await answersFrom([...strangers, '127.0.0.1', '::1', '::ffff:127.0.0.1'])).toEqual([
      ...strangers.map((_, i) => i < 6),
      ...[true, true, true],
    ]);
  });

  itAtNight(
    'that are half-closed end neither those of this machine nor those of a network with fewer',
    async () => {
      const ended: string[] = [];
      let open = 0;
      const server = new HttpServer({
        handler: ({ socket }) => {
          open += 1;
          socket.once('close', () => ended.push(socket.remoteAddress ?? ''));
        },
        ...{ maxConnections: 1000, maxPerPrivateIp: 1000, maxPerPublicIp: 1000 },
      });
      servers.push(server);
      const strangers = Array.from({ length: 120 }, (_, i) => `2001:db8::${i}`);
      const addresses = ['127.0.0.1', '127.0.0.1', '192.0.2.1', ...strangers];
      const port = await serveFrom(server, addresses);
      for (let i = 0; i < addresses.length; i++) {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
        sockets.push(socket);
        socket.on('error', () => undefined);
        socket.end('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
        await until('the request', () => open === i + 1 || undefined);
      }
      await until('the ends', () => ended.length === addresses.length - 100 || undefined);
      expect(ended.filter((ip) => !ip.startsWith('2001:db8::'))).toEqual([]);
    },
  );
});

describe('a client that reads nothing', () => {
  const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const directory = mkdtempSync(join(tmpdir(), 'stalled-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const { keyFile, certFile } = makeCertificate(directory);
  const certificate = { key: readFileSync(keyFile), cert: readFileSync(certFile) };
  const TLS = { certificate, allowedFingerprints: [], optional: true };

  /** A server that ends stalled connections after a time [ms], and counts the ended ones. */
  async function stalling(
    handler: RequestListener,
    stallMs = 300,
  ): Promise<{ port: number; ended: () => number }> {
    const seen = new Set<Socket>();
    let ended = 0;
    const server = new HttpServer({
      handler: (request, response) => {
        const { socket } = request;
        if (!seen.has(socket)) socket.once('close', () => (ended += 1));
        seen.add(socket);
        handler(request, response);
      },
      ...{ tls: TLS, stallMs, maxConnections: 10, maxPerPrivateIp: 10, maxPerPublicIp: 10 },
    });
    servers.push(server);
    return { port: await server.listen('127.0.0.1', 0), ended: () => ended };
  }

  const opened = async (port: number, isSecure: boolean): Promise<Socket> => {
    const socket = isSecure
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      : connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, isSecure ? 'secureConnect' : 'connect');
    return socket.pause();
  };

  describe.each(
    someRows([
      ['plain HTTP', false],
      ['TLS', true],
    ]),
  )('over %s', (_, isSecure) => {
    it('loses its connection, whether one answer is long or many are short', async () => {
      const { port, ended } = await stalling((request, response) =>
        response.end(Buffer.alloc(request.url === '/long' ? 30_000_000 : 5_000)),
      );
      const [long, short] = [await opened(port, isSecure), await opened(port, isSecure)];
      long.write(GET.replace('/', '/long'));
      short.write(GET.repeat(5_000));
      await until('both ends', () => ended() === 2 || undefined);
    });

    itAtNight('loses it although it goes on sending', async () => {
      const { port, ended } = await stalling((_request, response) => response.end(Buffer.alloc(30_000_000)));
      const socket = await opened(port, isSecure);
      const timer = setInterval(() => socket.write(GET), 20);
      try {
        await until('the end', () => ended() === 1 || undefined);
      } finally {
        clearInterval(timer);
      }
    });

    it('keeps it while its answer takes longer than that', async () => {
      const waiting: ServerResponse[] = [];
      const { port, ended } = await stalling((request, response) => {
        if (request.url === '/wait') waiting.push(response);
        else response.end(Buffer.alloc(30_000_000));
      });
      const patient = await opened(port, isSecure);
      patient.write(GET.replace('/', '/wait'));
      await until('the request', () => waiting.length === 1 || undefined);
      (await opened(port, isSecure)).write(GET);
      await until('the end of the other', () => ended() === 1 || undefined);
      waiting[0]?.end('late');
      const [text] = (await once(patient.resume(), 'data')) as [Buffer];
      expect(text.toString()).toContain('late');
    });

    it('gets the whole of a long answer if it reads in time', async () => {
      const LENGTH = 12_000_000;
      const { port } = await stalling(
        (_request, response) => response.setHeader('Connection', 'close').end(Buffer.alloc(LENGTH)),
        20_000,
      );
      const socket = await opened(port, isSecure);
      socket.write(GET);
      let read = 0;
      for await (const part of socket) {
        read += (part as Buffer).length;
        await turns(1);
      }
      expect(read).toBeGreaterThan(LENGTH);
    });
  });
});

describe('an answer that no handler gives', () => {
  it.each([
    ['400 Bad Request', 'rubbish\r\n\r\n'],
    ['417 Expectation Failed', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: more\r\nConnection: close\r\n\r\n'],
    ['431 Request Header Fields Too Large', `GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`],
    [
      '413 Payload Too Large',
      `POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(20_000)}\r\n`,
    ],
  ])('has the headers of the server: %s', async (status, bytes) => {
    const server = new HttpServer({
      handler: ({ socket }) => void socket,
      errorHeaders: { 'X-Frame-Options': 'DENY', 'Cache-Control': 'no-store' },
      ...{ maxConnections: 10, maxPerPrivateIp: 10, maxPerPublicIp: 10 },
    });
    servers.push(server);
    const { statusLine, headers } = await rawRequest(await server.listen('127.0.0.1', 0), bytes);
    expect(statusLine).toBe(`HTTP/1.1 ${status}`);
    expect(headers).toEqual(
      expect.arrayContaining([
        ['X-Frame-Options', 'DENY'],
        ['Cache-Control', 'no-store'],
        ['Connection', 'close'],
      ]),
    );
  });
});

describe('a certificate', () => {
  const directory = mkdtempSync(join(tmpdir(), 'renewed-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  const files = (name: string): { key: Buffer; cert: Buffer } => {
    mkdirSync(join(directory, name));
    const { keyFile, certFile } = makeCertificate(join(directory, name));
    return { key: readFileSync(keyFile), cert: readFileSync(certFile) };
  };

  it('is replaced for new connections, unless the new one is not valid', async () => {
    const [first, second] = [files('first'), files('second')];
    const server = new HttpServer({
      handler: (_request, response) => response.end(),
      tls: { certificate: first, allowedFingerprints: [], optional: false },
      maxConnections: 10,
      maxPerPrivateIp: 10,
      maxPerPublicIp: 10,
    });
    servers.push(server);
    const port = await server.listen('127.0.0.1', 0);
    const raw = ({ cert }: { readonly cert: Buffer }): Buffer => new X509Certificate(cert).raw;
    expect(await certificateAt(port)).toEqual(raw(first));
    const bad = [
      { key: first.key, cert: second.cert },
      { key: second.key, cert: Buffer.from('no certificate') },
      { key: Buffer.alloc(0), cert: second.cert },
    ];
    for (const files of bad) {
      expect(() => server.renewTls({ certificate: files })).toThrow();
      expect(await certificateAt(port)).toEqual(raw(first));
    }
    server.renewTls({ certificate: second });
    expect(await certificateAt(port)).toEqual(raw(second));
  });
});
