import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HolderChanging, type Place } from '../../../src/http/forward/forwarder.js';
import { RpcError } from '../../../src/http/calls/errors.js';
import type { AuditLog, AuditRecord } from '../../../src/rpc/access/audit-log.js';
import { forwardingRecords } from '../../../src/rpc/calls/audit.js';
import type { WalletManager } from '../../../src/services/manager/wallet-manager.js';
import type { Json } from '../../../src/util/json.js';
import {
  startClusterProcess,
  testLogins,
  type ClusterProcess,
} from '../../support/processes/cluster-process.js';
import { startCuttingProxy, type CuttingProxy } from '../../support/network/cutting-proxy.js';
import { post, type Loose } from '../../support/network/json-rpc.js';
import { rawRequest } from '../../support/network/raw-http.js';
import { until, untilSteady } from '../../support/fakes/until.js';
import { randomRuns } from '../../support/fakes/random-runs.js';
import { isNight, itAtNight } from '../../support/jest/lanes.js';

const PATH = '/wallet/w/json_rpc';
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function start(options: Parameters<typeof startClusterProcess>[0]): Promise<ClusterProcess> {
  const started = await startClusterProcess(options);
  open.push(started);
  return started;
}

/** Two processes, of which the second one holds the wallet `w`. */
async function pair(
  options: Partial<Parameters<typeof startClusterProcess>[0]> = {},
  ofHolder: Partial<Parameters<typeof startClusterProcess>[0]> = {},
): Promise<{ door: ClusterProcess; holder: ClusterProcess }> {
  const door = await start({ ...options, name: 'door' });
  const holder = await start({ ...options, ...ofHolder, name: 'holder' });
  door.places.set('w', { url: holder.url });
  return { door, holder };
}

const ask = (method: string, params: unknown = {}): string => JSON.stringify({ id: 1, method, params });
const callAt = async (port: number, method: string, params?: unknown, headers = {}): Promise<Loose> =>
  JSON.parse((await post(port, PATH, ask(method, params), headers)).text);

const request = (body: string, headers: readonly string[] = [], path = PATH, method = 'POST'): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    'Authorization: Bearer shop',
    'Content-Type: application/json',
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');

/** Name, body, headers, path and method of a request. */
type Row = readonly [string, string, readonly string[], string?, string?];

