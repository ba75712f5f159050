import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventRetention } from '../../../src/services/sync/event-retention.js';
import { DEFAULT_CONFIRMATIONS } from '../../../src/store/events/event-log.js';
import { EventIds } from '../../../src/store/event-ids.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { Secret } from '../../../src/util/secret.js';

const RETENTION = 1000;

let time: number;
let store: WalletStore;
let retention: EventRetention;

beforeEach(() => {
  time = 1_000_000;
  const ids = new EventIds({ clock: { now: () => time * 1000 } });
  const events = { ids, confirmations: DEFAULT_CONFIRMATIONS };
  store = WalletStore.create(':memory:', new Uint8Array(32), undefined, undefined, events);
  retention = new EventRetention({
    ...{ store, clock: { now: () => time * 1000 }, eventRetentionMs: RETENTION * 1000 },
  });
});

afterEach(() => store.close());

/** Appends events. */
const append = (count: number): void =>
  store.write((w) => {
    for (let i = 0; i < count; i++) w.events.synced(i);
  });

const count = (): number => store.read((r) => r.events.after(0, 100_000)).length;

describe('event retention', () => {
  it('deletes the events that are older than it, and keeps the others', () => {
    append(3);
    time += RETENTION;
    append(2);
    retention.run();
    expect(count()).toBe(5);
    time += 3600;
    store.write((w) => w.events.synced(9));
    retention.run();
    expect(count()).toBe(1);
  });

  it('writes nothing if no event has expired', () => {
    append(1);
    const { version } = store;
    retention.run();
    expect(store.version).toBe(version);
  });

  it('looks for expired events once an hour, also after the clock was set back', () => {
    append(1);
    retention.run();
    time += RETENTION + 1;
    retention.run();
    expect(count()).toBe(1);
    time -= 100_000;
    retention.run();
    time += 100_000;
    retention.run();
    expect(count()).toBe(0);
  });

  it('deletes 10,000 rows at once at most, and goes on with the next call', () => {
    append(10_500);
    time += RETENTION + 1;
    retention.run();
    expect(count()).toBe(500);
    retention.run();
    expect(count()).toBe(0);
  });

  it('deletes webhook deliveries that ended before it, and keeps pending ones', () => {
    const webhook = { id: 'a', url: 'https://shop.example.org/', types: [], position: 0, created: 0 };
    store.write((w) => w.webhooks.add(webhook, new Secret(new Uint8Array(32))));
    const attempt = { attempts: 1, time: time * 1000 };
    const next = { due: time * 1000, wait: 0 };
    store.write((w) => {
      w.webhookDeliveries.record('a', { ...attempt, eventId: 1, state: 'delivered' });
      w.webhookDeliveries.record('a', { ...attempt, eventId: 2, state: 'pending', next });
    });
    const ids = () =>
      store.read((r) => r.webhookDeliveries.list('a', { limit: 9 }).map(({ eventId }) => eventId));
    time += RETENTION;
    retention.run();
    expect(ids()).toEqual([2, 1]);
    time += 3600;
    retention.run();
    expect(ids()).toEqual([2]);
  });
});
