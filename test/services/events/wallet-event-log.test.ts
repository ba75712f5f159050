import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WalletEventLog } from '../../../src/services/events/wallet-event-log.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { output, page, received } from '../../store/fixtures.js';

let store: WalletStore;
let log: WalletEventLog;
let reads: number;

beforeEach(() => {
  store = WalletStore.create(':memory:', new Uint8Array(32));
  reads = 0;
  const read = store.read.bind(store);
  store.read = (task) => {
    reads += 1;
    return read(task);
  };
  log = new WalletEventLog({ store, name: 'shop', addresses: { text: () => '4address' } as never });
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
    const read = new WalletEventLog({ store, name: 'shop', addresses: { text: () => '' } as never });
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
