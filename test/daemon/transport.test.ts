import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DaemonError } from '../../src/daemon/errors.js';
import { HttpDaemon } from '../../src/daemon/http-daemon.js';
import { Transport } from '../../src/daemon/transport.js';
import { freePort } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';

const SSL = { mode: 'disabled', allowedFingerprints: [], allowChained: false, allowAnyCert: false } as const;
const INFO = JSON.stringify({
  id: '0',
  result: {
    status: 'OK',
    height: 7,
    target_height: 0,
    top_block_hash: '00'.repeat(32),
    nettype: 'fakechain',
  },
});
const BLOB = new Uint8Array([1, 2, 3]);

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

let server: Server;
let handler: Handler;
/** Requested paths, in order. */
let paths: string[];
/** Connections of the requests. */
let sockets: Set<Socket>;
let daemon: HttpDaemon;
let address: string;

const answer =
  (body: string, status = 200): Handler =>
  (_, res) =>
    res.writeHead(status).end(body);
const cut: Handler = (req) => req.socket.destroy();
/** Each handler serves one request, the last one all further requests. */
const inTurn = (...handlers: Handler[]): void => {
  handler = (req, res) => (handlers.length > 1 ? handlers.shift() : handlers[0])?.(req, res);
};

const failure = async (call: Promise<unknown>): Promise<DaemonError> => {
  try {
    await call;
  } catch (error) {
    if (error instanceof DaemonError) return error;
    throw error;
  }
  throw new Error('the call succeeded');
};