describe('a request for a wallet of another process', () => {
  const logins = testLogins('shop');

  it.each([
    ['a call', ask('get_balance', { a: 1 }), []],
    ['a call with the path of the wallet encoded', ask('get_balance'), [], '/wallet/%77/json_rpc'],
    ['a call with a query', ask('get_balance'), [], `${PATH}?a=1&a=2`],
    ['an error with status and Retry-After', ask('denied'), []],
    ['an error with details', ask('denied'), ['Error-Details: yes']],
    ['a key', ask('pay'), ['Idempotency-Key: "k 1"']],
    ['a malformed key', ask('pay'), ['Idempotency-Key: k']],
    ['a batch', `[${ask('a')},${ask('b')},{"method":"c"}]`, []],
    ['notifications', '[{"method":"a"},{"method":"b"}]', []],
    ['no JSON', '{"id":1,', []],
    ['an empty body', '', []],
    ['an encoding', ask('a'), ['Content-Encoding: gzip']],
    ['an origin', ask('a'), ['Origin: https://shop.example']],
    ['another origin', ask('a'), ['Origin: https://other.example']],
    ['GET', '', [], PATH, 'GET'],
    ['a batch that is too long', `[${Array(101).fill(ask('a')).join(',')}]`, []],
    ['too many bytes for its method', ask('get', { text: 'x'.repeat(1 << 20) }), []],
  ] as readonly Row[])(
    'is answered as by that process: %s',
    async (_name, ...[body, headers, path, method]) => {
      const { door, holder } = await pair({ logins });
      const text = request(body, headers, path, method);
      const withoutDate = async (port: number): Promise<Loose> => {
        const answer = await rawRequest(port, text);
        return { ...answer, headers: answer.headers.filter(([name]) => name !== 'Date') };
      };
      const direct = await withoutDate(holder.port);
      const runs = holder.ran.splice(0);
      expect(direct.statusLine).toMatch(/^HTTP/);
      expect(await withoutDate(door.port)).toEqual(direct);
      expect(holder.ran).toEqual(runs);
      expect([door.ran, door.bugs, holder.bugs]).toEqual([[], [], []]);
    },
  );

  it('runs with the login, the address and the key of the client', async () => {
    const { door } = await pair({ logins });
    const headers = { authorization: 'Bearer shop', 'idempotency-key': '"k"' };
    expect(await callAt(door.port, 'get_balance', { a: 1 }, headers)).toEqual({
      ...{ id: 1, jsonrpc: '2.0' },
      result: { here: 'holder', target: 'w', key: 'k', login: 'shop', client: '127.0.0.1', params: { a: 1 } },
    });
  });

  it('is refused at the door without a login, and by the holder for a login that it lacks', async () => {
    const { door, holder } = await pair({ logins }, { logins: testLogins('other') });
    expect((await post(door.port, PATH, ask('a'))).status).toBe(401);
    expect(holder.refused).toEqual([]);
    const { status, text } = await post(door.port, PATH, ask('a'), { authorization: 'Bearer shop' });
    expect([status, JSON.parse(text).error.message]).toEqual([503, expect.stringMatching(/refuses.*login/)]);
    expect(holder.refused).toMatchObject([{ refusal: 'login' }]);
    expect(holder.ran).toEqual([]);
  });

  it('has the limits of its credential at the holder', async () => {
    const names = new Map([
      ['shop', { name: 'shop', refusalFrom: (ip: string) => ({ status: 403, reason: `no ${ip}` }) }],
    ]);
    const limited = { ...testLogins(), credential: (name: string) => names.get(name) };
    const { door, holder } = await pair({ logins }, { logins: limited });
    const { status, text } = await post(door.port, PATH, ask('a'), { authorization: 'Bearer shop' });
    expect([status, text]).toEqual([403, 'no 127.0.0.1\n']);
    expect(holder.ran).toEqual([]);
  });

  it('is answered here for a client that may not know of the wallet', async () => {
    const { door, holder } = await pair({
      logins,
      forward: { mayKnow: (_caller, target) => target !== 'w' },
    });
    expect((await callAt(door.port, 'a', {}, { authorization: 'Bearer shop' })).result.here).toBe('door');
    expect(holder.ran).toEqual([]);
  });

  it('is answered here without a wallet in its path', async () => {
    const { door } = await pair();
    expect(JSON.parse((await post(door.port, '/json_rpc', ask('a'))).text).result.here).toBe('door');
  });

  itAtNight('has up to 32 MiB, and no more', async () => {
    const { door, holder } = await pair();
    // At night nearly as many as are allowed, which takes seconds.
    const text = 'x'.repeat((isNight ? 30 : 4) << 20);
    expect((await callAt(door.port, 'long', { text })).result.params.text.length).toBe(text.length);
    const ran = holder.ran.length;
    const { status } = await post(door.port, PATH, ask('long', { text: 'x'.repeat(33 << 20) }));
    expect([status, holder.ran.length, door.ran.length]).toEqual([413, ran, 0]);
  });

  it('keeps its connection', async () => {
    let connections = 0;
    const { door, holder } = await pair({}, { login: { onMember: () => (connections += 1) } });
    for (let i = 0; i < 5; i++) await callAt(door.port, 'a');
    expect([holder.ran.length, connections]).toEqual([5, 1]);
  });

  itAtNight('arrives whole in chunks of any size, and so does its answer', async () => {
    const { door, holder } = await pair();
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }),
        fc.array(fc.integer({ min: 0, max: 100_000 }), { maxLength: 12 }),
        async (text, cuts, sizes) => {
          for (const body of [ask('echo', { text }), ask('pages', { sizes })]) {
            const bytes = Buffer.from(body);
            const answers = await Promise.all(
              [door.port, holder.port].map((port) => sendInChunks(port, bytes, cuts)),
            );
            expect(answers[0]).toBe(answers[1]);
            expect(answers[0]).toContain('"result"');
          }
        },
      ),
      { numRuns: randomRuns(25) },
    );
    expect([door.bugs, holder.bugs]).toEqual([[], []]);
  });
});

