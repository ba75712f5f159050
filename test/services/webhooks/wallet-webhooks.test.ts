import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { WalletWebhooks } from '../../../src/services/webhooks/wallet-webhooks.js';
import { WebhookSending } from '../../../src/services/webhooks/webhook-sending.js';
import { DEFAULT_CONFIRMATIONS } from '../../../src/store/events/event-log.js';
import { EventIds } from '../../../src/store/file/event-ids.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { DeliveryRequest, DeliveryResult } from '../../../src/net/webhooks/sender.js';
import type { Rng } from '../../../src/util/random.js';
import { inTrace, readTraceparent } from '../../../src/util/trace.js';
import { output, page, received } from '../../store/fixtures.js';
import { parseSecret, signatureHeaders } from '../../../src/net/webhooks/signature.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault } from '../../support/wallets/service-wallet.js';
import { VirtualClock } from '../../support/fakes/virtual-clock.js';

const URL_A = 'https://shop.example.org/a';
const URL_B = 'https://shop.example.org/b';
const OK: DeliveryResult = { kind: 'delivered', status: 204 };
const DAY = 86_400_000;

let clock: VirtualClock;
let store: WalletStore;
let sending: WebhookSending;
let webhooks: WalletWebhooks;
let rng: Rng;
let sent: (DeliveryRequest & { readonly url: string })[];
/** Result of the next attempts, by URL; OK where there is none. */
let results: Map<string, () => DeliveryResult | Promise<DeliveryResult>>;

/** Service of an open wallet over {@link store}. */
function open(): WalletWebhooks {
  const made = new WalletWebhooks(
    {
      name: 'shop',
      store,
      rng,
      addresses: { text: () => '4address' } as never,
      keystore: { hidesNotes: false } as never,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    },
    { sending },
  );
  store.watchEvents(() => made.onEvents());
  made.start();
  return made;
}

beforeEach(() => {
  clock = new VirtualClock();
  rng = seededRng('webhooks');
  sent = [];
  results = new Map();
  const events = { ids: new EventIds({ clock }), confirmations: DEFAULT_CONFIRMATIONS };
  store = WalletStore.create(':memory:', new Uint8Array(32), undefined, undefined, events);
  const errors: unknown[] = [];
  sending = new WebhookSending(
    { allowPrivate: false, userAgent: 'test' },
    { error: (...args: unknown[]) => void errors.push(args) },
    {
      clock,
      createSender: (url) => ({
        send: (request, signal) => {
          sent.push({ url, ...request });
          const aborted = new Promise<DeliveryResult>((resolve) =>
            signal.addEventListener('abort', () => resolve({ kind: 'aborted' })),
          );
          return Promise.race([aborted, results.get(url)?.() ?? OK]);
        },
        close: () => undefined,
      }),
    },
  );
  webhooks = open();
});

afterEach(async () => {
  await webhooks.close();
  store.close();
});

/** Appends the event `wallet.synced`. @returns its id. */
function append(height: number): number {
  store.write((w) => w.events.synced(height));
  return store.read((r) => r.events.last());
}

/** Ids of the events that were sent, in the order of the attempts. */
const idsSent = (url = URL_A): number[] =>
  sent.filter((request) => request.url === url).map(({ headers }) => Number(headers['webhook-id']));

const settled = (): Promise<void> => clock.advance(0);
const missing = fault({ kind: 'webhook_missing' });
const bad = expect.objectContaining({ fault: expect.objectContaining({ kind: 'bad_webhook' }) as unknown });

