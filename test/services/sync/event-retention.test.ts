import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventRetention } from '../../../src/services/sync/event-retention.js';
import { TimeBounds } from '../../../src/services/context/time-bounds.js';
import { DEFAULT_CONFIRMATIONS } from '../../../src/store/events/event-log.js';
import { EventIds } from '../../../src/store/file/event-ids.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { Secret } from '../../../src/util/secret.js';

const HOUR = 3600;
const YEAR = 365 * 24 * HOUR;
const RETENTION = 64 * HOUR;

/** Time [Unix s], and the difference of the clock to it [s]. */
let time: number;
let clockError: number;
/** Time of the newest block [Unix s]; undefined: that of an hour ago, as long as no test says otherwise. */
let block: number | undefined;
let store: WalletStore;
let retention: EventRetention;

const clock = { now: () => (time + clockError) * 1000 };

/** Opens the wallet: the server was started. */
function open(): void {
  const timeBounds = new TimeBounds({
    ...{ store: { lastBlockTime: () => block ?? time }, clock, monotonic: () => time * 1000 },
  });
  retention = new EventRetention({ store, timeBounds, eventRetentionMs: RETENTION * 1000 });
}

beforeEach(() => {
  [time, clockError, block] = [1_700_000_000, 0, undefined];
  const events = { ids: new EventIds({ clock }), confirmations: DEFAULT_CONFIRMATIONS };
  store = WalletStore.create(':memory:', new Uint8Array(32), undefined, undefined, events);
  open();
});

afterEach(() => store.close());

/** Appends events. */
const append = (count: number): void =>
  store.write((w) => {
    for (let i = 0; i < count; i++) w.events.synced(i);
  });

const count = (): number => store.read((r) => r.events.after(0, 100_000)).length;

/** Lets time pass, in which the wallet reads a block an hour. */
function pass(seconds: number): void {
  for (const end = time + seconds; time < end;) {
    time = Math.min(end, time + HOUR);
    retention.run();
  }
}

const marks = (): number => store.read((r) => r.eventMarks.newest()?.time ?? 0);

describe('event retention', () => {
  it('deletes the events that are older than it, and keeps the others', () => {
    append(3);
    retention.run();
    pass(RETENTION);
    append(2);
    expect(count()).toBe(5);
    pass(HOUR);
    expect(count()).toBe(2);
  });

  it('keeps events for a 64th of the time more at most', () => {
    for (let hour = 0; hour < 200; hour++) {
      time += 700;
      append(1);
      pass(HOUR - 700);
      const [oldest] = store.read((r) => r.events.after(0, 1));
      expect(time - (oldest?.time ?? 0) / 1000).toBeLessThanOrEqual(RETENTION + RETENTION / 64 + HOUR);
    }
    expect(count()).toBeGreaterThanOrEqual(64);
  });

  it('writes nothing if no event has expired, and the latest one is marked', () => {
    append(1);
    retention.run();
    const { version } = store;
    pass(RETENTION);
    expect(store.version).toBe(version);
  });

  it('marks nothing in a wallet without events', () => {
    retention.run();
    expect(marks()).toBe(0);
  });

  it('looks for expired events once an hour', () => {
    append(1);
    retention.run();
    pass(RETENTION);
    time += HOUR - 1;
    retention.run();
    expect(count()).toBe(1);
    time += 1;
    retention.run();
    expect(count()).toBe(0);
  });

  it('deletes 10,000 rows at once at most, and goes on with the next call', () => {
    append(10_500);
    retention.run();
    time += RETENTION + 1;
    retention.run();
    expect(count()).toBe(500);
    retention.run();
    expect(count()).toBe(0);
  });

  it('deletes webhook deliveries of old events that ended before it, and keeps pending ones', () => {
    const webhook = { id: 'a', url: 'https://shop.example.org/', types: [], position: 0, created: 0 };
    store.write((w) => w.webhooks.add(webhook, new Secret(new Uint8Array(32))));
    append(2);
    const [first = 0, second = 0] = store.read((r) => r.events.after(0, 2).map(({ id }) => id));
    const attempt = { attempts: 1, time: time * 1000 };
    const next = { due: time * 1000, wait: 0 };
    store.write((w) => {
      w.webhookDeliveries.record('a', { ...attempt, eventId: first, state: 'delivered' });
      w.webhookDeliveries.record('a', { ...attempt, eventId: second, state: 'pending', next });
    });
    const ids = () =>
      store.read((r) => r.webhookDeliveries.list('a', { limit: 9 }).map(({ eventId }) => eventId));
    retention.run();
    pass(RETENTION);
    expect(ids()).toEqual([second, first]);
    pass(HOUR);
    expect(ids()).toEqual([second]);
  });
});

describe('event retention under a wrong clock', () => {
  it.each([HOUR, -HOUR, YEAR, -YEAR])(
    'deletes no event too early that came before a step by %d s',
    (step) => {
      pass(RETENTION);
      append(2);
      retention.run();
      clockError = step;
      pass(RETENTION / 2);
      clockError = 0;
      pass(RETENTION / 4);
      expect(count()).toBe(2);
      pass(RETENTION);
      expect(count()).toBe(0);
    },
  );

  it.each([HOUR, -HOUR, YEAR, -YEAR])('deletes no event too early that came after a step by %d s', (step) => {
    append(1);
    retention.run();
    clockError = step;
    append(2);
    pass(HOUR);
    clockError = 0;
    pass(RETENTION - 2 * HOUR);
    expect(count()).toBe(3);
    pass(RETENTION + 4 * HOUR);
    expect(count()).toBe(0);
  });

  it.each([HOUR, -HOUR, YEAR, -YEAR])(
    'deletes no event too early if the server is started with a clock that differs by %d s',
    (step) => {
      block = time;
      clockError = step;
      open();
      append(2);
      retention.run();
      pass(HOUR);
      clockError = 0;
      block = undefined;
      open();
      pass(RETENTION - 2 * HOUR);
      expect(count()).toBe(2);
      pass(RETENTION + 4 * HOUR);
      expect(count()).toBe(0);
    },
  );

  it('deletes no event too early while a daemon lies about the time', () => {
    append(2);
    retention.run();
    block = time + YEAR;
    pass(RETENTION / 2);
    expect(count()).toBe(2);
    block = undefined;
    pass(RETENTION / 2 - HOUR);
    expect(count()).toBe(2);
    pass(RETENTION);
    expect(count()).toBe(0);
  });

  it('deletes events on time if no block comes, as on a private chain', () => {
    block = time - YEAR;
    open();
    append(2);
    retention.run();
    pass(RETENTION + 2 * HOUR);
    expect(count()).toBe(2);
    block = time;
    pass(HOUR);
    expect(count()).toBe(0);
  });
});
