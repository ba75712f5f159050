import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WHOLE_WALLET } from '../../../src/model/payout.js';
import {
  NO_PAYOUTS,
  payoutAges,
  payoutFigures,
  type PayoutFigures,
} from '../../../src/services/payouts/payout-figures.js';
import { CREATED, newPayout } from '../../support/wallets/payouts.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';

let wallet: TestWallet;

beforeEach(() => {
  wallet = new TestWallet();
});
afterEach(() => wallet.close());

const read = (): PayoutFigures => wallet.store.read(payoutFigures);
const add = (id: string, changes: Parameters<typeof newPayout>[1] = {}): number =>
  wallet.store.write((w) => w.payouts.add(newPayout(id, changes)));
const pause = (account: number): void =>
  wallet.store.write((w) => w.payouts.pause({ account, reason: 'audit', time: 5 }));

describe('the figures of payouts', () => {
  it('are empty for a wallet without any', () => {
    pause(WHOLE_WALLET);
    expect(read()).toBe(NO_PAYOUTS);
  });

  it('count the states, and name the paying accounts with their pauses', () => {
    add('a');
    add('b', { account: 2 });
    add('c', { account: 2, state: 'expired' });
    pause(2);
    expect(read()).toMatchObject({
      counts: new Map([
        ['expired', 1],
        ['queued', 2],
      ]),
      accounts: [
        { account: 0, isPaused: false },
        { account: 2, isPaused: true },
      ],
      pauses: [{ account: 2, reason: 'audit', time: 5 }],
    });
    pause(WHOLE_WALLET);
    expect(read().accounts.map(({ isPaused }) => isPaused)).toEqual([true, true]);
  });

  it('tell payouts of paused accounts from those that wait for their turn', () => {
    add('a', { created: CREATED + 9 });
    add('b', { account: 1, created: CREATED + 5 });
    add('c', { account: 2, created: CREATED + 6 });
    add('d', { created: CREATED + 7, state: 'awaiting_approval' });
    pause(1);
    const { oldest } = read();
    expect(oldest).toEqual(
      new Map([
        ['queue', CREATED + 6],
        ['pause', CREATED + 5],
        ['approval', CREATED + 7],
      ]),
    );
    expect(payoutAges({ oldest }, CREATED + 6)).toEqual(
      new Map([
        ['queue', 0],
        ['pause', 1],
        ['approval', 0],
      ]),
    );
  });
});
