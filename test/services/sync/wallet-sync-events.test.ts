import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { output, page, received } from '../../store/fixtures.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';

let wallet: TestWallet;

beforeEach(() => {
  wallet = new TestWallet();
});
afterEach(() => wallet.close());

/** Heights of the reported arrivals at the daemon's tip. */
const synced = (): unknown[] =>
  wallet.store.read((r) => r.events.after(0, 100, ['wallet.synced'])).map(({ data }) => data);

/** Refreshes a wallet that lacks some blocks of the daemon. */
async function refresh(from: number, blocks: number): Promise<void> {
  wallet.refresher.onRefresh = () => {
    if (blocks > 0) wallet.sync.commitPage(page(from, blocks), from + blocks);
    return Promise.resolve({ blocksFetched: blocks, receivedMoney: false });
  };
  await wallet.sync.refresh();
}

describe('the arrival at the tip of the daemon', () => {
  it('is reported once after the wallet is opened, even if no block is new', async () => {
    await refresh(0, 0);
    await refresh(0, 0);
    expect(synced()).toEqual([{ height: 1 }]);
  });

  it('is reported again only if the wallet lacked 10 blocks or more', async () => {
    await refresh(0, 20);
    await refresh(20, 1);
    await refresh(21, 9);
    expect(synced()).toEqual([{ height: 20 }]);
    await refresh(30, 10);
    expect(synced()).toEqual([{ height: 20 }, { height: 40 }]);
  });

  it('is known to the listener of its event, and unknown again if the event cannot be stored', async () => {
    const known: boolean[] = [];
    wallet.store.watchEvents(() => known.push(wallet.sync.isSynced));
    const write = jest.spyOn(wallet.store, 'writeRecoverable').mockImplementationOnce(() => {
      throw new Error('disk full');
    });
    await expect(refresh(0, 0)).rejects.toThrow('disk full');
    expect([known, wallet.sync.isSynced]).toEqual([[], false]);
    write.mockRestore();
    await refresh(0, 0);
    expect(known).toEqual([true]);
  });

  it('is not reported by a refresh that fails', async () => {
    wallet.refresher.onRefresh = () => Promise.reject(new Error('no daemon'));
    await expect(wallet.sync.refresh()).rejects.toThrow('no daemon');
    expect(synced()).toEqual([]);
  });
});

describe('a refresh', () => {
  it('deletes the events that are older than the retention', async () => {
    wallet.store.write((w) =>
      w.applyPage(page(0, 1, { received: [received(1, 0)], outputs: [output(1, 0, 5n)] })),
    );
    await refresh(1, 0);
    wallet.time += wallet.eventRetentionMs / 1000 + 100;
    await refresh(1, 0);
    expect(wallet.store.read((r) => r.events.after(0, 10))).toEqual([]);
    expect(wallet.store.read((r) => r.events.expiredUpTo())).toBeGreaterThan(0);
  });
});
