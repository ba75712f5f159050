import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { SpendGuard } from '../../../src/services/payments/spend-guard.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import type { SpentTx } from '../../../src/monero/wallet/build/spent-tx.js';
import type { Spender } from '../../../src/monero/wallet/model/spender.js';
import { bytes } from '../../store/fixtures.js';
import { PaymentHome } from '../../support/payment-home.js';

const TEXT =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
const HOUR = 3600;
const DAY = 24 * HOUR;

let home: PaymentHome;
let guard: SpendGuard;
let made: number;

beforeEach(() => {
  home = new PaymentHome();
  guard = home.spending();
  made = 0;
});

afterEach(() => home.close());

const spender = (limits: Spender['limits'], name = 'shop'): Spender => ({
  name,
  limits,
  addresses: undefined,
});

/** A transaction of its own that takes an amount from the wallet. */
function paying(value: bigint, facts: Partial<SpentTx> = {}): SpentTx {
  made += 1;
  const signingHash = Uint8Array.from({ length: 32 }, (_, i) => (made >> (8 * i)) & 255) as Hash;
  return {
    ...{ signingHash, amount: amount(value), payees: [TEXT], hasUnknownPayee: false, isLocked: false },
    ...facts,
  };
}

/** Counts payments, as the store transaction of one call. */
const spend = (by: Spender, ...payments: SpentTx[]) => home.store.write((w) => guard.record(w, by, payments));

const refusal = (reason: string) =>
  expect.objectContaining({ fault: expect.objectContaining({ reason: expect.stringContaining(reason) }) });

describe('the limits of a credential', () => {
  it('of a transaction include its fee, and hold for each transaction of a call', () => {
    const by = spender({ transaction: 10n });
    spend(by, paying(10n), paying(10n));
    expect(() => spend(by, paying(1n), paying(11n))).toThrow(
      refusal('credential shop: spend.transaction: 0.000000000011 needed, 0.000000000010 of 0.000000000010'),
    );
    expect(home.store.read((r) => r.credentialSpends.sumAfter('shop', 0))).toBe(20n);
  });

  it('of a transaction hold for each of a call, in whatever order they come', () => {
    const by = spender({ transaction: 10n });
    for (const values of [
      [11n, 1n],
      [1n, 11n, 1n],
      [1n, 11n],
    ])
      expect(() =>
        guard.check(
          by,
          values.map((value) => paying(value)),
        ),
      ).toThrow(refusal('spend.transaction: 0.000000000011 needed'));
  });

  it('of nothing refuse the smallest payment, and allow a transaction that takes no money', () => {
    for (const rule of ['transaction', 'hour', 'day']) {
      const by = spender({ [rule]: 0n });
      guard.check(by, [paying(0n)]);
      expect(() => guard.check(by, [paying(1n)])).toThrow(
        refusal(`spend.${rule}: 0.000000000001 needed, 0.000000000000 of 0.000000000000 remains`),
      );
    }
  });

  it('that are lowered below what was spent leave nothing, and allow what is counted already', () => {
    const payment = paying(10n);
    spend(spender({}), payment);
    const lowered = spender({ day: 4n });
    expect(() => spend(lowered, paying(1n))).toThrow(
      refusal('spend.day: 0.000000000001 needed, 0.000000000000 of 0.000000000004 remains'),
    );
    expect([...spend(lowered, payment)]).toEqual([]);
  });

  it('of an hour add up all calls, name the rule, and say what remains', () => {
    const by = spender({ hour: 10n });
    spend(by, paying(4n));
    spend(by, paying(3n));
    expect(() => spend(by, paying(4n))).toThrow(
      refusal('spend.hour: 0.000000000004 needed, 0.000000000003 of 0.000000000010 remains'),
    );
    spend(by, paying(3n));
    home.time += HOUR - 1;
    expect(() => spend(by, paying(2n))).toThrow(refusal('spend.hour'));
    home.time += 1;
    spend(by, paying(10n));
  });

  it('count for each credential alone', () => {
    spend(spender({ day: 10n }), paying(10n));
    spend(spender({ day: 10n }, 'till'), paying(10n));
    expect(() => spend(spender({ day: 10n }, 'till'), paying(2n))).toThrow(
      refusal('credential till: spend.day'),
    );
  });

  it('count a transaction once, however often it is signed or relayed', () => {
    const by = spender({ day: 10n });
    const payment = paying(10n);
    expect([...spend(by, payment)]).toEqual([toHex(payment.signingHash)]);
    expect([...spend(by, payment)]).toEqual([]);
    expect(() => spend(by, paying(2n))).toThrow(refusal('spend.day'));
  });

  it('count what was spent before they were set', () => {
    spend(spender({}), paying(10n));
    expect(() => spend(spender({ day: 10n }), paying(2n))).toThrow(refusal('spend.day'));
  });

  it('are exact for the largest amounts', () => {
    const by = spender({ day: (1n << 64n) - 1n });
    const most = (1n << 63n) - 1n;
    spend(by, paying(most));
    spend(by, paying(most));
    expect(home.store.read((r) => r.credentialSpends.sumAfter('shop', 0))).toBe(2n * most);
    spend(by, paying(1n, { payees: [] }));
    expect(() => spend(by, paying(2n))).toThrow(refusal('spend.day'));
  });

  it('are not freed by a clock that is set back', () => {
    const by = spender({ hour: 10n });
    spend(by, paying(10n));
    home.time -= 10 * DAY;
    expect(() => spend(by, paying(2n))).toThrow(refusal('spend.hour'));
    home.time += 10 * DAY + HOUR - 1;
    expect(() => spend(by, paying(2n))).toThrow(refusal('spend.hour'));
    home.time += 1;
    spend(by, paying(2n));
  });

  it('get a withdrawn payment back, unless it is found in pool or chain', () => {
    const by = spender({ day: 10n });
    const payment = { ...paying(10n), txHash: bytes<Hash>(101) };
    spend(by, payment);
    home.store.write((w) => guard.withdraw(w, by, payment.signingHash));
    guard.check(by, [paying(10n)]);
    home.store.write((w) =>
      w.addPending({
        ...{ txHash: payment.txHash, account: 0, fromIndices: [0], amountIn: amount(11n), fee: amount(1n) },
        ...{ change: amount(1n), unlockTime: 0n, timestamp: home.time, destinations: [] },
      }),
    );
    expect(() => guard.check(by, [paying(2n)])).toThrow(refusal('spend.day'));
  });

  it('leave nothing behind after a refusal', () => {
    const by = spender({ day: 10n });
    const first = paying(9n);
    expect(() =>
      home.store.write((w) => {
        guard.record(w, by, [first]);
        guard.record(w, by, [paying(9n)]);
      }),
    ).toThrow(refusal('spend.day'));
    expect(home.store.read((r) => r.credentialSpends.sumAfter('shop', 0))).toBe(0n);
  });

  it('do not hold for a client with all rights', () => {
    expect(home.store.write((w) => guard.record(w, undefined, [paying(10n)])).size).toBe(0);
    expect(home.store.read((r) => r.credentialSpends.latest('shop'))).toBeUndefined();
  });

  test('never let more than the limit leave within any hour or day, in any order, with any clock', () => {
    const step = fc.record({
      wait: fc.integer({ min: -2 * HOUR, max: 3 * HOUR }),
      amounts: fc.array(fc.bigInt({ min: 1n, max: 40n }), { minLength: 1, maxLength: 3 }),
      again: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.uuid(), (steps, name) => {
        const by = spender({ hour: 50n, day: 120n }, name);
        /** Payments with the latest time that any clock has shown to this credential. */
        const passed: { readonly time: number; readonly value: bigint }[] = [];
        let seen = 0;
        for (const { wait, amounts, again } of steps) {
          home.time += wait;
          // A restart: the state is in the store.
          guard = home.spending();
          const payments = amounts.map((value) => paying(value));
          const total = amounts.reduce((sum, value) => sum + value, 0n);
          const now = Math.max(seen, home.time);
          const left = (limit: bigint, seconds: number): bigint =>
            passed
              .filter(({ time }) => time > now - seconds)
              .reduce((rest, { value }) => rest - value, limit);
          const fits = total <= left(50n, HOUR) && total <= left(120n, DAY);
          if (!fits) expect(() => spend(by, ...payments)).toThrow(refusal('spend.'));
          else {
            spend(by, ...payments);
            if (again) spend(by, ...payments);
            seen = now;
            passed.push({ time: now, value: total });
          }
        }
        for (const [limit, seconds] of [
          [50n, HOUR],
          [120n, DAY],
        ] as const)
          for (const { time: from } of passed) {
            const within = passed.filter(({ time }) => time >= from && time < from + seconds);
            expect(within.reduce((sum, { value }) => sum + value, 0n)).toBeLessThanOrEqual(limit);
          }
      }),
      { numRuns: 60 },
    );
  });
});

