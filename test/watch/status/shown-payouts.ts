import type { Payout } from '../../../src/model/payout.js';
import type { PayoutView } from '../../../src/services/payouts/payout-views.js';
import type { ShownPayout } from '../../../src/watch/status/payout-view.js';
import { CREATED, newPayout } from '../../support/wallets/payouts.js';

/** Returns a payout as its wallet shows it, queued by default. */
export const viewOf = (
  payoutId: string,
  changes: Partial<Payout> = {},
  more: Partial<Omit<PayoutView, 'payout'>> = {},
): PayoutView => {
  const { creator: _, refund: __, ...terms } = newPayout(payoutId);
  const payout: Payout = { ...terms, sequence: 1, changed: CREATED, ...changes };
  // Readers of these tests ignore the actions of clients on a payout.
  return { payout, confirmations: 0, actions: [], ...more } as PayoutView;
};

/** Returns a payout of the wallet `shop`. */
export const shown = (...args: Parameters<typeof viewOf>): ShownPayout => ({
  wallet: 'shop',
  view: viewOf(...args),
});
