import { expect, it } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { HistoryRows, type HistoryContext } from '../../../src/services/history/history-rows.js';
import { amount } from '../../../src/util/amount.js';
import type { OutgoingTx } from '../../../src/monero/wallet/build/outgoing-tx.js';

const context = {
  keystore: { hidesNotes: false },
  store: { read: () => true, height: () => 10, lastBlockReward: () => amount(0n) },
  ...{ clock: { now: () => 0 }, daemon: {} },
} as unknown as HistoryContext;
const services = { accounts: { address: () => 'own' } };

const entry = (more: Partial<OutgoingTx>) =>
  new HistoryRows(context, services).outgoing({
    txHash: new Uint8Array(32) as Hash,
    state: 'confirmed',
    account: 0,
    fromIndices: [0],
    amountIn: amount(50n),
    fee: amount(2n),
    change: amount(8n),
    unlockTime: 0n,
    timestamp: 1,
    height: 3,
    destinations: [],
    ...more,
  });
const to = (value: bigint) => ({ address: 'a', amount: amount(value) });

it.each([
  ['is what the inputs hold beyond change and fee', {}, 40n],
  ['is 0 where the known inputs hold less than change and fee', { amountIn: amount(3n) }, 0n],
  [
    'is the sum of the recorded destinations where known inputs hold less',
    { amountIn: amount(3n), destinations: [to(30n), to(10n)] },
    40n,
  ],
  [
    'is that sum too where known inputs hold a part of it',
    { amountIn: amount(15n), destinations: [to(30n), to(10n)] },
    40n,
  ],
  ['is 0 where all came back', { change: amount(48n), destinations: [to(40n)] }, 0n],
])('the amount of an outgoing payment %s', (_, more, paid) => {
  expect(entry(more).amount).toBe(paid);
});

it('the change of a payment to the paying account is the one recorded when it was made', () => {
  const { amount: paid, change } = entry({ change: amount(48n), changeAtPayment: amount(8n) });
  expect({ paid, change }).toEqual({ paid: 0n, change: 8n });
});