/** Sends a body in HTTP chunks of given sizes. @returns the body of the answer. */
async function sendInChunks(port: number, body: Buffer, cuts: readonly number[]): Promise<string> {
  const chunks = async function* (): AsyncGenerator<Buffer> {
    for (let at = 0, i = 0; at < body.length; i++) {
      const size = cuts[i % cuts.length] ?? 1;
      yield body.subarray(at, at + size);
      at += size;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`, {
    method: 'POST',
    body: chunks() as unknown as string,
    duplex: 'half',
  } as RequestInit);
  return response.text();
}

describe('a long answer', () => {
  const sizes = Array<number>(isNight ? 200 : 60).fill(100_000);

  it('arrives complete', async () => {
    const { door } = await pair();
    const { result } = await callAt(door.port, 'pages', { sizes });
    expect(result.list.map((row: string) => row.length)).toEqual(sizes);
  });

  it('is read no faster than its client reads', async () => {
    const { door, holder } = await pair();
    const socket = connect(door.port, '127.0.0.1');
    const body = ask('pages', { sizes: Array(300).fill(100_000) });
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    socket.pause();
    await until('the call', () => holder.ran.length === 1);
    const pages = await untilSteady('the pages in buffers', holder.pagesRead);
    // Buffers of four sockets, and a mebibyte in each process.
    expect(pages).toBeLessThan(250);
    let length = 0;
    socket.on('data', (part: Buffer) => (length += part.length)).resume();
    await until('the end of the answer', () => length > 30_000_000);
    expect(holder.pagesRead()).toBe(300);
    socket.destroy();
  });

  it('breaks off for the client when the holder dies', async () => {
    let proxy: CuttingProxy | undefined;
    const { door } = await pair(
      {},
      {
        seenAt: async (port) => {
          proxy = await startCuttingProxy(port);
          open.push(proxy);
          return proxy.url;
        },
      },
    );
    const response = await fetch(`http://127.0.0.1:${door.port}${PATH}`, {
      method: 'POST',
      body: ask('pages', { sizes: Array(2_000).fill(100_000) }),
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    proxy?.cut();
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow();
    expect((await callAt(door.port, 'a')).result.here).toBe('holder');
  });
});

