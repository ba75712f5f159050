import { beforeEach, describe, expect, it } from '@jest/globals';
import { FlushedEvents } from '../../../src/services/events/flushed-events.js';
import type { WalletStore } from '../../../src/store/wallet-store.js';
import { VirtualClock } from '../../support/fakes/virtual-clock.js';

/** Store with a number of events, whose flushes end when a test says so. */
class SlowStore {
  last = 0;
  /** Flushes that have begun. */
  flushes = 0;
  end: (error?: Error) => void = () => undefined;

  read(): number {
    return this.last;
  }

  flushEvents(): Promise<void> {
    this.flushes += 1;
    return new Promise((resolve, reject) => {
      this.end = (error) => (error === undefined ? resolve() : reject(error));
    });
  }
}

let store: SlowStore;
let clock: VirtualClock;
let flushed: FlushedEvents;
let calls: number;
let errors: unknown[];

beforeEach(() => {
  store = new SlowStore();
  clock = new VirtualClock();
  calls = 0;
  errors = [];
  flushed = new FlushedEvents(store as unknown as WalletStore, clock, {
    onFlushed: () => void (calls += 1),
    onError: (error) => void errors.push(error),
  });
});

const settled = (): Promise<void> => clock.advance(0);

describe('the position of events on disk', () => {
  it('advances when the flush has ended, to the last event before the flush', async () => {
    store.last = 5;
    flushed.advance();
    await settled();
    store.last = 7;
    expect([flushed.upTo, calls]).toEqual([0, 0]);
    store.end();
    await settled();
    expect([flushed.upTo, calls, store.flushes]).toEqual([5, 1, 1]);
  });

  it('is flushed once more for all events that were appended during a flush', async () => {
    store.last = 5;
    flushed.advance();
    await settled();
    for (store.last = 6; store.last < 9; store.last++) flushed.advance();
    await settled();
    expect(store.flushes).toBe(1);
    store.end();
    await settled();
    store.end();
    await settled();
    expect([flushed.upTo, store.flushes]).toEqual([9, 2]);
  });

  it('advances again after the last flush has ended', async () => {
    for (store.last = 1; store.last < 4; store.last++) {
      flushed.advance();
      await settled();
      store.end();
      await settled();
      expect(flushed.upTo).toBe(store.last);
    }
  });

  it('stays after a failed flush, which is reported and repeated after five seconds', async () => {
    store.last = 5;
    flushed.advance();
    await settled();
    store.end(new Error('disk full'));
    await clock.advance(4999);
    expect([flushed.upTo, errors.length, store.flushes]).toEqual([0, 1, 1]);
    await clock.advance(1);
    expect(store.flushes).toBe(2);
    store.end();
    await settled();
    expect(flushed.upTo).toBe(5);
  });

  it('neither advances nor reads the store after closing, which waits for the flush', async () => {
    store.last = 5;
    flushed.advance();
    await settled();
    let isClosed = false;
    const closing = flushed.close().then(() => (isClosed = true));
    await settled();
    expect(isClosed).toBe(false);
    store.end();
    await closing;
    flushed.advance();
    await settled();
    expect([flushed.upTo, calls, store.flushes]).toEqual([0, 0, 1]);
  });

  it('closes at once during the pause after a failed flush', async () => {
    flushed.advance();
    await settled();
    store.end(new Error('disk full'));
    await settled();
    await flushed.close();
    expect([store.flushes, clock.timers]).toEqual([1, 0]);
  });
});