beforeEach(async () => {
  paths = [];
  sockets = new Set();
  server = createServer((req, res) => {
    paths.push(req.url ?? '');
    sockets.add(req.socket);
    req.resume().on('end', () => handler(req, res));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  daemon = new HttpDaemon({ address, ssl: SSL });
});

afterEach(() => {
  daemon.close();
  server.closeAllConnections();
  server.close();
});

describe('a connection that is opened ahead', () => {
  /** Connections to the server, in their order. */
  let connections: Socket[];
  const connected = (count: number): Promise<boolean> =>
    until('the connections', () => connections.length >= count);

  beforeEach(() => {
    connections = [];
    server.on('connection', (socket: Socket) => connections.push(socket));
    inTurn(answer(INFO));
  });

  it('serves the first request, and the next one', async () => {
    await daemon.connect();
    await daemon.getInfo();
    await daemon.getInfo();
    expect([paths.length, connections.length]).toEqual([2, 1]);
  });

  it('serves a request that does not wait for it', async () => {
    void daemon.connect();
    await daemon.getInfo();
    expect(connections).toHaveLength(1);
  });

  it('is opened once, and not beside one that was used', async () => {
    await Promise.all([daemon.connect(), daemon.connect()]);
    await daemon.getInfo();
    await daemon.connect();
    await daemon.getInfo();
    expect(connections).toHaveLength(1);
  });

  it('is replaced by the first request if the daemon has closed it', async () => {
    await daemon.connect();
    await connected(1);
    connections[0]?.destroy();
    expect((await daemon.getInfo()).height).toBe(7);
    expect(connections).toHaveLength(2);
  });

  it('is replaced by the first request if bytes arrive on it before, which are no answer to a request', async () => {
    await daemon.connect();
    await connected(1);
    const [first] = connections as [Socket];
    first.resume().end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
    await until('the end of the connection', () => first.destroyed);
    expect((await daemon.getInfo()).height).toBe(7);
    expect([paths.length, connections.length]).toEqual([1, 2]);
  });

  it('is closed with all others', async () => {
    await daemon.connect();
    await connected(1);
    const closed = once(connections[0] as Socket, 'close');
    connections[0]?.resume();
    daemon.close();
    await closed;
  });

  it('fails silently; the first request says why', async () => {
    const nowhere = new HttpDaemon({ address: `127.0.0.1:${await freePort()}`, ssl: SSL });
    await nowhere.connect();
    expect(await failure(nowhere.getInfo())).toMatchObject({ kind: 'unreachable', notTaken: true });
    nowhere.close();
  });
});

describe('a read', () => {
  it('is tried three times, over new connections, if they break', async () => {
    inTurn(cut, cut, answer(INFO));
    expect((await daemon.getInfo()).height).toBe(7);
    expect([paths.length, sockets.size]).toEqual([3, 3]);
  });

  it('fails after three tries, and the error names the cause', async () => {
    inTurn(cut);
    expect(await failure(daemon.getInfo())).toMatchObject({ kind: 'unreachable', code: 'ECONNRESET' });
    expect(paths).toHaveLength(3);
  });

  it('reaches a daemon that listens a moment later', async () => {
    const port = await freePort();
    const late = new HttpDaemon({ address: `127.0.0.1:${port}`, ssl: SSL });
    const second = createServer(answer(INFO));
    const onSocket = (message: unknown): void => {
      const { socket } = message as { readonly socket: Socket };
      // After the first refusal.
      socket.once('error', () => second.listening || second.listen(port, '127.0.0.1'));
    };
    subscribe('net.client.socket', onSocket);
    try {
      expect((await late.getInfo()).height).toBe(7);
    } finally {
      unsubscribe('net.client.socket', onSocket);
      late.close();
      second.closeAllConnections();
      second.close();
    }
  });

  it('reports a refused connection', async () => {
    const absent = new HttpDaemon({
      address: `127.0.0.1:${await freePort()}`,
      ssl: { ...SSL, mode: 'autodetect' },
    });
    expect(await failure(absent.getInfo())).toMatchObject({
      kind: 'unreachable',
      message: 'no connection',
      code: 'ECONNREFUSED',
      notTaken: true,
    });
    absent.close();
  });

  it('fails at once if the daemon switches to another protocol', async () => {
    inTurn((_, res) => res.writeHead(101, { connection: 'upgrade', upgrade: 'websocket' }).end());
    expect(await failure(daemon.getInfo())).toMatchObject({ kind: 'unreachable' });
    expect(paths).toHaveLength(1);
  });

  it('that is answered is not retried, whatever the answer', async () => {
    inTurn(answer('', 503));
    expect(await failure(daemon.getInfo())).toMatchObject({ kind: 'rejected', status: 503, notTaken: true });
    expect(paths).toHaveLength(1);
  });
});

describe('a transaction', () => {
  it('is not sent again if the connection breaks, and may have been relayed', async () => {
    inTurn(answer(INFO), cut);
    await daemon.getInfo();
    expect(await failure(daemon.sendRawTransaction(BLOB))).toMatchObject({
      kind: 'unreachable',
      notTaken: false,
    });
    expect(paths).toEqual(['/json_rpc', '/sendrawtransaction']);
  });

  it('is sent over a new connection, so that it is not lost on one that the daemon has closed', async () => {
    inTurn(answer(INFO), answer('{"status":"OK"}'));
    await daemon.getInfo();
    expect(await daemon.sendRawTransaction(BLOB)).toMatchObject({ accepted: true });
    expect(sockets.size).toBe(2);
  });

  it('was certainly not relayed if the connection is refused', async () => {
    const absent = new HttpDaemon({ address: `127.0.0.1:${await freePort()}`, ssl: SSL });
    expect(await failure(absent.sendRawTransaction(BLOB))).toMatchObject({
      code: 'ECONNREFUSED',
      notTaken: true,
    });
    absent.close();
  });

  it.each([
    [403, true],
    [404, true],
    [405, true],
    [413, true],
    [429, true],
    [503, true],
    [302, true],
    [204, false],
    [500, false],
    [502, false],
    [504, false],
  ])('that is answered with HTTP %i was certainly not relayed: %s', async (status, notTaken) => {
    inTurn(answer('', status));
    expect(await failure(daemon.sendRawTransaction(BLOB))).toMatchObject({
      kind: 'rejected',
      status,
      notTaken,
    });
  });

  it.each([
    ['BUSY', '{"status":"BUSY"}', { kind: 'busy', notTaken: true }],
    ['a malformed text', 'OK', { kind: 'malformed', notTaken: false }],
  ])('that is answered with %s fails with the kind of the answer', async (_, body, error) => {
    inTurn(answer(body));
    expect(await failure(daemon.sendRawTransaction(BLOB))).toMatchObject(error);
  });

  it('may have been relayed if its call ends after it was sent, but not if it ends before', async () => {
    const abort = new AbortController();
    handler = () => abort.abort(new Error('the wallet is closed'));
    expect(await failure(daemon.until(abort.signal).sendRawTransaction(BLOB))).toMatchObject({
      kind: 'unreachable',
      notTaken: false,
    });
    await expect(daemon.until(abort.signal).sendRawTransaction(BLOB)).rejects.toBe(abort.signal.reason);
    expect(paths).toHaveLength(1);
  });
});

describe('a daemon that answers slowly', () => {
  const timers: NodeJS.Timeout[] = [];
  const drip: Handler = (_, res) => {
    res.writeHead(200);
    timers.push(setInterval(() => res.write(' '), 50));
  };

  beforeEach(() => inTurn(drip));
  afterEach(() => timers.forEach(clearInterval));

  it('is waited for until the deadline of the whole call', async () => {
    expect(await failure(daemon.getInfo({ deadline: 500 }))).toMatchObject({ kind: 'timeout' });
    expect(paths).toHaveLength(1);
  });

  it('gets more time for each byte of a long answer', async () => {
    const transport = new Transport({ address, ssl: SSL });
    const chunk = Buffer.alloc(64 << 10, 32);
    handler = (_, res) => {
      let left = 16;
      const timer = setInterval(() => {
        if (left-- > 0) res.write(chunk);
        else res.end();
      }, 50);
      timers.push(timer);
    };
    const body = await transport.post('/x', '', {
      limit: 2 << 20,
      deadline: 400,
      contentType: 'application/json',
    });
    expect(body).toHaveLength(1 << 20);
    transport.close();
  });

  it('is no longer waited for when the transport is closed, or the signal of the call is aborted', async () => {
    const abort = new AbortController();
    const calls = [
      daemon.until(abort.signal).getInfo(),
      daemon.getInfo(),
      daemon.getInfo(),
      daemon.getInfo(),
    ];
    const ended = calls.map((call) => call.catch((error: unknown) => error));
    await until('three requests', () => paths.length >= 3);
    const reason = new Error('the wallet is closed');
    abort.abort(reason);
    expect(await ended[0]).toBe(reason);
    daemon.close();
    for (const error of await Promise.all(ended.slice(1)))
      expect(error).toMatchObject({ kind: 'unreachable', message: 'the connection to the daemon is closed' });
  });
});
