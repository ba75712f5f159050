import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../src/monero/crypto/types.js';
import { REQUEST_STATES, type RequestPayment, type RequestTerms } from '../../src/model/payment-request.js';
import {
  differenceOf,
  excessOver,
  requestStatus,
  type RequestStatus,
} from '../../src/model/request-state.js';
import { amount, ZERO } from '../../src/util/amount.js';
import { bytes } from '../store/fixtures.js';

const NOW = 1_700_000_000;
const TIP = 100;

const termsOf = (more: Partial<RequestTerms> = {}): RequestTerms => ({
  ...{
    amount: amount(100n),
    tolerance: ZERO,
    confirmations: 3,
    firstHeight: 0,
    created: NOW - 60,
    ended: false,
    expires: NOW + 60,
  },
  ...more,
});

let made = 0;
/** A payment in the block at a height; undefined: in the mempool. */
const paid = (
  value: bigint,
  height: number | undefined,
  more: Partial<RequestPayment> = {},
): RequestPayment => ({
  txHash: bytes<Hash>((made = (made % 200) + 1)),
  amount: amount(value),
  arrival: NOW - 30,
  ...(height === undefined ? {} : { height }),
  unlockTime: 0n,
  isContested: false,
  ...more,
});

const statusOf = (
  terms: RequestTerms,
  payments: readonly RequestPayment[],
  { tip = TIP, now = NOW }: { readonly tip?: number; readonly now?: number } = {},
): RequestStatus => requestStatus(terms, payments, { tip, now });

const stateOf = (...args: Parameters<typeof statusOf>): string => statusOf(...args).state;

describe('the state of a request', () => {
  it('is waiting without payments, and partial with too little', () => {
    expect(stateOf(termsOf(), [])).toBe('waiting');
    expect(stateOf(termsOf(), [paid(99n, undefined)])).toBe('partial');
    expect(stateOf(termsOf(), [paid(50n, 90), paid(49n, undefined)])).toBe('partial');
  });

  it('is seen until enough is mined, confirming until enough is confirmed, then paid', () => {
    expect(stateOf(termsOf(), [paid(60n, 90), paid(40n, undefined)])).toBe('seen');
    expect(stateOf(termsOf(), [paid(60n, 90), paid(40n, 99)])).toBe('confirming');
    expect(stateOf(termsOf(), [paid(60n, 90), paid(40n, 98)])).toBe('paid');
  });

  it('follows the rule for the mempool where there is one: what meets it counts, other payments wait for a block', () => {
    const zeroConf = { maxAmount: amount(100n), minSeconds: 0, minNodes: 1, minPriority: 1 };
    const accepted = { isAccepted: true };
    const least = termsOf({ zeroConf, confirmations: 0 });
    expect(stateOf(least, [paid(100n, undefined)])).toBe('seen');
    expect(stateOf(least, [paid(100n, 100)])).toBe('paid');
    const more = termsOf({ zeroConf });
    expect(stateOf(more, [paid(100n, undefined, accepted)])).toBe('paid');
    expect(stateOf(more, [paid(100n, 100, accepted)])).toBe('paid');
    expect(stateOf(more, [paid(100n, 100)])).toBe('confirming');
    expect(stateOf(more, [paid(60n, undefined, accepted), paid(40n, undefined)])).toBe('seen');
    expect(stateOf(more, [paid(100n, undefined, { ...accepted, isContested: true })])).toBe('seen');
    expect(stateOf(more, [paid(100n, undefined, { ...accepted, unlockTime: 200n })])).toBe('waiting');
  });

  it('ignores what lacks confirmations beside enough that has them', () => {
    expect(stateOf(termsOf(), [paid(100n, 90), paid(70n, 100), paid(5n, undefined)])).toBe('paid');
  });

  test.each([
    [0, 'seen', 'paid'],
    [1, 'seen', 'paid'],
    [2, 'seen', 'confirming'],
  ])('counts the block of a payment as one confirmation: with %p needed', (confirmations, _, mined) => {
    expect(stateOf(termsOf({ confirmations }), [paid(100n, TIP)])).toBe(mined);
    expect(stateOf(termsOf({ confirmations }), [paid(100n, undefined)])).toBe(
      confirmations === 0 ? 'paid' : 'seen',
    );
  });

  it('is paid from the mempool only while no other transaction contests the payment', () => {
    const terms = termsOf({ confirmations: 0 });
    expect(stateOf(terms, [paid(100n, undefined, { isContested: true })])).toBe('seen');
    expect(stateOf(terms, [paid(60n, undefined), paid(40n, undefined, { isContested: true })])).toBe('seen');
    expect(stateOf(terms, [paid(100n, undefined), paid(40n, undefined, { isContested: true })])).toBe('paid');
  });

  it('takes an amount within the tolerance for enough, and one unit less not', () => {
    const terms = termsOf({ tolerance: amount(5n) });
    expect(stateOf(terms, [paid(95n, 90)])).toBe('paid');
    expect(stateOf(terms, [paid(94n, 90)])).toBe('partial');
  });

  it('of an open request is never more than partial', () => {
    const { amount: _, ...open } = termsOf();
    expect(stateOf(open, [])).toBe('waiting');
    expect(stateOf(open, [paid(10n ** 15n, 2)])).toBe('partial');
    expect(stateOf({ ...open, ended: true }, [paid(1n, 2)])).toBe('expired');
  });

  it('is expired or cancelled only with too little', () => {
    for (const [end, state] of [
      [{ ended: true }, 'expired'],
      [{ cancelled: NOW - 1 }, 'cancelled'],
      [{ ended: true, cancelled: NOW - 1 }, 'cancelled'],
    ] as const) {
      expect(stateOf(termsOf(end), [])).toBe(state);
      expect(stateOf(termsOf(end), [paid(99n, 90)])).toBe(state);
    }
    expect(stateOf(termsOf({ ended: true }), [paid(100n, undefined)])).toBe('seen');
    expect(stateOf(termsOf({ ended: true }), [paid(100n, 90)])).toBe('paid');
  });

  it('stays cancelled whatever counts later: a payment of before it, or one that is no longer locked', () => {
    const terms = termsOf({ cancelled: NOW - 1 });
    expect(stateOf(terms, [paid(100n, undefined)])).toBe('cancelled');
    expect(stateOf(terms, [paid(100n, 90)])).toBe('cancelled');
    expect(statusOf(terms, [paid(100n, 80, { unlockTime: 90n })])).toMatchObject({
      ...{ state: 'cancelled', mined: 100n },
    });
  });

  it('does not end before the expiry is recorded, whatever the clock says', () => {
    expect(stateOf(termsOf(), [], { now: NOW + 3600 })).toBe('waiting');
  });

  it('is one of the listed ones, which are all in use', () => {
    const reached = [
      stateOf(termsOf(), []),
      stateOf(termsOf(), [paid(1n, 90)]),
      stateOf(termsOf(), [paid(100n, undefined)]),
      stateOf(termsOf(), [paid(100n, TIP)]),
      stateOf(termsOf(), [paid(100n, 90)]),
      stateOf(termsOf({ ended: true }), []),
      stateOf(termsOf({ cancelled: NOW }), []),
    ];
    expect(REQUEST_STATES).toEqual(reached);
  });
});

