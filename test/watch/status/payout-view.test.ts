import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WalletError } from '../../../src/model/wallet-error.js';
import type { PayoutView } from '../../../src/services/payouts/payout-views.js';
import { NO_PAYOUTS, payoutFigures } from '../../../src/services/payouts/payout-figures.js';
import type { WalletFacts } from '../../../src/watch/wallet-facts.js';
import { findPayouts, readPayouts, type PayingWallet } from '../../../src/watch/status/payout-view.js';
import { CREATED, newPayout } from '../../support/wallets/payouts.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';

const opened: TestWallet[] = [];
let reads = 0;

beforeEach(() => {
  reads = 0;
});
afterEach(() => {
  for (const wallet of opened.splice(0)) wallet.close();
});

type Added = readonly [id: string, changes?: Parameters<typeof newPayout>[1]];

/** Creates a wallet with payouts, which it reads from a real store. */
function walletWith(
  name: string,
  ...payouts: readonly Added[]
): PayingWallet & { readonly facts: WalletFacts } {
  const { store } = (opened[opened.length] = new TestWallet({ name }));
  store.write((w) => payouts.forEach((args) => w.payouts.add(newPayout(...args))));
  const view = (payout: PayoutView['payout']): PayoutView =>
    ({ payout, confirmations: 0, actions: [] }) as never;
  const { read } = store;
  const reading = read.bind(store) as typeof read;
  return {
    name,
    facts: { name, payouts: reading(payoutFigures) } as unknown as WalletFacts,
    payouts: {
      get(payoutId) {
        const payout = reading((r) => r.payouts.byId(payoutId));
        if (payout === undefined) throw new WalletError({ kind: 'payout_missing', payoutId });
        return view(payout);
      },
      list(filter, to, limit) {
        reads += 1;
        return Promise.resolve({
          payouts: reading((r) => r.payouts.list(filter, { from: 0, to }, limit)).map(view),
        });
      },
      oldest() {
        const [first] = reading((r) => r.payoutFigures.oldestQueued());
        return first && view(reading((r) => r.payouts.at(first.sequence)));
      },
    },
  };
}

const readAll = (...wallets: readonly ReturnType<typeof walletWith>[]): ReturnType<typeof readPayouts> =>
  readPayouts(
    wallets,
    wallets.map(({ facts }) => facts),
  );

const ids = (list: readonly { readonly wallet: string; readonly view: PayoutView }[] = []): string[] =>
  list.map(({ wallet, view }) => `${wallet}/${view.payout.payoutId}`);

describe('the payouts of the status page', () => {
  it('are absent without payouts, and no wallet without any is read', async () => {
    const empty = walletWith('empty');
    expect(empty.facts.payouts).toBe(NO_PAYOUTS);
    expect(await readAll(empty)).toBeUndefined();
    expect(reads).toBe(0);
  });

  it('are counted over all wallets, with the latest twenty of all and the oldest queued one', async () => {
    const many = walletWith(
      'many',
      ...Array.from({ length: 25 }, (_, i): Added => [`m${i}`, { created: CREATED + 2 * i, state: 'sent' }]),
    );
    const few = walletWith(
      'few',
      ['f0', { created: CREATED + 41 }],
      ['f1', { created: CREATED + 47 }],
      ['f2', { created: CREATED + 49, state: 'confirmed' }],
    );
    const view = await readAll(many, few, walletWith('none'));
    expect(view?.counts).toEqual(
      new Map([
        ['sent', 25],
        ['queued', 2],
        ['confirmed', 1],
      ]),
    );
    expect(view?.latest).toHaveLength(20);
    expect(ids(view?.latest).slice(0, 4)).toEqual(['few/f2', 'many/m24', 'few/f1', 'many/m23']);
    expect(ids(view?.oldest && [view.oldest])).toEqual(['few/f0']);
  });

  it('name the pauses with their wallets', async () => {
    const shop = walletWith('shop', ['a']);
    const pauses = [{ account: 2, reason: 'audit', time: 7 }];
    const facts = { ...shop.facts, payouts: { ...shop.facts.payouts, pauses } };
    const view = await readPayouts([shop], [facts]);
    expect(view?.pauses).toEqual([{ wallet: 'shop', account: 2, reason: 'audit', time: 7 }]);
  });

  it('leave out a wallet that cannot be read', async () => {
    const broken = walletWith('broken', ['b']);
    const failing: PayingWallet = {
      name: 'broken',
      payouts: {
        get: () => {
          throw new WalletError({ kind: 'wallet_corrupt', name: 'w', reason: 'damaged' });
        },
        list: () => Promise.reject(new WalletError({ kind: 'no_wallet' })),
        oldest: () => {
          throw new WalletError({ kind: 'no_wallet' });
        },
      },
    };
    const good = walletWith('good', ['g', { created: CREATED + 9 }]);
    const view = await readPayouts([failing, good], [broken.facts, good.facts]);
    expect(ids(view?.latest)).toEqual(['good/g']);
    expect(view?.oldest).toBeUndefined();
    expect(ids((await findPayouts([failing, good], 'g'))?.found)).toEqual(['good/g']);
  });
});

describe('a search for payouts', () => {
  it('finds parts of ids, addresses and references in all wallets, an exact id first', async () => {
    const a = walletWith(
      'a',
      ['w-1'],
      ['w-12'],
      ['x', { reference: 'order w-1' }],
      ['y', { address: '8w-1' }],
      ['z'],
    );
    const b = walletWith('b', ['w-1']);
    const search = await findPayouts([a, b], ' w-1 ');
    expect(search).toMatchObject({ text: 'w-1', hasMore: false });
    expect(ids(search?.found)).toEqual(['a/w-1', 'b/w-1', 'a/y', 'a/x', 'a/w-12']);
  });

  it('returns the first twenty, and says that there are more', async () => {
    const all = Array.from({ length: 21 }, (_, i): Added => [`p${i}`]);
    const search = await findPayouts([walletWith('a', ...all)], 'p');
    expect(search?.found).toHaveLength(20);
    expect(search?.hasMore).toBe(true);
    const fewer = await findPayouts([walletWith('b', ...all.slice(0, 20))], 'p');
    expect([fewer?.found.length, fewer?.hasMore]).toEqual([20, false]);
  });

  it('does not read for a text without characters, and cuts a text longer than an id', async () => {
    const wallet = walletWith('a', ['p']);
    expect(await findPayouts([wallet], ' \n ')).toBeUndefined();
    expect(reads).toBe(0);
    expect((await findPayouts([wallet], 'p'.repeat(5000)))?.text).toHaveLength(255);
  });

  it('takes wildcards and quotes literally', async () => {
    const wallet = walletWith('a', ['p%'], ['p_'], ["p'"], ['px']);
    for (const text of ['p%', 'p_', "p'"])
      expect(ids((await findPayouts([wallet], text))?.found)).toEqual([`a/${text}`]);
  });
});
