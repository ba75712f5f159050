import { describe, expect, it } from '@jest/globals';
import {
  compareDeliveries,
  compareMoney,
  compareOrders,
  compareResources,
  compareStream,
  MARGINS,
  type Money,
} from './comparisons.js';

const money: Money = {
  ...{ available: 90n, frozen: 10n, balance: 87n, pool: 5n },
  ...{ in: ['a', 'b'], poolHashes: [], out: ['c'], pending: ['d'], failed: [] },
};
/** The pending payment takes 20 from the wallet, and returns 7 to it. */
const transfers = new Map([['d', { amountIn: 20n, change: 7n, failed: false }]]);
const events = { sum: 102n, transfers };
const twin: Money = {
  ...{ available: 110n, frozen: 0n, balance: 110n, pool: 5n },
  ...{ in: ['b', 'a'], poolHashes: [], out: ['c'], pending: [], failed: [] },
};

describe('the money of a wallet', () => {
  it('agrees with its events and with a restored wallet, payments that are not mined aside', () => {
    expect(compareMoney(money, twin, events)).toEqual([]);
  });

  it('agrees while a restored wallet sees the pending payment in the pool', () => {
    const seeing = { ...twin, available: 90n, pending: ['d'] };
    expect(compareMoney(money, seeing, events)).toEqual([]);
    expect(compareMoney(money, { ...seeing, pending: [] }, events)).not.toEqual([]);
    expect(compareMoney(money, { ...seeing, available: 110n }, events)).not.toEqual([]);
  });

  it('agrees while a payment spends the change of another one that a reorganisation has returned', () => {
    const first = { amountIn: 20n, change: 7n, failed: false };
    const second = { amountIn: 7n, change: 3n, failed: false };
    const pending = { ...money, balance: 83n, pending: ['d', 'e'] };
    const both = { sum: 98n, transfers: new Map([...transfers, ['d', first], ['e', second]]) };
    expect(compareMoney(pending, twin, both)).toEqual([]);
    expect(compareMoney({ ...pending, balance: 87n }, twin, both)).not.toEqual([]);
  });

  it.each([
    ['its balance is wrong', { ...money, balance: 86n }, twin, events],
    ['its events sum to less', money, twin, { ...events, sum: 101n }],
    ['an output is lost', { ...money, available: 89n, balance: 86n }, twin, { ...events, sum: 101n }],
    ['a payment to it is lost', { ...money, in: ['a'] }, twin, events],
    ['a payment to it is made up', money, { ...twin, in: ['a'] }, events],
    ['a payment of it is lost', { ...money, out: [] }, twin, events],
    ['its events lack the pending payment', money, twin, { ...events, transfers: new Map() }],
    [
      'its events say that the pending payment failed',
      money,
      twin,
      { sum: 115n, transfers: new Map([['d', { amountIn: 20n, change: 7n, failed: true }]]) },
    ],
  ])('differs if %s', (_, ours, restored, told) => {
    expect(compareMoney(ours, restored, told)).not.toEqual([]);
  });
});

describe('orders', () => {
  const orders = new Map([
    ['one', { txid: 'a', failed: new Set<string>() }],
    ['two', { txid: 'c', failed: new Set(['b']) }],
  ]);
  const stored = new Map([
    ['one', ['a']],
    ['two', ['b', 'c']],
  ]);

  it('may be paid anew after a payment that failed', () => {
    expect(compareOrders(orders, stored, ['a', 'c'])).toEqual([]);
  });

  it('are paid once at most', () => {
    expect(compareOrders(orders, stored, ['a', 'b', 'c'])).toEqual(['two is paid 2 times: b, c']);
  });

  it('are not lost after their answer', () => {
    expect(compareOrders(orders, new Map([['one', ['a']]]), ['a'])).toEqual([
      'two was answered, and is lost',
    ]);
  });

  it('are the only payments', () => {
    expect(compareOrders(orders, stored, ['a', 'x'])).toEqual([
      'the chain has the payment x, which is of no order',
    ]);
  });
});

describe('the ids of a stream', () => {
  it('are those of the wallet', () => {
    expect(compareStream([1, 2, 5, 7], [1, 2, 5])).toEqual([]);
  });

  it.each([
    ['lack one', [1, 5]],
    ['repeat one', [1, 2, 2, 5]],
    ['have another one', [1, 2, 3, 5]],
  ])('differ if they %s', (_, read) => {
    expect(compareStream(read, [1, 2, 5])).toHaveLength(1);
  });
});

it('finds an event that a webhook has neither sent nor is to send', () => {
  expect(compareDeliveries(new Set([1]), [1, 2, 3], new Set([2, 3]))).toEqual([]);
  expect(compareDeliveries(new Set([1]), [1, 2, 3], new Set([2]))).toEqual(['the webhook lacks 1 events: 3']);
});

it('finds memory and open files that a process keeps', () => {
  const before = { memory: 100 << 20, descriptors: 40 };
  expect(compareResources(before, before)).toEqual([]);
  expect(compareResources(before, { ...before, memory: before.memory + MARGINS.memory + 1 })).toHaveLength(1);
  expect(compareResources(before, { ...before, descriptors: 41 + MARGINS.descriptors })).toHaveLength(1);
});