describe('a payment', () => {
  it('is in time up to the second of the end, whichever end comes first', () => {
    const late = (more: Partial<RequestTerms>, arrival: number): boolean | undefined =>
      statusOf(termsOf(more), [paid(1n, undefined, { arrival })]).payments[0]?.isLate;
    expect(late({ expires: NOW }, NOW)).toBe(false);
    expect(late({ expires: NOW }, NOW + 1)).toBe(true);
    expect(late({ cancelled: NOW - 5 }, NOW - 5)).toBe(false);
    expect(late({ cancelled: NOW - 5 }, NOW - 4)).toBe(true);
    expect(late({ expires: NOW - 5, cancelled: NOW }, NOW - 4)).toBe(true);
    const { expires: _, ...endless } = termsOf();
    expect(statusOf(endless, [paid(1n, 2, { arrival: NOW * 2 })]).payments[0]?.isLate).toBe(false);
  });

  it('after the end counts as late alone, even if it is locked or has too few confirmations', () => {
    const arrival = NOW + 61;
    const status = statusOf(termsOf(), [
      paid(100n, 2, { arrival }),
      paid(10n, undefined, { arrival }),
      paid(1n, 100, { arrival, unlockTime: 500n }),
    ]);
    expect(status).toMatchObject({
      state: 'waiting',
      mined: 0n,
      unmined: 0n,
      paid: 0n,
      locked: 0n,
      late: 111n,
    });
    expect(status.dueHeight).toBeUndefined();
  });

  it('counts apart while an unlock height locks it, and is due at the height that opens it', () => {
    const locked = paid(100n, 90, { unlockTime: 120n });
    expect(statusOf(termsOf(), [locked])).toMatchObject({ state: 'waiting', locked: 100n, mined: 0n });
    expect(statusOf(termsOf(), [locked]).dueHeight).toBe(119);
    expect(stateOf(termsOf(), [locked], { tip: 118 })).toBe('waiting');
    expect(stateOf(termsOf(), [locked], { tip: 119 })).toBe('paid');
  });

  it('with any unlock time is locked for the ten blocks until it can be spent', () => {
    const locked = paid(100n, 95, { unlockTime: 1n });
    expect(statusOf(termsOf(), [locked])).toMatchObject({ locked: 100n, dueHeight: 104 });
    expect(stateOf(termsOf(), [locked], { tip: 104 })).toBe('paid');
  });

  it('counts apart while an unlock time [s] locks it, and no block is awaited for that', () => {
    const locked = paid(100n, 50, { unlockTime: BigInt(NOW + 3600) });
    expect(statusOf(termsOf(), [locked])).toMatchObject({ state: 'waiting', locked: 100n });
    expect(statusOf(termsOf(), [locked]).dueHeight).toBeUndefined();
    expect(stateOf(termsOf(), [locked], { now: NOW + 3600 })).toBe('paid');
    // Nodes accept a transaction that spends it two minutes earlier.
    expect(stateOf(termsOf(), [locked], { now: NOW + 3480 })).toBe('paid');
    expect(stateOf(termsOf(), [locked], { now: NOW + 3479 })).toBe('waiting');
  });

  it('in the mempool is locked by any unlock time, and never paid with it', () => {
    const terms = termsOf({ confirmations: 0 });
    for (const unlockTime of [1n, 50n, BigInt(NOW - 999)])
      expect(statusOf(terms, [paid(100n, undefined, { unlockTime })])).toMatchObject({
        ...{ state: 'waiting', locked: 100n, unmined: 0n },
      });
  });

  it('above the tip has no confirmation', () => {
    expect(statusOf(termsOf(), [paid(1n, TIP + 5)]).payments[0]?.confirmations).toBe(0);
    expect(statusOf(termsOf(), [paid(1n, TIP)]).payments[0]?.confirmations).toBe(1);
  });

  it('counts as before a rescan that runs, and has the confirmations of the blocks that are read', () => {
    const before = paid(60n, 97, { confirmedTo: 200, unlockTime: 150n });
    const status = (more: Partial<RequestPayment>): RequestStatus =>
      statusOf(termsOf(), [before, paid(40n, 97, more)], { tip: 97 });
    expect(status({}).payments.map(({ confirmations }) => confirmations)).toEqual([1, 1]);
    expect(status({})).toMatchObject({ state: 'confirming', mined: 100n, locked: 0n, dueHeight: 99 });
    expect(status({ confirmedTo: 99 })).toMatchObject({ state: 'paid', dueHeight: undefined });
  });

  it('whose time is open counts as long as it may be in time, and needs a block to be paid', () => {
    const open = (earliestArrival: number, more: Partial<RequestPayment> = {}): RequestStatus =>
      statusOf(termsOf({ confirmations: 0, expires: NOW }), [
        paid(100n, undefined, { arrival: NOW + 9, earliestArrival, ...more }),
      ]);
    expect(open(NOW)).toMatchObject({ state: 'seen', unmined: 100n, late: 0n });
    expect(open(NOW + 1)).toMatchObject({ state: 'waiting', unmined: 0n, late: 100n });
    expect(open(NOW - 9, { arrival: NOW })).toMatchObject({ state: 'paid' });
  });
});

