import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StoredEvents } from '../../../src/services/webhooks/wallet-webhooks.js';
import { DEFAULT_CONFIRMATIONS } from '../../../src/store/events/event-log.js';
import { EventIds } from '../../../src/store/file/event-ids.js';
import { output, page, received } from '../../store/fixtures.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { isEventType, type EventType } from '../../../src/model/events.js';

const T0 = 1_700_000_000_000;

let time: number;
let store: WalletStore;
const flushed = { upTo: 0 };

beforeEach(() => {
  time = T0;
  const events = { ids: new EventIds({ clock: { now: () => time } }), confirmations: DEFAULT_CONFIRMATIONS };
  store = WalletStore.create(':memory:', new Uint8Array(32), undefined, undefined, events);
  flushed.upTo = 0;
});

afterEach(() => store.close());

const source = (...types: EventType[]): StoredEvents =>
  new StoredEvents(
    { name: 'shop', store, addresses: { text: () => '4address' } as never, keystore: { hidesNotes: false } },
    flushed,
    types.length === 0 ? undefined : types,
  );

function append(height: number): number {
  store.write((w) => w.events.synced(height));
  return store.read((r) => r.events.last());
}

describe('the history of a restored wallet', () => {
  const isHistory = { history: true };
  const pages = (): void =>
    store.write((w) => {
      w.events.beginNext();
      w.meta.set('arrival_height', '2');
      for (const height of [1, 2])
        w.applyPage(
          page(height, 1, { received: [received(height, height)], outputs: [output(height, height, 5n)] }),
        );
    });
  const take = (of: StoredEvents): string[] => {
    const bodies: string[] = [];
    for (let after = 0; ;) {
      const { event } = of.next(after) as { event?: { id: number; body: string } };
      if (event === undefined) return bodies;
      after = event.id;
      bodies.push(event.body);
    }
  };

  it('is not sent unless that is wanted, and marked then', () => {
    pages();
    flushed.upTo = store.read((r) => r.events.last());
    const all = store.read((r) => r.events.after(0, 100));
    const live = all.filter(({ history }) => history === undefined);
    expect([all.length > live.length, live.length > 0]).toEqual([true, true]);
    expect(take(source())).toHaveLength(live.length);
    expect(take(source()).some((body) => body.includes('history'))).toBe(false);
    expect(source().count(0, 100)).toBe(live.length);
    const whole = new StoredEvents(
      {
        name: 'shop',
        store,
        addresses: { text: () => '4address' } as never,
        keystore: { hidesNotes: false },
      },
      flushed,
      undefined,
      isHistory,
    );
    const sent = take(whole).map((body) => (JSON.parse(body) as { history?: boolean }).history === true);
    expect(sent).toEqual(all.map(({ history }) => history === true));
    // One that is asked for by its id is sent.
    expect(source().byId(all[0]?.id ?? 0)?.body).toContain('"history":true');
  });
});

describe('the next event', () => {
  it('is returned only once it is on disk', () => {
    const first = append(1);
    const second = append(2);
    expect(source().next(0)).toEqual({ upTo: 0 });
    flushed.upTo = first;
    expect(source().next(0)).toMatchObject({ event: { id: first } });
    expect(source().next(first)).toEqual({ upTo: first });
    flushed.upTo = second;
    expect(source().next(first)).toMatchObject({ event: { id: second } });
  });

  it('leaves out other types, and events that retention has deleted', () => {
    const first = append(1);
    time += 10_000;
    flushed.upTo = append(2);
    expect(source('payment.seen').next(0)).toEqual({ upTo: flushed.upTo });
    store.write((w) => w.events.expire(first, 100));
    expect(source().next(0)).toMatchObject({ event: { id: flushed.upTo } });
    expect(source().byId(first)).toBeUndefined();
  });

  it('has its amount exactly, beyond the integers of a double', () => {
    const amount = 9_007_199_254_740_993n;
    store.write((w) =>
      w.applyPage(page(0, 5, { received: [received(1, 3)], outputs: [output(1, 3, amount)] })),
    );
    flushed.upTo = store.read((r) => r.events.last());
    const { event } = source('payment.mined').next(0);
    expect(event?.body).toContain(`"amount":${amount},`);
    expect(event?.body.startsWith('{"type":"payment.mined","timestamp":"')).toBe(true);
    expect(source('payment.mined').byId(event?.id ?? 0)).toEqual(event);
    expect(source('payment.seen').byId(event?.id ?? 0)).toBeUndefined();
  });
});

it('a type is known only by its exact name', () => {
  expect(['payment.seen', 'payment', 'toString', ''].map(isEventType)).toEqual([true, false, false, false]);
});
