import { describe, expect, it, test, afterEach } from '@jest/globals';
import fc from 'fast-check';
import { EventStreamParser, followEvents, type StreamTimes } from '../../src/client/events.js';
import type { ServerResponse } from 'node:http';
import { createClient, type EventOptions, type WalletEvent } from '../../src/client/client.js';
import type { WalletClientError } from '../../src/client/errors.js';
import { Login, HttpTransport } from '../../src/client/transport.js';
import { freePort } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { startScriptedServer, type Script, type ScriptedServer } from '../support/network/scripted-server.js';
import { randomRuns } from '../support/fakes/random-runs.js';

const parse = (...parts: string[]) => {
  const parser = new EventStreamParser();
  return parts.flatMap((part) => parser.write(part));
};
const TEXT = 'retry: 2000\n\nid: 1\nevent: a\ndata: {"x":1}\n\n:\n\nid: 2\nevent: b\ndata: y\ndata: z\n\n';
const MESSAGES = [
  { id: '1', type: 'a', data: '{"x":1}' },
  { id: '2', type: 'b', data: 'y\nz' },
];

describe('the parser of event streams', () => {
  it('reads messages, and skips comments and messages without data', () => {
    expect(parse(TEXT)).toEqual(MESSAGES);
  });

  test.each(['\r', '\r\n', '\n'])('reads lines that end with %j, in parts of any length', (end) => {
    const text = TEXT.replaceAll('\n', end);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), text.length];
        const parts = at.slice(1).map((to, i) => text.slice(at[i], to));
        // A carriage return at the end may be half of a line end.
        expect(parse(...parts, ...(end === '\r' ? [':'] : []))).toEqual(MESSAGES);
      }),
      { numRuns: randomRuns(100) },
    );
  });

  it('reads a carriage return at the end of a part as half of a line end only if a line feed follows', () => {
    expect(parse('data: x\r', '', '\n\r', '\n')).toEqual([{ id: '', type: '', data: 'x' }]);
    expect(parse('data: x\r', '\r', 'data: y')).toEqual([{ id: '', type: '', data: 'x' }]);
    expect(parse('data: x\r', 'data: y\r\r', '\n')).toEqual([{ id: '', type: '', data: 'x\ny' }]);
  });

  // A parser that joins the line with each part copies some 10^12 characters and exceeds the time limit of the test.
  it('joins the parts of a long line once', () => {
    const parser = new EventStreamParser();
    const part = 'x'.repeat(16);
    parser.write('data: ');
    for (let i = 0; i < 1 << 19; i++) parser.write(part);
    const [message] = parser.write('\n\n');
    expect(message?.data).toHaveLength(16 << 19);
  });

  it('reports no message that is cut off', () => {
    expect(parse('id: 1\ndata: x\n')).toEqual([]);
    expect(parse('id: 1\ndata: x\n', '\n')).toEqual([{ id: '1', type: '', data: 'x' }]);
  });
});

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const TIMES: StreamTimes = { firstDelay: 1, maxDelay: 4, maxSilence: 100 };

const textOf = (id: number): string =>
  `id: ${id}\nevent: wallet.synced\ndata: {"id":${id},"type":"wallet.synced","data":{"height":${id}},"wallet":"w"}\n\n`;

const begin = (res: ServerResponse): ServerResponse =>
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });

/** Cursor of a request. */
const cursorOf = (url: string): number => Number(new URL(url, 'http://x').searchParams.get('after') ?? 0);

async function serve(script: Script, port?: number): Promise<ScriptedServer> {
  const server = await startScriptedServer(script, port);
  ends.push(() => server.close());
  return server;
}

/** Follows the events at an address with short delays. */
function follow(url: string, options: EventOptions = {}, times = TIMES) {
  const { hostname: host, port, host: name } = new URL(url);
  const address = { host, port: Number(port), tls: false, fingerprints: [] };
  const transport = new HttpTransport(address, name, new Login(undefined), 1);
  ends.push(() => transport.close());
  return followEvents({ transport, path: '/events', times }, options);
}