describe('the awaited height', () => {
  it('of a payment above the tip is its own one, or that at which it has more than one confirmation', () => {
    const dueAt = (confirmations: number) =>
      statusOf(termsOf({ confirmations }), [paid(1n, TIP + 5)]).dueHeight;
    expect([0, 1, 2].map(dueAt)).toEqual([undefined, TIP + 5, TIP + 6]);
  });

  it('of a payment that a time [s] locks is the one at which it can be spent, and none once it has come', () => {
    const dueAt = (height: number) =>
      statusOf(termsOf(), [paid(1n, height, { unlockTime: BigInt(NOW + 3600) })]).dueHeight;
    expect([dueAt(92), dueAt(91), dueAt(90)]).toEqual([101, undefined, undefined]);
  });

  it('is the next one at which a payment gets enough confirmations', () => {
    expect(statusOf(termsOf(), [paid(1n, 100), paid(1n, 99), paid(1n, undefined)]).dueHeight).toBe(101);
    expect(statusOf(termsOf(), [paid(1n, 98), paid(1n, undefined)]).dueHeight).toBeUndefined();
    expect(statusOf(termsOf({ confirmations: 0 }), [paid(1n, 100)]).dueHeight).toBeUndefined();
  });

  it('of a locked payment is the one that opens it, then the one at which it has its confirmations', () => {
    const [terms, payments] = [termsOf({ confirmations: 11 }), [paid(1n, 95, { unlockTime: 104n })]];
    expect(statusOf(terms, payments)).toMatchObject({ dueHeight: 104, locked: 1n });
    expect(statusOf(terms, payments, { tip: 104 })).toMatchObject({ dueHeight: 105, mined: 1n, paid: 0n });
    expect(statusOf(terms, payments, { tip: 105 })).toMatchObject({ mined: 1n, paid: 1n });
  });
});

