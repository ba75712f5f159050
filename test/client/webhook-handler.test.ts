import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, jest, test } from '@jest/globals';
import express from 'express';
import {
  seenInMemory,
  webhookHandler,
  type SeenEvents,
  type WalletEvent,
  type WebhookHandler,
  type WebhookHandlerOptions,
} from '../../src/client/client.js';
import {
  createSecret,
  formatSecret,
  parseSecret,
  signatureHeaders,
} from '../../src/net/webhooks/signature.js';
import { until } from '../support/fakes/until.js';

const SECRET = formatSecret(createSecret());
const bodyOf = (type: string): string =>
  `{"type":"${type}","timestamp":"2026-01-02T03:04:05.006Z","data":{"amount":18446744073709551615},"wallet":"shop"}`;
const BODY = bodyOf('payment.mined');

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Sends a delivery, and returns status and text of the answer. */
type Deliver = (id: number | string, changed?: RequestInit) => Promise<{ status: number; text: string }>;

const requestOf = (id: number | string, changed: RequestInit = {}): RequestInit => {
  const body = typeof changed.body === 'string' ? changed.body : BODY;
  const message = { id: String(id), timestamp: Math.floor(Date.now() / 1000), body };
  const headers = { ...signatureHeaders(message, [parseSecret(SECRET)]), 'content-type': 'application/json' };
  return { method: 'POST', headers, body, ...changed };
};

const answerOf = async (response: Response) => ({ status: response.status, text: await response.text() });

