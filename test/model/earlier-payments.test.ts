import { expect, test } from '@jest/globals';
import type { Hash } from '../../src/monero/crypto/types.js';
import { requestStatus } from '../../src/model/request-state.js';
import { amount } from '../../src/util/amount.js';

const CREATED = 1_700_000_000;
const TWO_HOURS = 7200;
const terms = {
  ...{ amount: amount(5n), tolerance: amount(0n), confirmations: 1, ended: false },
  ...{ firstHeight: 100, created: CREATED },
};
const view = { tip: 200, now: CREATED };

const paid = (height: number | undefined, arrival: number) => ({
  ...{ txHash: new Uint8Array(32) as Hash, amount: amount(5n), arrival, unlockTime: 0n, isContested: false },
  ...(height === undefined ? {} : { height }),
});

test('a payment of an earlier life of the address, which a restored wallet finds later, counts nothing', () => {
  const old = CREATED - TWO_HOURS - 1;
  expect(requestStatus(terms, [paid(99, old)], view)).toMatchObject({
    ...{ state: 'waiting', mined: 0n, late: 0n, locked: 0n, payments: [] },
  });
});

test.each([
  ['whose block is high enough, though its time is early', 100, 0],
  ['whose time is late enough, though a daemon claimed a greater height', 99, CREATED - TWO_HOURS],
  ['that is later in height and time', 100, CREATED],
])('a payment counts %s', (_, height, arrival) => {
  expect(requestStatus(terms, [paid(height, arrival)], view)).toMatchObject({ state: 'paid', mined: 5n });
});

test('a payment in the mempool counts at any time', () => {
  expect(requestStatus(terms, [paid(undefined, 0)], view)).toMatchObject({ state: 'seen', unmined: 5n });
});
