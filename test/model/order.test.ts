import { describe, expect, it } from '@jest/globals';
import {
  ORDER_STATES,
  orderState,
  positionsOf,
  STATE_OF,
  type OrderState,
  type TrackedTx,
} from '../../src/model/order.js';
import { madePayment } from '../support/wallets/made-payment.js';

/** Attempt in a state. */
const attempt = (state: OrderState, position = 0, number = 1): TrackedTx => ({
  ...{ sequence: 1, position, attempt: number, sent: true, isRecorded: true },
  ...{ state, made: madePayment(number, [1]) },
});

const attempts = (states: readonly OrderState[]): TrackedTx[] =>
  states.map((state, i) => attempt(state, 0, i + 1));

describe('the attempt in effect', () => {
  it.each<[OrderState[], number]>([
    [['prepared'], 1],
    [['failed', 'mined', 'relayed'], 2],
    [['mined', 'relayed', 'mined'], 1],
    [['relayed', 'failed', 'relayed', 'prepared'], 3],
    [['relayed', 'failed'], 1],
    [['prepared', 'failed', 'prepared', 'failed'], 4],
    [['failed', 'prepared'], 2],
  ])('among %j is number %d', (states, number) => {
    const all = attempts(states);
    expect(positionsOf(all)).toEqual([{ attempts: all, current: all[number - 1] }]);
  });

  it('is one of each transaction of the order', () => {
    const all = [
      attempt('failed', 0, 1),
      attempt('relayed', 0, 2),
      attempt('mined', 1, 1),
      attempt('prepared', 3),
    ];
    expect(positionsOf(all)).toEqual([
      { attempts: all.slice(0, 2), current: all[1] },
      { attempts: [all[2]], current: all[2] },
      { attempts: [all[3]], current: all[3] },
    ]);
    expect(positionsOf([])).toEqual([]);
  });
});

describe('the state of an order', () => {
  it.each<[OrderState[], OrderState]>([
    [['mined', 'failed', 'prepared', 'relayed'], 'failed'],
    [['mined', 'relayed', 'prepared'], 'prepared'],
    [['mined', 'relayed', 'mined'], 'relayed'],
    [['mined', 'mined'], 'mined'],
    [[], 'mined'],
  ])('with transactions that are %j is %s', (states, state) => {
    const positions = states.map((one, position) => {
      const current = attempt(one, position);
      return { attempts: [current], current };
    });
    expect(orderState(positions)).toBe(state);
  });

  it('follows the record of its payment', () => {
    expect(STATE_OF).toEqual({
      ...{ prepared: 'prepared', pending: 'relayed', confirmed: 'mined', failed: 'failed' },
    });
    expect(ORDER_STATES.toSorted()).toEqual(Object.values(STATE_OF).toSorted());
  });
});