test.each([
  [undefined, 50n, 0n, 0n],
  [100n, 40n, 60n, 0n],
  [100n, 100n, 0n, 0n],
  [100n, 130n, 0n, 30n],
])('the difference of %p to %p is %p missing and %p excess', (asked, got, missing, excess) => {
  expect(differenceOf(asked === undefined ? undefined : amount(asked), amount(got))).toEqual({
    missing,
    excess,
  });
});

it('an excess is never below 0', () => {
  expect([excessOver(amount(5n), amount(7n)), excessOver(amount(7n), amount(5n))]).toEqual([0n, 2n]);
});

describe('for any payments', () => {
  const payment = fc.record({
    value: fc.bigInt({ min: 1n, max: 60n }),
    height: fc.option(fc.integer({ min: 60, max: 103 }), { nil: undefined }),
    arrival: fc.integer({ min: NOW - 100, max: NOW + 100 }),
    unlockTime: fc.constantFrom(0n, 0n, 0n, 1n, 105n, BigInt(NOW - 5), BigInt(NOW + 5000)),
    isContested: fc.boolean(),
  });
  const world = fc.record({
    payments: fc.array(payment, { maxLength: 6 }),
    confirmations: fc.integer({ min: 0, max: 12 }),
    tolerance: fc.bigInt({ min: 0n, max: 99n }),
    ended: fc.boolean(),
    cancelled: fc.option(fc.integer({ min: NOW - 50, max: NOW }), { nil: undefined }),
  });
  const of = ({
    payments,
    cancelled,
    tolerance,
    ...more
  }: typeof world extends fc.Arbitrary<infer T> ? T : never) => ({
    terms: termsOf({
      ...more,
      tolerance: amount(tolerance),
      ...(cancelled === undefined ? {} : { cancelled }),
    }),
    payments: payments.map(({ value, height, isContested, ...facts }) =>
      paid(value, height, { ...facts, isContested: isContested && height === undefined }),
    ),
  });

  it('every unit counts once: mined, in the mempool, locked, or late', () => {
    fc.assert(
      fc.property(world, (values) => {
        const { terms, payments } = of(values);
        const { mined, unmined, locked, late, paid: confirmed } = statusOf(terms, payments);
        expect(mined + unmined + locked + late).toBe(payments.reduce((sum, one) => sum + one.amount, 0n));
        expect(confirmed).toBeLessThanOrEqual(mined + unmined);
      }),
    );
  });

  it('the state does not change below the awaited height, and more blocks never take money back', () => {
    fc.assert(
      fc.property(world, fc.integer({ min: 0, max: 30 }), (values, more) => {
        const { terms, payments } = of(values);
        const now = statusOf(terms, payments);
        const then = statusOf(terms, payments, { tip: TIP + more });
        if (now.dueHeight === undefined || TIP + more < now.dueHeight)
          // What may be refunded needs no event: late payments have no state.
          expect({ ...then, payments: [], settled: {} }).toEqual({ ...now, payments: [], settled: {} });
        expect(then.paid).toBeGreaterThanOrEqual(now.paid);
        expect(then.mined).toBeGreaterThanOrEqual(now.mined);
        if (now.dueHeight !== undefined) expect(now.dueHeight).toBeGreaterThan(TIP);
      }),
    );
  });

  it('the order of the payments changes nothing', () => {
    fc.assert(
      fc.property(world, (values) => {
        const { terms, payments } = of(values);
        const { payments: _, ...sums } = statusOf(terms, payments);
        expect(statusOf(terms, [...payments].reverse())).toMatchObject(sums);
      }),
    );
  });
});
