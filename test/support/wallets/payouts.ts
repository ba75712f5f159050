import type { Payout, PayoutState } from '../../../src/model/payout.js';
import type { PayoutWriter } from '../../../src/store/tables/payouts.js';
import type { WalletWriter } from '../../../src/store/wallet-writer.js';
import { amount } from '../../../src/util/amount.js';

type NewPayout = Parameters<PayoutWriter['add']>[0];

/** Time of creation of payouts of tests [Unix s]. */
export const CREATED = 1_700_000_000;

/** Returns a queued payout of account 0. */
export const newPayout = (payoutId: string, changes: Partial<NewPayout> = {}): NewPayout => ({
  ...{
    payoutId,
    account: 0,
    address: `4${payoutId}`,
    amount: amount(1_000_000_000_000n),
    feePayer: 'wallet',
  },
  ...{ priority: 0, allowOwn: false, created: CREATED, state: 'queued' },
  ...changes,
});

/** Records and reports a state of a payout. */
export const movePayout = (w: WalletWriter, payout: Payout, state: PayoutState): void =>
  w.events.payouts.move(payout, state);

/** Records a batch of payouts, with a fee of 5 for each; no order follows it. */
export function recordBatch(
  payouts: PayoutWriter,
  batch: number,
  account: number,
  sequences: readonly number[],
): void {
  const shares = sequences.map((payout) => ({ payout, amount: amount(1n), fee: amount(5n) }));
  payouts.addBatch({ sequence: batch, account, created: CREATED }, shares);
}