describe('an event stream of another process', () => {
  const streaming = () => {
    const asked: Loose[] = [];
    const events: { id: number; type: string; data: string }[] = [];
    let isGone = false;
    let wake: () => void = () => undefined;
    return {
      asked,
      gone: () => isGone,
      push(id: number) {
        events.push({ id, type: 'payment.seen', data: '{}' });
        wake();
      },
      source: (target: string | undefined, caller: Loose, lastEventId?: string) => {
        asked.push({ target, login: caller.login?.name, lastEventId });
        return {
          next: () => events.splice(0),
          wait: (_ms: number, signal: AbortSignal) =>
            new Promise<void>((resolve) => {
              wake = resolve;
              signal.addEventListener('abort', () => {
                isGone = true;
                resolve();
              });
            }),
          isClosed: false,
        };
      },
    };
  };

  it('arrives event by event with the headers of the stream, and ends with its client', async () => {
    const stream = streaming();
    const { door, holder } = await pair({ source: stream.source });
    const abort = new AbortController();
    const response = await fetch(`http://127.0.0.1:${door.port}/wallet/w/events`, {
      headers: { 'last-event-id': '7' },
      signal: abort.signal,
    });
    const { headers } = response;
    expect([
      headers.get('content-type'),
      headers.get('connection'),
      headers.get('x-accel-buffering'),
    ]).toEqual(['text/event-stream; charset=utf-8', 'close', 'no']);
    expect(headers.has('cluster-answer')).toBe(false);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const read = async (): Promise<string> => Buffer.from((await reader.read()).value ?? []).toString();
    expect(await read()).toBe('retry: 2000\n\n');
    for (const id of [1, 2]) {
      stream.push(id);
      expect(await read()).toBe(`id: ${id}\nevent: payment.seen\ndata: {}\n\n`);
    }
    expect(stream.asked).toEqual([{ target: 'w', login: undefined, lastEventId: '7' }]);
    abort.abort();
    await until('the end of the stream', stream.gone);
    expect([door.bugs, holder.bugs]).toEqual([[], []]);
  });

  it('begins at the holder that takes over', async () => {
    const stream = streaming();
    const { door, holder } = await pair({ source: stream.source });
    let looked = 0;
    door.places.set('w', () =>
      Promise.resolve({ url: (looked += 1) < 5 ? 'http://127.0.0.1:1' : holder.url }),
    );
    const response = await fetch(`http://127.0.0.1:${door.port}/wallet/w/events`);
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  it('of all wallets is that of the process itself', async () => {
    const stream = streaming();
    const { door } = await pair({ source: stream.source });
    const response = await fetch(`http://127.0.0.1:${door.port}/events`);
    await response.body?.cancel();
    expect(stream.asked).toMatchObject([{ target: undefined }]);
  });
});

describe('a wallet that moves', () => {
  it('delays a call that its old holder refuses', async () => {
    const { door, holder } = await pair();
    const old = await start({ name: 'old' });
    old.places.set('w', { url: holder.url });
    let looked = 0;
    door.places.set('w', () => Promise.resolve({ url: (looked += 1) < 3 ? old.url : holder.url }));
    expect((await callAt(door.port, 'pay')).result.here).toBe('holder');
    expect([looked, old.ran.length, holder.ran.length]).toEqual([3, 0, 1]);
  });

  it('delays a call while nobody holds it, at the door and at the holder', async () => {
    const { door, holder } = await pair();
    const changing = (place: Place) => {
      let looked = 0;
      return (): Promise<Place> =>
        (looked += 1) > 2 ? Promise.resolve(place) : Promise.reject(new HolderChanging('moves'));
    };
    door.places.set('w', changing({ url: holder.url }));
    holder.places.set('w', changing('here'));
    expect((await callAt(door.port, 'pay')).result.here).toBe('holder');
    expect(holder.ran).toHaveLength(1);
  });

  it('is served here once this process takes it', async () => {
    const { door } = await pair();
    let looked = 0;
    door.places.set('w', () =>
      Promise.resolve((looked += 1) < 3 ? { url: 'http://127.0.0.1:1' } : ('here' as const)),
    );
    expect((await callAt(door.port, 'pay', { a: 1 })).result).toMatchObject({
      here: 'door',
      params: { a: 1 },
    });
  });

  it('is kept until the call is answered, also if the client is gone', async () => {
    let end: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (end = resolve));
    const methods = { slow: async () => (await slow, {}) };
    const { door, holder } = await pair({ methods });
    let kept = 0;
    const keep = (): Promise<Place> => {
      kept += 1;
      return Promise.resolve({ release: () => void (kept -= 1) });
    };
    holder.places.set('w', keep);
    const answer = callAt(door.port, 'slow');
    await until('the call', () => holder.ran.length === 1);
    expect(kept).toBe(1);
    end();
    await answer;
    await until('the release', () => kept === 0);
    door.places.set('w', keep);
    await callAt(door.port, 'a');
    await until('the release', () => kept === 0);
    const abort = new AbortController();
    const lost = fetch(`http://127.0.0.1:${door.port}${PATH}`, {
      method: 'POST',
      body: ask('a'),
      signal: abort.signal,
    });
    abort.abort();
    await expect(lost).rejects.toThrow();
    await until('the release', () => kept === 0);
  });

  it('gives up in time, and says that nothing has run', async () => {
    const { door } = await pair({ forward: { patienceMs: 300 } });
    door.places.set('w', { url: 'http://127.0.0.1:1' });
    const { status, text } = await post(door.port, PATH, ask('pay'));
    expect([status, JSON.parse(text)]).toEqual([
      503,
      {
        id: 1,
        jsonrpc: '2.0',
        error: { code: -67, message: expect.stringMatching(/^w is not reached: .*ECONNREFUSED/) },
      },
    ]);
  });

  it('is refused as its look-up says', async () => {
    const { door } = await pair();
    door.places.set('w', () => Promise.reject(new RpcError(-1, 'no quorum', { status: 503 })));
    const { status, text } = await post(door.port, PATH, `[${ask('a')},{"method":"b"}]`);
    expect([status, JSON.parse(text)]).toEqual([
      200,
      [{ id: 1, jsonrpc: '2.0', error: { code: -1, message: 'no quorum' } }],
    ]);
    expect((await post(door.port, PATH, ask('a'))).status).toBe(503);
  });

  it('is passed on once only', async () => {
    const { door, holder } = await pair({ forward: { patienceMs: 300 } });
    holder.places.set('w', { url: door.url });
    const { error } = await callAt(door.port, 'a');
    expect(error.message).toMatch(/not-holder/);
    expect([door.ran, holder.ran]).toEqual([[], []]);
  });
});

describe('the trace of a request', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

  itAtNight('goes with it to the process that holds the wallet', async () => {
    const { door, holder } = await pair();
    await callAt(door.port, 'get_balance', {}, { traceparent });
    await callAt(holder.port, 'get_balance', {}, { traceparent });
    expect([door.ran.length, holder.ran.map(({ trace }) => trace?.traceparent)]).toEqual([
      0,
      [traceparent, traceparent],
    ]);
  });

  it('is ignored, and no error, where its header is malformed or given twice', async () => {
    const { door, holder } = await pair();
    const body = ask('get_balance');
    for (const headers of [
      [`traceparent: ${traceparent}0`],
      [`Traceparent: ${traceparent}`, `traceparent: ${traceparent}`],
    ])
      expect((await rawRequest(door.port, request(body, headers))).statusLine).toContain('200');
    expect(holder.ran.map(({ trace }) => trace)).toEqual([undefined, undefined]);
  });
});

