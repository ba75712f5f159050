import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WalletStore } from '../../src/store/wallet-store.js';
import { StoreDeliveryLog } from '../../src/store/webhook-log.js';
import { directConnect } from '../../src/net/webhooks/target.js';
import { Dispatcher } from '../../src/net/webhooks/dispatcher.js';
import { activeSecrets, createSecret, signatureHeaders } from '../../src/net/webhooks/signature.js';
import { HttpSender } from '../../src/net/webhooks/sender.js';
import { MemoryEvents } from '../support/fakes/memory-delivery-log.js';
import { until } from '../support/fakes/until.js';
import { WebhookReceiver } from '../support/network/webhook-receiver.js';

const KEY = new Uint8Array(32);
const T0 = 1_700_000_000_000;

let folder: string;
let path: string;
let store: WalletStore;
let log: StoreDeliveryLog;
let receiver: WebhookReceiver;
const secret = createSecret();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webhook-log-'));
  path = join(folder, 'wallet');
  receiver = await WebhookReceiver.start();
  store = WalletStore.create(path, KEY, (w) =>
    w.webhooks.add({ id: 'a', url: receiver.url, types: [], position: 0, created: T0 }, secret),
  );
  log = new StoreDeliveryLog(store, 'a');
});

afterEach(async () => {
  store.close();
  await receiver.stop();
  rmSync(folder, { recursive: true });
});

const reopen = (): void => {
  store.close();
  store = WalletStore.open(path, KEY);
  log = new StoreDeliveryLog(store, 'a');
};

describe('delivery log in a store', () => {
  it('has the same content after the store is opened again', async () => {
    log.record({ eventId: 3, attempts: 1, time: T0, state: 'delivered', status: 200 });
    log.record({
      eventId: 4,
      attempts: 1,
      time: T0,
      state: 'pending',
      next: { due: T0 + 9, wait: 9 },
      reason: 'dns',
    });
    await log.flush();
    reopen();
    expect(log.position()).toBe(4);
    expect(log.earliest()).toEqual({ eventId: 4, attempts: 1, due: T0 + 9 });
    log.rebase(T0 - 5);
    expect(log.earliest()).toEqual({ eventId: 4, attempts: 1, due: T0 + 4 });
  });

  it('writes nothing when no wait has to be changed', () => {
    const { version } = store;
    log.rebase(T0);
    expect(store.version).toBe(version);
  });

  it('of a removed endpoint sends nothing and records nothing', () => {
    store.write((w) => w.webhooks.remove('a'));
    expect(log.isDisabled()).toBe(true);
    expect(() => log.position()).toThrow('removed');
    log.record({ eventId: 3, attempts: 1, time: T0, state: 'delivered', status: 200 });
    expect(log.earliest()).toBeUndefined();
  });
});

describe('deliveries from a store over HTTP', () => {
  const start = (events: MemoryEvents): Dispatcher => {
    const dispatcher = new Dispatcher({
      createSender: (url) =>
        new HttpSender({
          url,
          allowPrivate: true,
          connect: directConnect(true),
          userAgent: 'wallet-rpc/0.1.0',
        }),
      onError: (_, error) => {
        throw error;
      },
    });
    const { id, url } = store.read((r) => r.webhooks.list())[0] ?? { id: '', url: '' };
    const secrets = (now: number) =>
      activeSecrets(
        store.read((r) => r.webhooks.secrets(id)),
        now,
      );
    dispatcher.add({ id, url, secrets, log, events });
    return dispatcher;
  };
  const receivedAtLeast = (count: number): Promise<boolean> =>
    until('the deliveries', () => receiver.received.length >= count);

  it('arrive once each and in order, signed, although the store and the dispatcher are opened anew', async () => {
    const events = new MemoryEvents();
    for (let id = 1; id <= 60; id++) events.add(id, `{"id":${id}}`);
    for (let restart = 1; restart <= 3; restart++) {
      const dispatcher = start(events);
      await receivedAtLeast(restart * 20);
      await dispatcher.stop();
      reopen();
    }
    expect(receiver.received.map(({ body }) => body)).toEqual(
      Array.from({ length: 60 }, (_, i) => `{"id":${i + 1}}`),
    );
    for (const { headers, body } of receiver.received) {
      const id = String(headers['webhook-id']);
      const timestamp = Number(headers['webhook-timestamp']);
      expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(60);
      expect(headers).toMatchObject({ ...signatureHeaders({ id, timestamp, body }, [secret]) });
    }
  });

  it('that fail are pending in the store, with status and reason', async () => {
    receiver.answer = (response) => response.writeHead(503, { 'retry-after': '60' }).end();
    const events = new MemoryEvents();
    events.add(1, '{}');
    const dispatcher = start(events);
    await receivedAtLeast(1);
    await dispatcher.stop();
    reopen();
    const [delivery] = store.read((r) => r.webhookDeliveries.list('a', { limit: 9 }));
    expect(delivery).toMatchObject({
      eventId: 1,
      state: 'pending',
      attempts: 1,
      status: 503,
      reason: 'status',
    });
    expect((delivery?.due ?? 0) - (delivery?.time ?? 0)).toBe(60_000);
  });
});
