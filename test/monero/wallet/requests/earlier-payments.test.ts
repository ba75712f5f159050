import { expect, it } from '@jest/globals';
import type { Hash } from '../../../../src/monero/crypto/types.js';
import { requestStatus } from '../../../../src/monero/wallet/requests/request-state.js';
import { amount } from '../../../../src/util/amount.js';

const terms = { amount: amount(5n), tolerance: amount(0n), confirmations: 1, firstHeight: 100, ended: false };
const view = { tipAt: () => 200, now: 1_800_000_000 };

const paidAt = (height: number) => ({
  txHash: new Uint8Array(32) as Hash,
  amount: amount(5n),
  arrival: 1_700_000_000,
  height,
  unlockTime: 0n,
  isContested: false,
});

it('counts no payment of an earlier life of the address, which a restored wallet finds later', () => {
  expect(requestStatus(terms, [paidAt(99)], view)).toMatchObject({
    state: 'waiting',
    mined: 0n,
    payments: [],
  });
  expect(requestStatus(terms, [paidAt(100)], view)).toMatchObject({ state: 'paid', mined: 5n });
});
