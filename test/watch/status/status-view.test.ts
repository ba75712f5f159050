import { describe, expect, it } from '@jest/globals';
import type { EventJson } from '../../../src/services/events/event-json.js';
import type { EventType } from '../../../src/model/events.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { RecentEventReader, type EventfulWallet } from '../../../src/watch/status/status-view.js';

const event = (id: number, type: EventType, data: EventJson['data'] = {}): EventJson => ({
  ...{ id, type, data, wallet: 'w', timestamp: '2026-01-01T00:00:00.000Z' },
});

const walletWith = (...events: EventJson[]): EventfulWallet => ({
  eventLog: {
    lastId: Math.max(0, ...events.map(({ id }) => id)),
    latest: (limit, types) =>
      events
        .filter(({ type }) => types.includes(type))
        .sort((a, b) => b.id - a.id)
        .slice(0, limit),
  },
});

const damaged: EventfulWallet = {
  eventLog: {
    get lastId(): number {
      throw new WalletError({ kind: 'wallet_corrupt', name: 'w', reason: 'damaged' });
    },
    latest: () => [],
  },
};

const recentEvents = (wallets: readonly EventfulWallet[]) => new RecentEventReader().read(wallets);

describe('the latest events of several wallets', () => {
  it('are the five newest ones that matter, with the id of the last of any type', async () => {
    const odd = walletWith(...[1, 3, 5, 7, 9, 11, 13].map((id) => event(id, 'request.late')));
    const even = walletWith(
      ...[2, 4, 6, 8, 10, 12].map((id) => event(id, 'payout.failed')),
      event(14, 'wallet.synced'),
      event(15, 'wallet.reorganised', { depth: 1 }),
    );
    const { events, lastId } = await recentEvents([odd, walletWith(), even]);
    expect(events.map(({ id }) => id)).toEqual([13, 12, 11, 10, 9]);
    expect(lastId).toBe(15);
  });

  it('show a payment once, at its latest stage, and a transfer of the same transaction beside it', async () => {
    const paid = { tx_hash: 'a', address: '4' };
    const wallet = walletWith(
      event(1, 'payment.seen', paid),
      event(2, 'payment.mined', paid),
      event(3, 'payment.confirmed', paid),
      event(4, 'payment.seen', { ...paid, address: '8' }),
      event(5, 'transfer.relayed', { tx_hash: 'a' }),
      event(6, 'wallet.synced'),
    );
    const { payments } = await recentEvents([wallet]);
    expect(payments.map(({ id }) => id)).toEqual([5, 4, 3]);
  });

  it('leave out a wallet that cannot be read', async () => {
    const { events } = await recentEvents([
      damaged,
      walletWith(event(1, 'wallet.reorganised', { depth: 2 })),
    ]);
    expect(events).toHaveLength(1);
    expect(await recentEvents([])).toEqual({ events: [], payments: [], lastId: 0 });
  });

  it('are read again only after an event', async () => {
    let reads = 0;
    const eventLog = { lastId: 1, latest: () => ((reads += 1), []) };
    const reader = new RecentEventReader();
    const wallet = { eventLog };
    await reader.read([wallet]);
    const before = reads;
    await reader.read([wallet]);
    expect(reads).toBe(before);
  });
});
