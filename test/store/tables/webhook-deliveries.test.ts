import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { Delivery } from '../../../src/store/tables/webhook-deliveries.js';
import { Secret } from '../../../src/util/secret.js';
import type { AttemptRecord } from '../../../src/net/webhooks/delivery-log.js';

const T0 = 1_700_000_000_000;

let store: WalletStore;

beforeEach(() => {
  store = WalletStore.create(':memory:', new Uint8Array(32));
  for (const id of ['a', 'b'])
    store.write((w) =>
      w.webhooks.add(
        { id, url: 'https://shop.example.org/', types: [], position: 5, created: T0 },
        new Secret(new Uint8Array(32)),
      ),
    );
});

afterEach(() => store.close());

const record = (attempt: AttemptRecord, webhook = 'a'): void =>
  store.write((w) => w.webhookDeliveries.record(webhook, attempt));
const list = (): Delivery[] => store.read((r) => r.webhookDeliveries.list('a', { limit: 100 }));
const position = (): number | undefined => store.read((r) => r.webhooks.byId('a')?.position);
const earliest = (): unknown => store.read((r) => r.webhookDeliveries.earliest('a'));

const pending = (eventId: number, wait: number, more: Partial<AttemptRecord> = {}): AttemptRecord => ({
  eventId,
  attempts: 1,
  time: T0,
  state: 'pending',
  next: { due: T0 + wait, wait },
  reason: 'status',
  status: 500,
  ...more,
});
const delivered = (eventId: number, time = T0): AttemptRecord => ({
  eventId,
  attempts: 1,
  time,
  state: 'delivered',
  status: 200,
});

describe('recorded attempts', () => {
  it('advance the position, and never set it back', () => {
    record(delivered(9));
    expect(position()).toBe(9);
    record(delivered(7));
    expect(position()).toBe(9);
    expect(store.read((r) => r.webhooks.byId('b')?.position)).toBe(5);
  });

  it('replace the one before of the same event', () => {
    record(pending(9, 5000));
    expect(list()).toEqual([
      { eventId: 9, state: 'pending', attempts: 1, time: T0, due: T0 + 5000, status: 500, reason: 'status' },
    ]);
    record({ ...delivered(9, T0 + 6000), attempts: 2 });
    expect(list()).toEqual([{ eventId: 9, state: 'delivered', attempts: 2, time: T0 + 6000, status: 200 }]);
    expect(earliest()).toBeUndefined();
  });

  it('are counted by endpoint while another attempt is due', () => {
    const count = (): number => store.read((r) => r.webhookDeliveries.pendingCount('a'));
    record(pending(6, 5000));
    record(pending(7, 5000));
    record(pending(8, 5000), 'b');
    expect(count()).toBe(2);
    record(delivered(6));
    expect(count()).toBe(1);
  });

  it('disable the endpoint with a 410', () => {
    record(pending(9, 5000, { status: 410, disable: true }));
    expect(store.read((r) => r.webhooks.byId('a')?.disabled)).toBe('gone');
    expect(store.read((r) => r.webhooks.byId('b')?.disabled)).toBeUndefined();
  });

  it('are listed by state, newest event first, page by page', () => {
    for (const id of [6, 8, 10]) record(delivered(id));
    for (const id of [7, 9]) record(pending(id, 1000));
    record(delivered(99), 'b');
    const ids = (filter: Parameters<typeof query>[0]): number[] =>
      query(filter).map(({ eventId }) => eventId);
    const query = (filter: { state?: 'pending' | 'delivered'; before?: number; limit: number }): Delivery[] =>
      store.read((r) => r.webhookDeliveries.list('a', filter));
    expect(ids({ limit: 2 })).toEqual([10, 9]);
    expect(ids({ limit: 2, before: 9 })).toEqual([8, 7]);
    expect(ids({ limit: 9, state: 'pending' })).toEqual([9, 7]);
  });
});

describe('pending deliveries', () => {
  it('are found by due time, then by event', () => {
    record(pending(8, 3000));
    record(pending(6, 4000));
    record(pending(7, 3000, { attempts: 4 }));
    record(pending(5, 1), 'b');
    expect(earliest()).toEqual({ eventId: 7, attempts: 4, due: T0 + 3000 });
  });

  it('scheduled after the present time wait no longer than their own wait', () => {
    record(pending(6, 5000));
    record(pending(7, 9000, { time: T0 - 8000, next: { due: T0 + 1000, wait: 9000 } }));
    record(pending(8, 5000), 'b');
    const ahead = (now: number): boolean => store.read((r) => r.webhookDeliveries.isAheadOf('a', now));
    expect([ahead(T0), ahead(T0 - 1000), ahead(T0 - 9000)]).toEqual([false, true, true]);
    store.write((w) => w.webhookDeliveries.rebase('a', T0 - 1000));
    expect(list().map(({ eventId, due }) => [eventId, (due ?? 0) - T0])).toEqual([
      [7, 1000],
      [6, 4000],
    ]);
    expect(store.read((r) => r.webhookDeliveries.earliest('b')?.due)).toBe(T0 + 5000);
    expect(ahead(T0 - 1000)).toBe(false);
  });
});

describe('a redelivery', () => {
  const requeue = (eventId: number, webhook = 'a'): boolean =>
    store.write((w) => w.webhookDeliveries.requeue(webhook, eventId, T0 + 50));

  it('makes any event up to the position due with all attempts', () => {
    record(delivered(6));
    record({ ...pending(7, 9000), attempts: 9 });
    record({ eventId: 8, attempts: 10, time: T0, state: 'failed', reason: 'timeout' });
    for (const id of [3, 6, 7, 8]) expect(requeue(id)).toBe(true);
    expect(list().map(({ eventId, state, attempts, due }) => [eventId, state, attempts, due])).toEqual([
      [8, 'pending', 0, T0 + 50],
      [7, 'pending', 0, T0 + 50],
      [6, 'pending', 0, T0 + 50],
      [3, 'pending', 0, T0 + 50],
    ]);
  });

  it('is refused for an event after the position and for an unknown endpoint', () => {
    expect([requeue(6), requeue(3, 'none')]).toEqual([false, false]);
    expect(list()).toEqual([]);
  });
});

describe('retention', () => {
  it('deletes ended deliveries, oldest first, in steps, and no pending ones', () => {
    record(delivered(6, T0));
    record(delivered(7, T0 - 2000));
    record({ eventId: 8, attempts: 10, time: T0 - 1000, state: 'failed', reason: 'timeout' });
    record(pending(9, 1000, { time: T0 - 9000 }));
    const expire = (before: number, upTo: number, max: number): number =>
      store.write((w) => w.webhookDeliveries.expire(before, upTo, max));
    expect(expire(T0, 6, 10)).toBe(0);
    expect(expire(T0, 9, 1)).toBe(1);
    expect(list().map(({ eventId }) => eventId)).toEqual([9, 8, 6]);
    expect(expire(T0, 7, 10)).toBe(0);
    expect(expire(T0, 8, 10)).toBe(1);
    expect(expire(T0, 9, 10)).toBe(0);
    expect(list().map(({ eventId }) => eventId)).toEqual([9, 6]);
    expect(position()).toBe(9);
  });
});