describe('the record of a request', () => {
  const logins = testLogins('shop');
  const headers = { authorization: 'Bearer shop' };
  const line = { credential: 'shop', client: '127.0.0.1', wallet: 'w' };

  it('is made for each call that is answered here with an error, and for no other', async () => {
    const lines: AuditRecord[] = [];
    const log = { record: (record: AuditRecord) => lines.push(record) } as unknown as AuditLog;
    const records = forwardingRecords({} as WalletManager, log, (bug) => {
      throw bug;
    });
    const { door } = await pair({ logins, forward: { patienceMs: 300, records } }, { forward: {} });
    await callAt(door.port, 'get_balance', {}, headers);
    // Requests whose login fails are no calls, nor are signed requests that are refused.
    await callAt(door.port, 'get_balance').catch(() => undefined);
    await post(door.port, PATH, ask('get_balance'), { 'cluster-request': '2 no signature' });
    expect(lines).toEqual([]);
    door.places.set('w', { url: 'http://127.0.0.1:1' });
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await callAt(door.port, 'transfer', { secret: 7 }, { ...headers, traceparent });
    await post(door.port, PATH, `[${ask('get_balance')},{"method":"transfer"}]`, headers);
    door.places.set('w', () => Promise.reject(new RpcError(-1, 'no quorum', { status: 503 })));
    await callAt(door.port, 'transfer', {}, headers);
    expect(lines.splice(0)).toEqual([
      { ...line, method: 'transfer', outcome: -67, traceparent },
      { ...line, method: 'get_balance', outcome: -67 },
      { ...line, method: 'transfer', outcome: -67 },
      { ...line, method: 'transfer', outcome: -1 },
    ]);
  });

  it('is made for an event stream that does not begin', async () => {
    const lines: AuditRecord[] = [];
    const log = { record: (record: AuditRecord) => lines.push(record) } as unknown as AuditLog;
    const records = forwardingRecords({} as WalletManager, log, () => undefined);
    const source = (): Loose => {
      throw new Error('it is not opened here');
    };
    const { door } = await pair({ logins, source, forward: { patienceMs: 300, records } });
    door.places.set('w', { url: 'http://127.0.0.1:1' });
    const { status } = await fetch(`http://127.0.0.1:${door.port}/wallet/w/events`, { headers });
    expect([status, lines]).toEqual([503, [{ ...line, method: 'events', outcome: 503 }]]);
  });
});

