import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { CREATED, newPayout, recordBatch } from '../../support/wallets/payouts.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet();
});
afterEach(() => wallet.close());

it('pays a payout by the batch that its state follows, although a later batch contains it, too', () => {
  const payout = wallet.store.write((w) => {
    const sequence = w.payouts.add(newPayout('a'));
    // An earlier set was signed late and relayed elsewhere, after a later one was made.
    for (const batch of [7, 8]) recordBatch(w.payouts, batch, 0, [sequence]);
    w.payouts.setState(sequence, 'sent', { time: CREATED, batch: 7 });
    return sequence;
  });
  const batchOf = (): number | undefined => wallet.store.read((r) => r.payouts.paymentOf(payout)?.batch);
  expect(batchOf()).toBe(7);
  wallet.store.write((w) => w.payouts.follow(payout, 8));
  expect(batchOf()).toBe(8);
  wallet.store.write((w) => w.payouts.setState(payout, 'queued', { time: CREATED }));
  expect(batchOf()).toBeUndefined();
});
