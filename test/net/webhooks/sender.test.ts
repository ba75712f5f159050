import { describe, expect, it, test, afterEach, beforeEach } from '@jest/globals';
import {
  DELAYS_MS,
  MAX_ATTEMPTS,
  nextWait,
  parseRetryAfter,
  MAX_BODY_BYTES,
} from '../../../src/net/webhooks/sender.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { WebhookReceiver } from '../../support/network/webhook-receiver.js';
import { deliveryOf, WebhookSenders } from '../../support/network/webhook-senders.js';

const HOUR = 3_600_000;
const shortest = (length: number): Uint8Array => new Uint8Array(length);
const longest = (length: number): Uint8Array => new Uint8Array(length).fill(0xff);

describe('retry schedule', () => {
  it('has the delays of Standard Webhooks', () => {
    expect(DELAYS_MS.map((ms) => ms / 1000)).toEqual([
      0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400,
    ]);
  });

  it('lengthens a delay by up to a fifth and never shortens it', () => {
    DELAYS_MS.forEach((delay, attempts) => {
      expect(nextWait(attempts, undefined, shortest)).toBe(delay);
      expect(nextWait(attempts, undefined, longest)).toBe(Math.round(delay * 1.2));
    });
  });

  it('spreads deliveries that failed at the same time', () => {
    const rng = seededRng('jitter');
    const waits = Array.from({ length: 1000 }, () => nextWait(3, undefined, rng) ?? 0);
    const tenths = new Set(waits.map((wait) => Math.floor((wait - 1_800_000) / 36_000)));
    expect([...tenths].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('ends after ten attempts', () => {
    expect(MAX_ATTEMPTS).toBe(10);
    expect(nextWait(9, undefined)).toBeGreaterThan(0);
    expect(nextWait(10, undefined)).toBeUndefined();
    expect(nextWait(10, 5000)).toBeUndefined();
  });

  it('is lengthened by Retry-After up to 24 hours, and never shortened', () => {
    expect(nextWait(1, 60_000, shortest)).toBe(60_000);
    expect(nextWait(1, 1000, shortest)).toBe(5000);
    expect(nextWait(1, 1000 * HOUR, shortest)).toBe(24 * HOUR);
    expect(nextWait(9, 1000 * HOUR, longest)).toBe(Math.round(24 * HOUR * 1.2));
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(1994, 10, 6, 8, 49, 0);

  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7000],
    ['999999999999', 999_999_999_999_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
    ['Sun, 06 Nov 1994 08:48:37 GMT', 0],
  ])('of %j is %i ms', (header, wait) => {
    expect(parseRetryAfter(header, now)).toBe(wait);
  });

  test.each([undefined, '', '-1', '1.5', '1e3', 'soon', '1994-11-06', 'Sun, 99 Nov 1994 08:49:37 GMT'])(
    'of %j is ignored',
    (header) => {
      expect(parseRetryAfter(header, now)).toBeUndefined();
    },
  );
});

const body = '{"type":"payment.seen","data":{"amount":1}}';
const delivery = deliveryOf(body);
const { headers } = delivery;
const never = new AbortController().signal;

const senders = new WebhookSenders();

describe('a delivery', () => {
  it('is a POST of the body with the signed headers', async () => {
    expect(await senders.sender().send(delivery, never)).toEqual({ kind: 'delivered', status: 204 });
    expect(senders.receiver.received).toHaveLength(1);
    expect(senders.receiver.received[0]).toMatchObject({
      path: '/hook?shop=1',
      body,
      headers: {
        ...headers,
        host: `127.0.0.1:${senders.receiver.port}`,
        'content-type': 'application/json',
        'content-length': String(body.length),
        'user-agent': 'wallet-rpc/0.1.0',
      },
    });
  });

  it('passes the status and the first 200 characters of any answer on, if asked', async () => {
    const seen: unknown[] = [];
    const asking = { ...delivery, onResponse: (head: unknown) => void seen.push(head) };
    const sender = senders.sender({ timeoutMs: 60_000 });
    senders.receiver.answer = (response) => response.writeHead(200).end('é'.repeat(300));
    await sender.send(asking, never);
    senders.receiver.answer = (response) => response.writeHead(410).end('gone');
    await sender.send(asking, never);
    senders.receiver.answer = (response) => response.writeHead(204).end();
    await sender.send(asking, never);
    expect(seen).toEqual([
      { status: 200, text: 'é'.repeat(200) },
      { status: 410, text: 'gone' },
      { status: 204, text: '' },
    ]);
  });

  it('uses the connection of the one before it', async () => {
    const sender = senders.sender();
    for (let i = 0; i < 3; i++) await sender.send(delivery, never);
    expect(senders.receiver.received).toHaveLength(3);
    expect(senders.receiver.connections).toBe(1);
  });

  it('is repeated at once on a new connection when the receiver has closed the idle one', async () => {
    const sender = senders.sender();
    await sender.send(delivery, never);
    senders.receiver.answer = () => {
      senders.receiver.answer = (response) => response.writeHead(200).end();
      senders.receiver.dropConnections();
    };
    expect(await sender.send(delivery, never)).toEqual({ kind: 'delivered', status: 200 });
    expect(senders.receiver.connections).toBe(2);
  });

  it('of more than 20,000 bytes is not sent', async () => {
    const fits = `"${'ä'.repeat(MAX_BODY_BYTES / 2 - 1)}"`;
    expect(await senders.sender().send({ headers, body: fits }, never)).toMatchObject({ kind: 'delivered' });
    expect(await senders.sender().send({ headers, body: `${fits} ` }, never)).toEqual({
      kind: 'failed',
      reason: 'too_large',
    });
    expect(senders.receiver.received).toHaveLength(1);
  });

  it('is aborted by its signal, before and while it waits', async () => {
    const abort = new AbortController();
    senders.receiver.answer = () => abort.abort();
    const sender = senders.sender({ timeoutMs: 60_000 });
    expect(await sender.send(delivery, abort.signal)).toEqual({ kind: 'aborted' });
    expect(await sender.send(delivery, abort.signal)).toEqual({ kind: 'aborted' });
    expect(senders.receiver.received).toHaveLength(1);
  });
});

describe('the status of the response', () => {
  test.each([200, 201, 202, 204, 299])('%i acknowledges', async (status) => {
    senders.receiver.answer = (response) => response.writeHead(status).end();
    expect(await senders.sender().send(delivery, never)).toEqual({ kind: 'delivered', status });
  });

  test.each([300, 304, 400, 401, 404, 409, 422, 500, 502, 503])('%i is a failure', async (status) => {
    senders.receiver.answer = (response) => response.writeHead(status).end('no');
    expect(await senders.sender().send(delivery, never)).toEqual({
      kind: 'failed',
      reason: 'status',
      status,
    });
  });

  it('410 means that the endpoint is gone', async () => {
    senders.receiver.answer = (response) => response.writeHead(410).end('gone');
    expect(await senders.sender().send(delivery, never)).toEqual({ kind: 'gone' });
  });

  it('429 with Retry-After carries the wait', async () => {
    senders.receiver.answer = (response) => response.writeHead(429, { 'retry-after': '120' }).end();
    expect(await senders.sender().send(delivery, never)).toEqual({
      kind: 'failed',
      reason: 'status',
      status: 429,
      retryAfter: 120_000,
    });
  });

  test.each([301, 302, 303, 307, 308])('%i is not followed', async (status) => {
    const inside = await WebhookReceiver.start();
    senders.receiver.answer = (response) => response.writeHead(status, { location: inside.url }).end();
    expect(await senders.sender().send(delivery, never)).toMatchObject({ kind: 'failed', status });
    expect(inside.connections).toBe(0);
    await inside.stop();
  });

  it('101 is a failure', async () => {
    senders.receiver.answer = (response) =>
      response.writeHead(101, { connection: 'upgrade', upgrade: 'websocket' }).end();
    expect(await senders.sender().send(delivery, never)).toMatchObject({ kind: 'failed' });
  });
});

describe('a receiver that', () => {
  it('hangs costs the time limit', async () => {
    senders.receiver.answer = () => undefined;
    expect(await senders.sender({ timeoutMs: 200 }).send(delivery, never)).toEqual({
      kind: 'failed',
      reason: 'timeout',
    });
    await senders.receiver.allClosed();
  });

  it('sends its body byte by byte costs the time limit, and has not acknowledged', async () => {
    senders.receiver.answer = (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    };
    expect(await senders.sender({ timeoutMs: 3000 }).send(delivery, never)).toEqual({
      kind: 'failed',
      reason: 'timeout',
      status: 200,
    });
  });

  it('sends 100 MB is cut off after 64 kB, and has acknowledged', async () => {
    let written = 0;
    let closed: () => void = () => undefined;
    const end = new Promise<void>((resolve) => (closed = resolve));
    senders.receiver.answer = (response) => {
      response.writeHead(200, { 'content-length': 100_000_000 });
      const chunk = Buffer.alloc(65_536);
      const pump = (): void => {
        let more = true;
        while (more && written < 100_000_000) {
          more = response.write(chunk);
          written += chunk.length;
        }
      };
      response.on('drain', pump);
      response.on('close', () => closed());
      pump();
    };
    expect(await senders.sender().send(delivery, never)).toEqual({ kind: 'delivered', status: 200 });
    await end;
    expect(written).toBeLessThan(20_000_000);
  });

  it('closes amid its body has not acknowledged', async () => {
    senders.receiver.answer = (response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => response.destroy());
    };
    expect(await senders.sender().send(delivery, never)).toEqual({
      kind: 'failed',
      reason: 'response',
      status: 200,
    });
  });

  it('closes without a response has not acknowledged', async () => {
    senders.receiver.answer = (response) => response.destroy();
    expect(await senders.sender().send(delivery, never)).toEqual({ kind: 'failed', reason: 'response' });
  });

  it('does not listen is a failed connection', async () => {
    const stopped = await WebhookReceiver.start();
    const { url } = stopped;
    await stopped.stop();
    expect(await senders.sender({ url }).send(delivery, never)).toEqual({
      kind: 'failed',
      reason: 'connect',
    });
  });
});

describe('a receiver below HTTP that', () => {
  let server: Server;
  let onData: (write: (text: string) => boolean) => void;
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  beforeEach(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => onData((text) => socket.write(text)));
      senders.closeAfter({ close: () => void socket.destroy() });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => {
    server.close();
  });

  it('sends headers slowly costs the time limit', async () => {
    let timer: NodeJS.Timeout | undefined;
    onData = (write) => {
      write('HTTP/1.1 200 OK\r\n');
      timer = setInterval(() => write('x: y\r\n'), 20);
    };
    const result = await senders.sender({ url: url(), timeoutMs: 300 }).send(delivery, never);
    clearInterval(timer);
    expect(result).toEqual({ kind: 'failed', reason: 'timeout' });
  });

  test.each([
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['sends headers without end', `HTTP/1.1 200 OK\r\n${`x: ${'y'.repeat(1000)}\r\n`.repeat(20)}`],
    ['sends a bad chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
  ])('%s has not acknowledged', async (_, text) => {
    onData = (write) => write(text);
    expect(await senders.sender({ url: url() }).send(delivery, never)).toMatchObject({
      kind: 'failed',
      reason: 'response',
    });
  });
});