/** Serves requests, and returns how to send deliveries to them. */
async function serve(
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<Deliver> {
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`;
  return async (id, changed) => answerOf(await fetch(url, requestOf(id, changed)));
}

/** Ways in which a handler gets requests. */
const WAYS: Readonly<Record<string, (handler: WebhookHandler) => Promise<Deliver>>> = {
  'node:http': ({ express: handle }) => serve(handle),
  Express: ({ express: handle }) => serve(express().post('/webhook', handle)),
  'Express behind express.raw': ({ express: handle }) =>
    serve(
      express()
        .use(express.raw({ type: 'application/json' }))
        .post('/webhook', handle),
    ),
  'Express behind express.text': ({ express: handle }) =>
    serve(
      express()
        .use(express.text({ type: '*/*' }))
        .post('/webhook', handle),
    ),
  Fetch: ({ fetch: handle }) =>
    Promise.resolve(async (id, changed) =>
      answerOf(await handle(new Request('http://shop/webhook', requestOf(id, changed)))),
    ),
};

/** Creates a handler that records events and errors. */
function recording(options: Partial<WebhookHandlerOptions> = {}) {
  const events: WalletEvent[] = [];
  const errors: unknown[] = [];
  const handler = webhookHandler({
    ...{ secret: SECRET, onEvent: (event) => events.push(event), onError: (error) => errors.push(error) },
    ...options,
  });
  return { handler, events, errors };
}

describe.each(Object.entries(WAYS))('a handler with %s', (way, open) => {
  it('passes each event on once, with every digit, and answers 204', async () => {
    const { handler, events, errors } = recording();
    const deliver = await open(handler);
    for (const id of [7, 8, 7]) expect(await deliver(id)).toEqual({ status: 204, text: '' });
    expect(events.map(({ id }) => id)).toEqual([7, 8]);
    expect(events[0]).toMatchObject({
      type: 'payment.mined',
      data: { amount: 2n ** 64n - 1n },
      wallet: 'shop',
    });
    expect(errors).toEqual([]);
  });

  it('refuses requests that the server did not sign, with 4xx', async () => {
    const { handler, events, errors } = recording();
    const deliver = await open(handler);
    const headers = { 'content-type': 'application/json' };
    expect((await deliver(7, { headers })).status).toBe(400);
    expect((await deliver(7, { headers: { ...requestOf(8).headers, 'webhook-id': '7' } })).status).toBe(401);
    const old = signatureHeaders({ id: '7', timestamp: 1_000, body: BODY }, [parseSecret(SECRET)]);
    expect((await deliver(7, { headers: { ...headers, ...old } })).status).toBe(401);
    expect((await deliver(7, { body: '[]' })).status).toBe(400);
    expect(events).toEqual([]);
    expect(errors.map((error) => (error as { reason: string }).reason)).toEqual([
      'headers',
      'signature',
      'timestamp',
      'body',
    ]);
  });

  it('answers 500 for an error of the shop, and passes the event on when it comes again', async () => {
    let failures = 2;
    const seen: number[] = [];
    const { handler, errors } = recording({
      onEvent: async ({ id }) => {
        if (failures-- > 0) throw new Error('the database is down');
        seen.push(id);
      },
    });
    const deliver = await open(handler);
    for (const status of [500, 500, 204, 204]) {
      const { status: answered, text } = await deliver(7);
      expect(answered).toBe(status);
      expect(text).not.toContain('database');
    }
    expect(seen).toEqual([7]);
    expect(errors).toHaveLength(2);
  });

  it('answers only once the function of the shop has ended, also a repetition of the same event', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { handler, events } = recording({
      onEvent: async (event) => {
        events.push(event);
        await held;
      },
    });
    const deliver = await open(handler);
    let answered = 0;
    const both = [7, 7].map(async (id) => {
      const { status } = await deliver(id);
      answered += 1;
      return status;
    });
    await until('the event', () => events.length > 0);
    expect((await deliver('test_1', { body: bodyOf('webhook.test') })).status).toBe(204);
    expect([events.length, answered]).toEqual([1, 0]);
    release();
    expect(await Promise.all(both)).toEqual([204, 204]);
    expect(events).toHaveLength(1);
  });

  it('answers a delivery of test_webhook, and passes it to nobody', async () => {
    const { handler, events } = recording();
    const deliver = await open(handler);
    expect((await deliver('test_ff', { body: bodyOf('webhook.test') })).status).toBe(204);
    expect(events).toEqual([]);
  });

  it('refuses a body that is too large, without reading all of it', async () => {
    const { handler, events } = recording();
    const deliver = await open(handler);
    const body = `{"a":"${'x'.repeat(3 << 20)}"}`;
    // A body that is not read to its end may cost the client its connection.
    const status = await deliver(7, { body }).then(
      (answer) => answer.status,
      () => 413,
    );
    // Express reads the body before the handler sees it, up to a limit of its own.
    expect(status).toBe(413);
    expect(events).toEqual([]);
    expect((await deliver(8)).status).toBe(204);
  });

  if (!way.startsWith('Express'))
    it('takes POST only', async () => {
      const { handler, errors } = recording();
      const deliver = await open(handler);
      expect((await deliver(7, { method: 'PUT' })).status).toBe(405);
      expect(errors).toEqual([]);
    });
});

describe('a handler whose body a parser has taken', () => {
  const says = expect.stringContaining('mount the webhook before express.json()');

  test.each([
    [
      'express.json',
      ({ express: handle }: WebhookHandler) => serve(express().use(express.json()).post('/webhook', handle)),
    ],
    [
      'a platform that leaves an empty stream',
      ({ express: handle }: WebhookHandler) =>
        serve((request, response) => {
          const { method, headers } = request;
          const empty = { method, headers, body: {}, pause: () => undefined };
          const on = (event: string, listener: (value: never) => void) => {
            if (event === 'end') setImmediate(listener as () => void);
          };
          return handle({ ...empty, on } as never, response);
        }),
    ],
    [
      'a request of Fetch that was read',
      ({ fetch: handle }: WebhookHandler) =>
        Promise.resolve<Deliver>(async (id) => {
          const request = new Request('http://shop/webhook', requestOf(id));
          await request.json();
          return answerOf(await handle(request));
        }),
    ],
  ])('by %s answers 500 and says what to do', async (_, open) => {
    const { handler, events, errors } = recording();
    const deliver = await open(handler);
    expect(await deliver(7)).toEqual({ status: 500, text: says });
    expect(events).toEqual([]);
    expect(errors).toEqual([expect.objectContaining({ name: 'BodyTaken' })]);
  });

  it('takes the bytes that the platform has kept as rawBody', async () => {
    const { handler, events } = recording();
    const verify = (request: IncomingMessage, _: unknown, bytes: Buffer): void => {
      (request as { rawBody?: Buffer }).rawBody = bytes;
    };
    const deliver = await serve(express().use(express.json({ verify })).post('/webhook', handler.express));
    expect((await deliver(7)).status).toBe(204);
    expect(events).toHaveLength(1);
  });
});

describe('the record of processed events', () => {
  it('of a shop is asked before, and told after the function has ended', async () => {
    const steps: string[] = [];
    const events: SeenEvents = {
      seen: async (id) => steps.push(`seen ${id}`) === 0,
      add: (id, { type }) => steps.push(`add ${id} ${type}`),
    };
    const { handler } = recording({ events, onEvent: ({ id }) => steps.push(`event ${id}`) });
    const deliver = await WAYS['Fetch']?.(handler);
    await deliver?.(7);
    expect(steps).toEqual(['seen 7', 'event 7', 'add 7 payment.mined']);
  });

  it('of a shop that records events itself needs no add', async () => {
    const done = new Set([7]);
    const { handler, events } = recording({ events: { seen: (id) => done.has(id) } });
    const deliver = await WAYS['Fetch']?.(handler);
    expect([(await deliver?.(7))?.status, (await deliver?.(8))?.status]).toEqual([204, 204]);
    expect(events.map(({ id }) => id)).toEqual([8]);
  });

  test.each(['seen', 'add'])('that fails in %s leaves the event to be sent again', async (name) => {
    let isBroken = true;
    const memory = seenInMemory();
    const fail = (): never => {
      throw new Error('no database');
    };
    const events: SeenEvents = {
      seen: (id, event) => (isBroken && name === 'seen' ? fail() : memory.seen(id, event)),
      add: (id, event) => (isBroken && name === 'add' ? fail() : memory.add?.(id, event)),
    };
    const { handler, errors } = recording({ events });
    const deliver = await WAYS['Fetch']?.(handler);
    expect((await deliver?.(7))?.status).toBe(500);
    isBroken = false;
    expect((await deliver?.(7))?.status).toBe(204);
    expect(errors).toHaveLength(1);
  });

  it('in memory keeps the latest ids up to its bound', () => {
    const memory = seenInMemory(2);
    const event = {} as WalletEvent;
    for (const id of [1, 2, 3]) void memory.add?.(id, event);
    expect([1, 2, 3].map((id) => memory.seen(id, event))).toEqual([false, true, true]);
  });
});

describe('errors of a handler', () => {
  it('of the shop are printed, and refused requests are not, unless it has a function for them', async () => {
    const printed = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const onEvent = () => Promise.reject(new Error('broken'));
    const deliver = await WAYS['Fetch']?.(webhookHandler({ secret: SECRET, onEvent }));
    await deliver?.(7, { headers: {} });
    expect(printed).not.toHaveBeenCalled();
    await deliver?.(7);
    expect(printed.mock.calls).toEqual([['webhook, event 7:', new Error('broken')]]);
  });

  it('do not reach the request by a function for errors that fails itself', async () => {
    const onError = () => {
      throw new Error('no log');
    };
    const { handler } = recording({ onError, onEvent: () => Promise.reject(new Error('broken')) });
    expect((await (await WAYS['Fetch']?.(handler))?.(7))?.status).toBe(500);
  });

  it('of a malformed secret come when the handler is created', () => {
    expect(() => webhookHandler({ secret: 'whsec_', onEvent: () => undefined })).toThrow(RangeError);
    expect(() => webhookHandler({ secret: [], onEvent: () => undefined })).toThrow(RangeError);
  });
});
