import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EventJson } from '../../../src/services/events/event-json.js';
import type { WalletEventLog } from '../../../src/services/events/wallet-event-log.js';
import { EventFeed } from '../../../src/services/manager/event-feed.js';
import type { EventType } from '../../../src/model/events.js';

/** Events of one wallet in memory. @param hidden id from which on they are not shown yet. */
function logOf(all: readonly number[], expiredUpTo = 0, hidden = Infinity): WalletEventLog {
  const ids = all.filter((id) => id < hidden);
  const events = ids.map((id): EventJson => ({
    ...{ id, type: id % 2 === 0 ? 'payment.seen' : 'payment.mined', timestamp: '', wallet: 'w', data: {} },
  }));
  return {
    expiredUpTo,
    lastId: ids.at(-1) ?? expiredUpTo,
    hiddenAfter: (after: number) => all.find((id) => id >= hidden && id > after) ?? Infinity,
    after: (after: number, limit: number, types?: readonly EventType[]) =>
      events.filter(({ id, type }) => id > after && types?.includes(type) !== false).slice(0, limit),
  } as unknown as WalletEventLog;
}

describe('events of several wallets', () => {
  it('are read in order, each once, through pages of any size', () => {
    const wallets = fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { maxLength: 80 }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(wallets, fc.integer({ min: 1, max: 40 }), fc.boolean(), (lists, limit, typed) => {
        const taken = new Set<number>();
        const logs = lists.map((ids) => {
          const own = ids.filter((id) => !taken.has(id)).sort((a, b) => a - b);
          for (const id of own) taken.add(id);
          return logOf(own);
        });
        const feed = new EventFeed();
        const read: number[] = [];
        const types: { types?: readonly EventType[] } = typed ? { types: ['payment.seen'] } : {};
        for (let after = 0; ;) {
          const { events, cursor } = feed.read(logs, { after, limit, ...types });
          expect(events.length).toBeLessThanOrEqual(limit);
          read.push(...events.map(({ id }) => id));
          if (cursor === after) break;
          after = cursor;
        }
        const all = [...taken].filter((id) => !typed || id % 2 === 0).sort((a, b) => a - b);
        expect(read).toEqual(all);
      }),
    );
  });

  it('fill a page as long as there are any', () => {
    const logs = [logOf([1, 4, 7]), logOf([2, 5, 8]), logOf([3, 6, 9])];
    expect(new EventFeed().read(logs, { after: 0, limit: 8 }).events.map(({ id }) => id)).toEqual([
      ...[1, 2, 3, 4, 5, 6, 7, 8],
    ]);
  });

  it('are not read after a cursor above those of the whole server', () => {
    const feed = new EventFeed((id) => id <= 9);
    const logs = [logOf([1, 3])];
    expect(feed.read(logs, { after: 9, limit: 5 })).toEqual({ events: [], cursor: 9 });
    expect(() => feed.read(logs, { after: 10, limit: 5 })).toThrow(
      expect.objectContaining({ fault: { kind: 'events_ahead' } }) as unknown as Error,
    );
  });

  it('wait behind one of another wallet that is not shown yet', () => {
    const feed = new EventFeed();
    const other = logOf([2, 5, 8]);
    // Two events of a wallet are shown later than a greater one of the other.
    const read = (hidden: number, after: number) => {
      const { events, cursor } = feed.read([logOf([1, 4, 7], 0, hidden), other], { after, limit: 9 });
      return [events.map(({ id }) => id), cursor];
    };
    expect(read(4, 0)).toEqual([[1, 2], 3]);
    expect(read(4, 3)).toEqual([[], 3]);
    expect(read(7, 3)).toEqual([[4, 5], 6]);
    expect(read(Infinity, 6)).toEqual([[7, 8], 8]);
    // One that a cursor has passed already, such as of a wallet that was taken over, keeps nothing back.
    expect(read(4, 7)).toEqual([[8], 8]);
  });

  it('begin after the last one that a wallet has deleted', () => {
    expect(new EventFeed().oldestCursor([logOf([9], 5), logOf([7], 3)])).toBe(5);
  });

  it('of other types move the cursor too', () => {
    const page = new EventFeed().read([logOf([1, 3, 5])], { after: 0, limit: 9, types: ['payment.seen'] });
    expect(page).toEqual({ events: [], cursor: 5 });
  });
});

describe('a wait for events', () => {
  it('ends with the next commit, with the server, with its signal, or after its time', async () => {
    const feed = new EventFeed();
    const abort = new AbortController();
    const waits = [feed.wait(60_000), feed.wait(60_000, abort.signal), feed.wait(1)];
    abort.abort();
    await Promise.all(waits.slice(1));
    feed.notify();
    await waits[0];
    const last = feed.wait(60_000);
    feed.close();
    await last;
    await feed.wait(60_000);
    expect(feed.isClosed).toBe(true);
  });
});