describe('the addresses of a credential', () => {
  it('are the only ones that it pays', () => {
    const by: Spender = { name: 'shop', limits: {}, addresses: new Set([TEXT]) };
    spend(by, paying(5n));
    const other = { ...by, addresses: new Set(['4x']) };
    expect(() => spend(other, paying(5n))).toThrow(
      refusal(`credential shop: addresses: payments to ${TEXT} are not allowed`),
    );
    expect(() => guard.check({ ...by, addresses: new Set() }, [paying(5n)])).toThrow(refusal('addresses'));
  });

  it('refuse money that goes to addresses that nothing proves', () => {
    const by: Spender = { name: 'shop', limits: {}, addresses: new Set([TEXT]) };
    expect(() => spend(by, paying(5n, { hasUnknownPayee: true }))).toThrow(
      refusal('credential shop: addresses: payments to addresses that are not proven are not allowed'),
    );
    spend(spender({ day: 10n }), paying(5n, { hasUnknownPayee: true }));
  });
});

describe('the right of a credential to lock money', () => {
  it('is needed for an unlock time, whatever its limits are', () => {
    const locked = paying(5n, { isLocked: true });
    for (const limits of [{}, { day: 10n }]) {
      expect(() => guard.check(spender(limits), [locked])).toThrow(refusal('credential shop: lock'));
      expect(() => spend(spender(limits), locked)).toThrow(refusal('credential shop: lock'));
    }
    spend({ ...spender({ day: 10n }), mayLock: true }, locked);
    expect(() => spend(spender({ day: 10n }), paying(6n))).toThrow(refusal('spend.day'));
  });
});