/** Ids of the next events. */
async function take(events: AsyncIterable<WalletEvent>, count: number): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of events) if (ids.push(id) === count) break;
  return ids;
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);

describe('the events of a client', () => {
  it('are asked for by wallet, cursor and types, and have bigints', async () => {
    const server = await serve(
      (_, res) =>
        void begin(res).write(
          'id: 8\nevent: payment.seen\ndata: {"id":8,"type":"payment.seen","data":{"amount":18446744073709551615}}\n\n',
        ),
    );
    const client = createClient({ url: server.url });
    ends.push(() => client.close());
    const types = ['payment.seen', 'payment.mined'] as const;
    for await (const event of client.wallet('hot wallet').events({ after: 7, types })) {
      expect(event).toEqual({ id: 8, type: 'payment.seen', data: { amount: 2n ** 64n - 1n } });
      break;
    }
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/wallet/hot%20wallet/events?after=7&types=payment.seen,payment.mined',
    ]);
  });

  it.each([
    ['not JSON', '{"id":', 'an event is not JSON'],
    ['without an id', '{"type":"wallet.synced"}', 'an event has no id'],
    ['no object', '5', 'an event has no id'],
    [
      'nested too deeply',
      `{"id":5,"data":${'['.repeat(200)}${']'.repeat(200)}}`,
      'an event is nested too deeply',
    ],
  ])('end with an error when one is %s', async (_, data, message) => {
    const server = await serve((_req, res) => void begin(res).write(`${textOf(4)}data: ${data}\n\n`));
    const events = follow(server.url);
    await expect(take(events, 2)).rejects.toMatchObject({
      ...{ name: 'WalletHttpError', message: `HTTP status 200: ${message}` },
    });
  });

  it('arrive once and in order, wherever their connection is cut', async () => {
    let cut = 0;
    const server = await serve(({ url }, res) => {
      const rest = upTo(20).slice(cursorOf(url));
      const text = rest.map(textOf).join('');
      // A different place each time: in the middle of an event, between two, and at once.
      cut = (cut * 7 + 61) % 300;
      begin(res).write(text.slice(0, cut), () => (cut % 2 === 0 ? res.destroy() : res.end()));
    });
    expect(await take(follow(server.url), 20)).toEqual(upTo(20));
    expect(server.requests.length).toBeGreaterThan(5);
  });

  it('are not repeated where the server sends some again', async () => {
    const server = await serve((_, res) => void begin(res).end([1, 2, 2, 1, 3].map(textOf).join('')));
    expect(await take(follow(server.url, { after: 1 }), 2)).toEqual([2, 3]);
  });

  it('go on after a restart of the server, during which it cannot be reached', async () => {
    const port = await freePort();
    const script: Script = ({ url }, res) => void begin(res).write(textOf(cursorOf(url) + 1));
    const first = await startScriptedServer(script, port);
    let refused = (): void => undefined;
    const isDown = new Promise<void>((resolve) => (refused = resolve));
    const onRetry = ({ cause }: WalletClientError): void => {
      if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED') refused();
    };
    const events = follow(first.url, { onRetry });
    expect((await events.next()).value?.id).toBe(1);
    await first.close();
    const second = events.next();
    await isDown;
    await serve(script, port);
    expect((await second).value?.id).toBe(2);
    await events.return(undefined as never);
  });

  it('go on after a refusal that passes, and when their wallet is opened again', async () => {
    const statuses = [200, 503, 404, 429, 502, 200];
    const server = await serve((_, res) => {
      const status = statuses.shift() ?? 200;
      if (status === 200) begin(res).end(textOf(7 - statuses.length));
      else res.writeHead(status).end();
    });
    const reported: (number | undefined)[] = [];
    const onRetry = (error: WalletClientError) =>
      reported.push('status' in error ? Number(error.status) : undefined);
    expect(await take(follow(server.url, { onRetry }), 2)).toEqual([2, 7]);
    expect(reported).toEqual([undefined, 503, 404, 429, 502]);
  });

  it('wait as long as the server asks', async () => {
    const server = await serve((_, res) => void res.setHeader('retry-after', '3').writeHead(429).end());
    const delays: number[] = [];
    const controller = new AbortController();
    const onRetry = (_: unknown, delay: number) => {
      delays.push(delay);
      controller.abort();
    };
    await expect(follow(server.url, { onRetry, signal: controller.signal }).next()).rejects.toThrow();
    expect(delays).toEqual([3000]);
  });

  it('wait not much longer than the server asks, however often it has answered before', async () => {
    const server = await serve((_, res) => void res.setHeader('retry-after', '1').writeHead(503).end());
    const delays: number[] = [];
    const controller = new AbortController();
    const onRetry = (_: unknown, delay: number) => {
      delays.push(delay);
      controller.abort();
    };
    // The delay that the stream would have after many failures.
    const times = { ...TIMES, firstDelay: 30_000, maxDelay: 30_000 };
    await expect(follow(server.url, { onRetry, signal: controller.signal }, times).next()).rejects.toThrow();
    expect(delays).toHaveLength(1);
    expect(delays[0]).toBeLessThanOrEqual(2_000);
  });

  it('go on where a connection is silent', async () => {
    const server = await serve(({ url }, res) => {
      begin(res).write(server.requests.length === 2 ? '' : textOf(cursorOf(url) + 1));
    });
    expect(await take(follow(server.url), 2)).toEqual([1, 2]);
    expect(server.requests.length).toBeGreaterThan(2);
  });

  it('keep a connection that sends comments only', async () => {
    const timers: NodeJS.Timeout[] = [];
    ends.push(() => timers.forEach(clearInterval));
    const server = await serve((_, res) => {
      begin(res).write(':\n\n');
      // The comments take longer than the longest silence.
      let comments = 0;
      timers.push(setInterval(() => res.write(++comments < 40 ? ':\n\n' : textOf(1)), 50));
    });
    expect(await take(follow(server.url, {}, { ...TIMES, maxSilence: 1_500 }), 1)).toEqual([1]);
    expect(server.requests).toHaveLength(1);
  });

  test.each([400, 401, 403, 404, 410])('end with the error of status %d', async (status) => {
    const server = await serve(
      (_, res) =>
        void res.writeHead(status, { 'content-type': 'text/plain' }).end('the oldest cursor is 7\n'),
    );
    await expect(follow(server.url).next()).rejects.toMatchObject({
      ...{ name: 'WalletHttpError', status, method: 'events' },
      message: `HTTP status ${status}: the oldest cursor is 7`,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('end with their signal, whose reason they throw, also while they wait to connect again', async () => {
    const server = await serve((_, res) => void begin(res).write(textOf(1)));
    for (const url of [server.url, `http://127.0.0.1:${await freePort()}`]) {
      const controller = new AbortController();
      const abort = (): void => controller.abort(new Error('enough'));
      const times = { ...TIMES, firstDelay: 60_000, maxDelay: 60_000 };
      const events = follow(url, { signal: controller.signal, onRetry: () => setImmediate(abort) }, times);
      if (url === server.url) await events.next();
      const next = events.next();
      if (url === server.url) setImmediate(abort);
      await expect(next).rejects.toThrow('enough');
      expect(await events.next()).toEqual({ done: true, value: undefined });
    }
  });

  it('close their connection when the loop is left, and when the client is closed', async () => {
    let open = 0;
    const server = await serve((_, res) => {
      open += 1;
      res.once('close', () => (open -= 1));
      begin(res).write(textOf(1));
    });
    expect(await take(follow(server.url), 1)).toEqual([1]);
    const client = createClient({ url: server.url });
    const events = client.events();
    await events.next();
    const next = events.next();
    client.close();
    await expect(next).rejects.toThrow('the client was closed');
    await until('the end of the connections', () => open === 0);
  });
});