describe('a holder that is lost', () => {
  /** A pair whose holder is lost when a call begins, and comes back. */
  async function losing(times = 1) {
    let proxy: CuttingProxy | undefined;
    let lost = 0;
    const cut = (): Promise<Json> => {
      if ((lost += 1) <= times) proxy?.cut();
      return Promise.resolve({ lost: BigInt(lost) });
    };
    const world = await pair(
      {},
      {
        methods: { pay: cut, get_lost: cut, sweep: cut },
        seenAt: async (port) => {
          proxy = await startCuttingProxy(port);
          open.push(proxy);
          return proxy.url;
        },
      },
    );
    return { ...world, proxy: proxy as unknown as CuttingProxy };
  }

  it('fails a payment with an unknown outcome once it was sent', async () => {
    const { door, holder } = await losing();
    for (const method of ['pay', 'sweep']) {
      const { id, error } = await callAt(door.port, method);
      if (method === 'pay')
        expect([id, error.code, error.message]).toEqual([1, -66, expect.stringMatching(/unknown/)]);
      else expect(error).toBeUndefined();
    }
    expect(holder.ran.map(({ method }) => method)).toEqual(['pay', 'sweep']);
  });

  it('repeats a read, and a payment under its key', async () => {
    const { door, holder } = await losing(2);
    expect((await callAt(door.port, 'get_lost')).result.lost).toBe(3);
    expect(holder.ran).toHaveLength(3);
    const again = await losing();
    expect((await callAt(again.door.port, 'pay', { idempotency_key: 'a' })).result.lost).toBe(2);
    const third = await losing();
    expect((await callAt(third.door.port, 'pay', {}, { 'idempotency-key': '"a"' })).result.lost).toBe(2);
  });

  it('fails a method that ignores its key', async () => {
    const { door, holder } = await losing();
    const { error } = await callAt(door.port, 'sweep', {}, { 'idempotency-key': '"a"' });
    expect(error.code).toBe(-66);
    expect(holder.ran).toHaveLength(1);
  });

  it('fails a batch of which one call is not repeatable', async () => {
    const { door, holder } = await losing();
    const { text } = await post(door.port, PATH, `[${ask('get_lost')},${ask('pay')}]`);
    expect(JSON.parse(text).map(({ error }: Loose) => error.code)).toEqual([-66, -66]);
    await until('the call', () => holder.ran.length > 0);
  });

  it('repeats a read at most twice', async () => {
    const { door, holder } = await losing(99);
    expect((await callAt(door.port, 'get_lost')).error.code).toBe(-66);
    expect(holder.ran).toHaveLength(3);
  });

  it('does not fail a payment whose connection breaks before its body was sent', async () => {
    const { door, holder, proxy } = await losing(0);
    proxy.cutNextAnswer();
    expect((await callAt(door.port, 'pay')).result.lost).toBe(1);
    await until('the call', () => holder.ran.length === 1);
    expect(door.failed).toEqual([expect.stringMatching(/did not answer: ECONNRESET/)]);
    // Idle connections that end are no failure.
    proxy.cut();
    expect((await callAt(door.port, 'pay')).result.lost).toBe(2);
  });

  it('does not delay a call for ever if it accepts connections only', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { door, holder } = await pair({ forward: { acceptMs: 1000 } });
    let looked = 0;
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    door.places.set('w', () => Promise.resolve({ url: (looked += 1) < 2 ? url : holder.url }));
    expect((await callAt(door.port, 'pay')).result.here).toBe('holder');
    silent.close();
  });

  it('does not delay a call for ever if it switches to another protocol', async () => {
    const other = createServer((socket) =>
      socket
        .on('error', () => undefined)
        .once('data', () => socket.end('HTTP/1.1 101 Other\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')),
    );
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { door, holder } = await pair();
    let looked = 0;
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    door.places.set('w', () => Promise.resolve({ url: (looked += 1) < 2 ? url : holder.url }));
    expect((await callAt(door.port, 'pay')).result.here).toBe('holder');
    other.close();
  });

  it('ends the wait for its answer once another process holds the wallet', async () => {
    const methods = { pay: () => new Promise<Json>(() => undefined) };
    const { door, holder } = await pair({ methods, forward: { watchMs: 20 } });
    const other = await start({ name: 'other' });
    const answer = callAt(door.port, 'pay');
    await until('the call', () => holder.ran.length === 1);
    door.places.set('w', { url: other.url });
    expect((await answer).error.code).toBe(-66);
    const keyed = callAt(door.port, 'pay', { idempotency_key: 'a' });
    expect((await keyed).result.here).toBe('other');
  });

  it('is told when the client is gone', async () => {
    let isClosed = false;
    const { door, holder } = await pair({
      methods: { slow: () => new Promise<Json>(() => undefined) },
      login: { onMember: (socket) => socket.once('end', () => (isClosed = true)) },
    });
    const body = ask('slow');
    const socket = connect(door.port, '127.0.0.1');
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await until('the call', () => holder.ran.length === 1);
    expect(isClosed).toBe(false);
    socket.resetAndDestroy();
    await until('the end of the connection', () => isClosed);
    expect([door.bugs, door.failed]).toEqual([[], []]);
  });
});

it('does not count the connections of other processes against the limits', async () => {
  let end: () => void = () => undefined;
  const slow = new Promise<Json>((resolve) => (end = () => resolve({})));
  const methods = { slow: () => slow };
  const { door, holder } = await pair({}, { methods, maxConnections: 4 });
  const answers = Array.from({ length: 20 }, async () => (await post(door.port, PATH, ask('slow'))).status);
  await until('all calls', () => holder.ran.length === 20);
  end();
  expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
  expect(holder.ran).toHaveLength(20);
});

it('continues requests of clients that keep their body back', async () => {
  const { door } = await pair();
  const body = ask('a');
  const socket = connect(door.port, '127.0.0.1');
  socket.write(
    `POST ${PATH} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  const [first] = (await once(socket, 'data')) as [Buffer];
  expect(first.toString()).toMatch(/^HTTP\/1.1 100 Continue/);
  socket.write(body);
  const [second] = (await once(socket, 'data')) as [Buffer];
  expect(second.toString()).toMatch(/"here":"holder"/);
  socket.destroy();
});
