import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WalletError } from '../../../src/model/wallet-error.js';
import type { PayoutView } from '../../../src/services/payouts/payout-views.js';
import { NO_PAYOUTS, payoutFigures } from '../../../src/services/payouts/payout-figures.js';
import type { WalletFacts } from '../../../src/watch/wallet-facts.js';
import { readPayouts, type PayingWallet } from '../../../src/watch/status/payout-view.js';
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

  it('are counted over all wallets, with the latest five to approve of all and the oldest queued one', async () => {
    const many = walletWith(
      'many',
      ...Array.from({ length: 25 }, (_, i): Added => [
        `m${i}`,
        { created: CREATED + 2 * i, state: 'awaiting_approval' },
      ]),
    );
    const few = walletWith(
      'few',
      ['f0', { created: CREATED + 41 }],
      ['f1', { created: CREATED + 47 }],
      ['f2', { created: CREATED + 47, state: 'awaiting_approval' }],
    );
    const view = await readAll(many, few, walletWith('none'));
    expect(view?.counts).toEqual(
      new Map([
        ['awaiting_approval', 26],
        ['queued', 2],
      ]),
    );
    expect(ids(view?.awaiting)).toEqual(['many/m24', 'few/f2', 'many/m23', 'many/m22', 'many/m21']);
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
    const broken = walletWith('broken', ['b', { state: 'awaiting_approval' }]);
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
    const good = walletWith('good', ['g', { created: CREATED + 9, state: 'awaiting_approval' }]);
    const view = await readPayouts([failing, good], [broken.facts, good.facts]);
    expect(ids(view?.awaiting)).toEqual(['good/g']);
    expect(view?.oldest).toBeUndefined();
  });
});