describe('an endpoint', () => {
  it('gets the events after its creation, in order, as signed JSON', async () => {
    append(1);
    await settled();
    const { secret } = webhooks.add({ url: URL_A, types: [] });
    const ids = [append(2), append(3)];
    await settled();
    expect(idsSent()).toEqual(ids);
    const [first] = sent;
    expect(first?.body).toBe(
      `{"type":"wallet.synced","timestamp":"${new Date(clock.now()).toISOString()}","data":{"height":2},"wallet":"shop"}`,
    );
    const { body = '', headers } = first ?? {};
    expect(headers).toEqual(
      signatureHeaders({ id: String(ids[0]), timestamp: Math.floor(clock.now() / 1000), body }, [
        parseSecret(secret),
      ]),
    );
  });

  it('gets the trace of the call that caused an event, with a new id for each attempt', async () => {
    const trace = readTraceparent(`00-${'ab'.repeat(16)}-00f067aa0ba902b7-01`);
    webhooks.add({ url: URL_A, types: [] });
    results.set(URL_A, () => ({ kind: 'failed', reason: 'status', status: 500 }));
    await inTrace(trace, () => Promise.resolve(append(1)));
    await settled();
    await clock.advance(6_000);
    results.delete(URL_A);
    append(2);
    await clock.advance(600_000);
    const headers = sent.map(({ headers: { traceparent } }) => traceparent);
    const [first = '', second = '', ...others] = headers.filter((header) => header !== undefined);
    for (const header of [first, second, ...others])
      expect(header).toMatch(new RegExp(`^00-${'ab'.repeat(16)}-[0-9a-f]{16}-01$`));
    expect(new Set([first, second, `00-${'ab'.repeat(16)}-00f067aa0ba902b7-01`]).size).toBe(3);
    expect(sent.filter(({ body }) => body.includes('"height":2')).map(({ headers: h }) => h)).toEqual([
      expect.not.objectContaining({ traceparent: expect.anything() as unknown }),
    ]);
  });

  it('gets no trace with what a block contains, also where a call reads the block', async () => {
    const trace = readTraceparent(`00-${'ab'.repeat(16)}-00f067aa0ba902b7-01`);
    store.write((w) => w.meta.set('arrival_height', '0'));
    webhooks.add({ url: URL_A, types: [] });
    await inTrace(trace, () => {
      store.addPage(page(1, 1, { received: [received(1, 1)], outputs: [output(1, 1, 5n)] }), {
        isFollowed: false,
      });
      return Promise.resolve();
    });
    await settled();
    expect(sent.map(({ body }) => body).join()).toContain('payment.mined');
    expect(sent.filter(({ headers }) => 'traceparent' in headers)).toEqual([]);
  });

  it('keeps no trace of an event longer than the event', async () => {
    const trace = readTraceparent(`00-${'ab'.repeat(16)}-00f067aa0ba902b7-00`);
    const id = await inTrace(trace, () => Promise.resolve(append(1)));
    expect(store.read((r) => r.events.traceOf(id))).toEqual({ traceId: 'ab'.repeat(16), sampled: false });
    const later = append(2);
    store.write((w) => w.events.expire(Infinity, 1));
    expect([id, later].map((one) => store.read((r) => r.events.traceOf(one)))).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('gets only the types that it subscribes to', async () => {
    webhooks.add({ url: URL_A, types: ['payment.seen', 'payment.seen'] });
    await clock.advance(1);
    webhooks.add({ url: URL_B, types: ['wallet.synced'] });
    const id = append(2);
    await settled();
    expect([idsSent(URL_A), idsSent(URL_B)]).toEqual([[], [id]]);
    expect(webhooks.list().map(({ webhook }) => webhook.types)).toEqual([
      ['payment.seen'],
      ['wallet.synced'],
    ]);
  });

  it('that fails does not hold up another one', async () => {
    results.set(URL_A, () => ({ kind: 'failed', reason: 'status', status: 500 }));
    webhooks.add({ url: URL_A, types: [] });
    await clock.advance(1);
    webhooks.add({ url: URL_B, types: [] });
    const ids = [append(1), append(2), append(3)];
    await settled();
    expect(idsSent(URL_B)).toEqual(ids);
    expect(idsSent(URL_A)).toEqual([ids[0]]);
    expect(webhooks.list().map(({ backlog, pending }) => [backlog, pending])).toEqual([
      [2, 1],
      [0, 0],
    ]);
  });

  it('is served again with its backlog after the wallet was closed and opened', async () => {
    webhooks.add({ url: URL_A, types: [] });
    results.set(URL_A, () => new Promise(() => undefined));
    const lost = append(1);
    await settled();
    const closing = webhooks.close();
    await clock.advance(2000);
    await closing;
    results.clear();
    webhooks = open();
    const next = append(2);
    await settled();
    expect(idsSent()).toEqual([lost, lost, next]);
  });

  it('of an open copy of the wallet is served as well', async () => {
    webhooks.add({ url: URL_A, types: [] });
    const other = new WalletWebhooks(
      {
        ...{ name: 'copy', store, addresses: { text: () => '' } as never, rng: seededRng('copy') },
        keystore: { hidesNotes: false } as never,
        log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      },
      { sending },
    );
    expect(() => other.start()).not.toThrow();
    await other.close();
  });

  it('is not removed by an unknown id; removed, it gets nothing more and leaves nothing behind', async () => {
    const { webhook } = webhooks.add({ url: URL_A, types: [] });
    await expect(webhooks.remove('x')).rejects.toEqual(missing);
    await webhooks.remove(webhook.id);
    append(1);
    await settled();
    expect(sent).toEqual([]);
    expect(webhooks.list()).toEqual([]);
    expect(() => webhooks.deliveries(webhook.id, { limit: 1 })).toThrow(missing);
  });

  it('that answers 410 is disabled until it is enabled; its events wait', async () => {
    const { webhook } = webhooks.add({ url: URL_A, types: [] });
    results.set(URL_A, () => ({ kind: 'gone' }));
    const gone = append(1);
    const next = append(2);
    await clock.advance(DAY);
    expect(idsSent()).toEqual([gone]);
    expect(webhooks.list()[0]?.webhook.disabled).toBe('gone');
    results.clear();
    expect(() => webhooks.enable('x')).toThrow(missing);
    webhooks.enable(webhook.id);
    await settled();
    expect(idsSent().slice(1).sort()).toEqual([gone, next].sort());
    expect(webhooks.list()[0]).toMatchObject({ backlog: 0, pending: 0, last: { eventId: next } });
  });
});

describe('a new endpoint is refused', () => {
  test.each([
    ['with a URL that is not HTTP', 'ftp://shop.example.org/', []],
    ['with a target on this machine', 'http://127.0.0.1:8080/', []],
    ['with an unknown type', URL_A, ['payment.seen', 'payment.lost']],
  ])('%s', (_, url, types) => {
    expect(() => webhooks.add({ url, types })).toThrow(bad);
    expect(webhooks.list()).toEqual([]);
  });

  it('if the wallet has 16 of them', () => {
    for (let i = 0; i < 16; i++) webhooks.add({ url: URL_A, types: [] });
    expect(() => webhooks.add({ url: URL_A, types: [] })).toThrow(bad);
  });
});

describe('a secret', () => {
  it('that was replaced signs beside the new one until its overlap has ended', async () => {
    const { webhook, secret } = webhooks.add({ url: URL_A, types: [] });
    const next = webhooks.rotateSecret(webhook.id, DAY);
    expect(next).not.toBe(secret);
    append(1);
    await clock.advance(DAY);
    append(2);
    await settled();
    const signed = (index: number, ...secrets: string[]) => {
      const { body = '', headers } = sent[index] ?? {};
      const { 'webhook-id': id = '', 'webhook-timestamp': time } = headers ?? {};
      const expected = signatureHeaders({ id, timestamp: Number(time), body }, secrets.map(parseSecret));
      expect(headers).toEqual(expected);
    };
    signed(0, next, secret);
    signed(1, next);
  });

  it('is not replaced for an unknown endpoint', () => {
    expect(() => webhooks.rotateSecret('x', DAY)).toThrow(missing);
  });
});

describe('deliveries', () => {
  it('are listed newest event first, by their state', async () => {
    const { webhook } = webhooks.add({ url: URL_A, types: [] });
    const first = append(1);
    await settled();
    results.set(URL_A, () => ({ kind: 'failed', reason: 'timeout' }));
    const second = append(2);
    await settled();
    expect(webhooks.deliveries(webhook.id, { limit: 9 })).toMatchObject([
      { eventId: second, state: 'pending', attempts: 1, reason: 'timeout' },
      { eventId: first, state: 'delivered', attempts: 1, status: 204 },
    ]);
    expect(webhooks.deliveries(webhook.id, { state: 'delivered', limit: 9 })).toHaveLength(1);
  });

  it('are repeated by request, also of events from before the endpoint', async () => {
    const before = append(1);
    const { webhook } = webhooks.add({ url: URL_A, types: [] });
    const id = append(2);
    await settled();
    webhooks.redeliver(webhook.id, id);
    await settled();
    webhooks.redeliver(webhook.id, before);
    await settled();
    expect(idsSent()).toEqual([id, id, before]);
  });

  it('are not repeated for unknown events, events of other types and events that are still to be sent', async () => {
    const { webhook } = webhooks.add({ url: URL_A, types: ['wallet.synced'] });
    const other = webhooks.add({ url: URL_B, types: ['payment.seen'] }).webhook;
    const id = append(2);
    expect(() => webhooks.redeliver(webhook.id, id)).toThrow(bad);
    await settled();
    expect(() => webhooks.redeliver('x', id)).toThrow(missing);
    expect(() => webhooks.redeliver(webhook.id, id - 1)).toThrow(bad);
    expect(() => webhooks.redeliver(other.id, id)).toThrow(bad);
    expect(idsSent()).toEqual([id]);
  });

  it('follow their schedule after the clock was stepped back by an hour', async () => {
    webhooks.add({ url: URL_A, types: [] });
    results.set(URL_A, () => ({ kind: 'failed', reason: 'connect' }));
    const id = append(1);
    await settled();
    clock.step(-3_600_000);
    results.clear();
    const next = append(2);
    expect(next).toBeGreaterThan(id);
    await clock.advance(7000);
    // The lane of retries wakes within a minute; the second event is sent at once.
    await clock.advance(60_000);
    expect(idsSent()).toEqual([id, next, id]);
  });
});

describe('a test delivery', () => {
  it('is signed with the active secrets, and is neither an event nor a recorded delivery', async () => {
    const { webhook, secret } = webhooks.add({ url: URL_A, types: ['payment.mined'] });
    const next = webhooks.rotateSecret(webhook.id, DAY);
    const { result, messageId } = await webhooks.test(webhook.id);
    expect(result).toEqual(OK);
    const { body = '', headers } = sent[0] ?? {};
    expect(body).toBe(
      `{"type":"webhook.test","timestamp":"${new Date(clock.now()).toISOString()}","data":{"webhook":"${webhook.id}"},"wallet":"shop"}`,
    );
    expect(messageId).toMatch(/^test_[0-9a-f]{32}$/);
    expect(headers).toEqual(
      signatureHeaders(
        { id: messageId, timestamp: Math.floor(clock.now() / 1000), body },
        [next, secret].map(parseSecret),
      ),
    );
    expect(webhooks.deliveries(webhook.id, { limit: 10 })).toEqual([]);
    expect(webhooks.list()).toMatchObject([{ backlog: 0, pending: 0 }]);
  });

  it('that the endpoint answers with 410 leaves it enabled, and one to a disabled endpoint leaves it disabled', async () => {
    const { webhook } = webhooks.add({ url: URL_A, types: [] });
    results.set(URL_A, () => ({ kind: 'gone' }));
    expect((await webhooks.test(webhook.id)).result).toEqual({ kind: 'gone' });
    expect(webhooks.list()[0]?.webhook.disabled).toBeUndefined();
    append(1);
    await settled();
    expect(webhooks.list()[0]?.webhook.disabled).toBeDefined();
    results.clear();
    expect((await webhooks.test(webhook.id)).result).toEqual(OK);
    expect(webhooks.list()[0]?.webhook.disabled).toBeDefined();
  });

  it('that hangs delays no event, and four of them refuse a fifth until the wallet closes', async () => {
    const { webhook } = webhooks.add({ url: URL_A, types: [] });
    results.set(URL_A, () => new Promise<DeliveryResult>(() => undefined));
    const hanging = Array.from({ length: 4 }, () => webhooks.test(webhook.id));
    const ended = Promise.allSettled(hanging);
    await expect(webhooks.test(webhook.id)).rejects.toThrow(bad);
    results.clear();
    const id = append(1);
    await settled();
    expect(idsSent().at(-1)).toBe(id);
    await webhooks.close();
    const closed = {
      status: 'rejected',
      reason: fault({ kind: 'no_wallet' }) as unknown,
    };
    expect(await ended).toEqual([closed, closed, closed, closed]);
  });

  it('is refused for an unknown endpoint', async () => {
    await expect(webhooks.test('unknown')).rejects.toThrow(missing);
    expect(sent).toEqual([]);
  });
});
