import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WalletError } from '../../../src/model/wallet-error.js';
import { DeskSearch, type SearchedWallet } from '../../../src/watch/desk/search.js';
import type { PageRights } from '../../../src/http/pages/page-rights.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';
import { newPayout } from '../../support/wallets/payouts.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';
import { ALL_RIGHTS } from '../status/status-fixtures.js';

let wallet: TestWallet;

beforeEach(() => {
  wallet = new TestWallet();
});
afterEach(() => wallet.close());

/** A wallet over the store of the test. */
const searched = (name: string, changes: Partial<SearchedWallet> = {}): SearchedWallet =>
  ({
    ...{
      name,
      store: wallet.store,
      keystore: { hidesNotes: false },
      accounts: { ownIndex: () => undefined },
    },
    payouts: { list: () => Promise.resolve({ payouts: [] }) },
    paymentRequests: { list: () => Promise.resolve({ requests: [], viewsOf: () => [] }) },
    ...changes,
  }) as unknown as SearchedWallet;

const find = (wallets: readonly SearchedWallet[], text: string, rights: PageRights = ALL_RIGHTS) =>
  new DeskSearch(() => wallets).find(text, rights);

describe('a search of the support desk', () => {
  it('finds nothing for a text without characters', async () => {
    expect(await find([searched('a')], ' \n ')).toBeUndefined();
  });

  it('finds an exact name in each wallet that the client reaches, of the kinds that it may see', async () => {
    wallet.store.write((w) => w.payouts.add(newPayout('p-1')));
    const wallets = [searched('a'), searched('b')];
    const ids = (found: Awaited<ReturnType<typeof find>>) =>
      found?.items.map((item) => `${item.kind} ${item.wallet}`);
    expect(ids(await find(wallets, ' p-1 '))).toEqual(['payout a', 'payout b']);
    expect(ids(await find(wallets, 'p-1', { ...ALL_RIGHTS, reaches: (name) => name === 'b' }))).toEqual([
      'payout b',
    ]);
    expect(
      ids(await find(wallets, 'p-1', { ...ALL_RIGHTS, allows: (method) => method !== 'get_payout' })),
    ).toEqual([]);
    expect(ids(await find(wallets, 'b'))).toEqual(['wallet b']);
  });

  it('leaves out a wallet that cannot be read', async () => {
    const damaged = searched('bad', {
      store: {
        read: () => {
          throw new WalletError({ kind: 'wallet_corrupt', name: 'bad', reason: 'damaged' });
        },
      } as never,
    });
    wallet.store.write((w) => w.payouts.add(newPayout('p-1')));
    expect((await find([damaged, searched('a')], 'p-1'))?.items).toEqual([
      { kind: 'payout', wallet: 'a', id: 'p-1' },
    ]);
    expect(await find([damaged], 'nothing')).toMatchObject({ items: [], isCut: false });
  });

  it('says that there may be more than it lists', async () => {
    const payouts = Array.from({ length: 51 }, (_, i) => ({ payout: { payoutId: `x${i}` } }));
    const full = searched('a', { payouts: { list: () => Promise.resolve({ payouts }) } as never });
    const found = await find([full], 'abc');
    expect([found?.items.length, found?.isCut]).toEqual([50, true]);
    // A part of two characters names too much.
    expect((await find([full], 'ab'))?.items).toEqual([]);
  });

  it('of a thousand wallets leaves the event loop free', async () => {
    const wallets = Array.from({ length: 1000 }, (_, i) => searched(`w${i}`));
    const turns = new EventLoopTurns();
    await find(wallets, 'nothing has this');
    expect(turns.stop()).toBeGreaterThan(3);
  });

  it('is refused while many run', async () => {
    const search = new DeskSearch(() => Array.from({ length: 200 }, (_, i) => searched(`w${i}`)));
    const running = Array.from({ length: 8 }, () => search.find('text', ALL_RIGHTS));
    expect(search.isBusy).toBe(true);
    await Promise.all(running);
    expect(search.isBusy).toBe(false);
  });
});
