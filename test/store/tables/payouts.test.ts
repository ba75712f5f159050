import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { CREATED, newPayout, recordBatch } from '../../support/wallets/payouts.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet();
});
afterEach(() => wallet.close());

it('pays a payout by the batch that its state follows, although a later batch contains it, too', () => {
  const paid = wallet.store.write(({ payouts }) => {
    const sequence = payouts.add(newPayout('a'));
    const batchOf = (): number | undefined => payouts.paymentOf(sequence)?.batch;
    // An earlier set was signed late and relayed elsewhere, after a later one was made.
    for (const batch of [7, 8]) recordBatch(payouts, batch, 0, [sequence]);
    payouts.setState(sequence, 'sent', { time: CREATED, batch: 7 });
    const found = [batchOf()];
    payouts.follow(sequence, 8);
    found.push(batchOf());
    payouts.setState(sequence, 'queued', { time: CREATED });
    return [...found, batchOf()];
  });
  expect(paid).toEqual([7, 8, undefined]);
});
