import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { PayoutViews } from '../../../src/services/payouts/payout-views.js';
import { newPayout } from '../../support/wallets/payouts.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet();
});
afterEach(() => wallet.close());

it('views a payout as it is, although it was read for a list before it changed', () => {
  const views = new PayoutViews(
    {
      ...{ clock: wallet.clock, keystore: wallet.keystore, store: wallet.store },
      payoutSettings: { interval: 60 } as never,
    },
    { approvals: { releaseOf: () => ({ kind: 'released' }) }, queue: { obstacleOf: () => undefined } },
  );
  wallet.store.write((w) => w.payouts.add(newPayout('a')));
  const read = wallet.store.read((r) => r.payouts.byId('a'));
  if (read === undefined) throw new Error('the payout is missing');
  expect(views.view(read)).toMatchObject({ payout: { state: 'queued' }, waitingFor: { kind: 'batch' } });
  wallet.store.write((w) => w.events.payouts.move(w.payouts.at(read.sequence), 'cancelled'));
  expect(views.view(read)).toMatchObject({ payout: { state: 'cancelled' } });
  expect(views.view(read)).not.toHaveProperty('waitingFor');
});
