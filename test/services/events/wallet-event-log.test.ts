import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WalletEventLog } from '../../../src/services/events/wallet-event-log.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { idOf, newRequest } from '../../support/wallets/stored-requests.js';
import { output, page, received } from '../../store/fixtures.js';

let store: WalletStore;
let log: WalletEventLog;
let reads: number;
let hidesNotes: boolean;

beforeEach(() => {
  store = WalletStore.create(':memory:', new Uint8Array(32));
  reads = 0;
  hidesNotes = false;
  const read = store.read.bind(store);
  store.read = (task) => {
    reads += 1;
    return read(task);
  };
  log = new WalletEventLog({
    ...{ store, name: 'shop', addresses: { text: () => '4address' } as never },
    keystore: {
      get hidesNotes() {
        return hidesNotes;
      },
    },
  });
});

afterEach(() => store.close());

/** Appends an event. @returns its id. */
function append(height: number): number {
  store.write((w) => w.events.synced(height));
  return store.read((r) => r.events.last());
}

describe('the last id of the events of a wallet', () => {
  it('is that of the event appended last', () => {
    expect(log.lastId).toBe(0);
    const first = append(1);
    expect(log.lastId).toBe(first);
    const second = append(2);
    expect(log.lastId).toBe(second);
  });

  it('includes the events of pages that are not committed yet, which it commits', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'events-')), 'w');
    const onDisk = WalletStore.create(path, new Uint8Array(32));
    try {
      const found = { received: [received(1, 0)], outputs: [output(1, 0, 5n)] };
      const onDiskLog = new WalletEventLog({
        store: onDisk,
        name: 'shop',
        addresses: { text: () => '4' } as never,
        keystore: { hidesNotes },
      });
      const { eventVersion } = onDisk;
      expect(onDiskLog.lastId).toBe(0);
      onDisk.addPage(page(0, 1, found), { isFollowed: true });
      expect(onDisk.eventVersion).toBe(eventVersion);
      expect(onDiskLog.lastId).toBeGreaterThan(0);
      expect(onDisk.eventVersion).toBe(eventVersion + 1);
    } finally {
      onDisk.close();
      rmSync(dirname(path), { recursive: true });
    }
  });

  it('is not read again after writes without events', () => {
    const id = append(1);
    expect(log.lastId).toBe(id);
    reads = 0;
    for (let i = 0; i < 3; i++) {
      store.write((w) => w.meta.set('created_at', String(i)));
      expect(log.lastId).toBe(id);
    }
    expect(reads).toBe(0);
  });

  it('stays when all events have expired', () => {
    const id = append(1);
    store.write((w) => w.events.expire(Infinity, 10));
    expect(log.lastId).toBe(id);
    const read = new WalletEventLog({
      store,
      name: 'shop',
      addresses: { text: () => '' } as never,
      keystore: { hidesNotes },
    });
    expect(read.lastId).toBe(id);
  });

  it('is known to the listener of events', () => {
    const known: number[] = [];
    store.watchEvents(() => known.push(log.lastId));
    expect(log.lastId).toBe(0);
    const id = append(1);
    expect(known).toEqual([id]);
  });
});

it('hides the references of payment requests while notes are hidden', () => {
  const subaddress = { major: 0, minor: 1 };
  store.write((w) => {
    w.events.beginNext();
    w.requests.add({ ...newRequest(1), reference: 'order 4711' });
    w.applyPage(page(0, 1, { received: [received(1, 0)], outputs: [output(1, 0, 5n, { subaddress })] }));
  });
  const last = (): unknown => log.after(0, 10).at(-1);
  const type = 'request.partial';
  expect(last()).toMatchObject({ type, data: { request_id: idOf(1), reference: 'order 4711' } });
  const before = log.after(0, 10);
  hidesNotes = true;
  expect(last()).toMatchObject({ type, data: { request_id: idOf(1), received: 5n } });
  expect(last()).not.toHaveProperty('data.reference');
  expect(log.latest(10, [type])[0]).not.toHaveProperty('data.reference');
  expect(log.after(0, 10).slice(0, -1)).toEqual(before.slice(0, -1));
});

describe('the events of a wallet of a cluster', () => {
  it('are those that the quorum has', () => {
    const holding = { settled: () => Promise.resolve(), assertHeld: () => undefined, eventsUpTo: 0 };
    const held = new WalletEventLog({
      ...{ store, name: 'shop', addresses: { text: () => '4' } as never, holding },
      keystore: { hidesNotes },
    });
    const shown = (): number[][] => [
      held.after(0, 10).map(({ id }) => id),
      held.latest(10, ['wallet.synced']).map(({ id }) => id),
      [held.lastId, held.hiddenAfter(0), held.hiddenAfter(first)],
    ];
    const [first, second] = [append(1), append(2)];
    expect(shown()).toEqual([[], [], [0, first, second]]);
    holding.eventsUpTo = first;
    expect(shown()).toEqual([[first], [first], [first, second, second]]);
    holding.eventsUpTo = second + 5;
    expect(shown()).toEqual([
      [first, second],
      [second, first],
      [second, Infinity, Infinity],
    ]);
  });
});
