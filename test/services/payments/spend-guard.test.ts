import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { isCredentialRefusal, type SpendGuard } from '../../../src/services/payments/spend-guard.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import type { SpentTx } from '../../../src/monero/wallet/build/spent-tx.js';
import type { Spender } from '../../../src/model/spender.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { bytes } from '../../store/fixtures.js';
import { PaymentHome } from '../../support/wallets/payment-home.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

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
  expect.objectContaining({
    fault: expect.objectContaining({
      kind: reason.includes('spend.') ? 'spend_limit' : 'credential_denied',
      reason: expect.stringContaining(reason),
    }),
  });

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

  it.each([HOUR, -HOUR, 10 * DAY, -10 * DAY])('are not freed by a clock that is stepped by %d s', (step) => {
    const by = spender({ hour: 10n, day: 10n });
    spend(by, paying(10n));
    home.clockError = step;
    expect(() => spend(by, paying(2n))).toThrow(refusal('spend.hour'));
    home.time += DAY - 1;
    expect(() => spend(by, paying(2n))).toThrow(refusal('spend.day'));
    home.time += 1;
    spend(by, paying(2n));
    home.clockError = 0;
    expect(() => spend(by, paying(9n))).toThrow(refusal('spend.hour'));
  });

  it.each([HOUR, -HOUR, 10 * DAY, -10 * DAY])(
    'are not freed by a server that is started with a clock that differs by %d s',
    (step) => {
      const by = spender({ hour: 10n, day: 10n });
      home.blockTime = home.time;
      spend(by, paying(10n));
      home.clockError = step;
      guard = home.spending();
      expect(() => spend(by, paying(2n))).toThrow(refusal('spend.hour'));
      home.time += DAY;
      home.blockTime = home.time;
      // Blocks alone do not free money either: a clock that is days behind frees none until it is right.
      if (step < -DAY) expect(() => spend(by, paying(2n))).toThrow(refusal('spend.'));
      else spend(by, paying(10n));
      home.clockError = 0;
      guard = home.spending();
      if (step < -DAY) spend(by, paying(10n));
      expect(() => spend(by, paying(2n))).toThrow(refusal('spend.hour'));
    },
  );

  it('count what a wrong clock has dated ahead for a day once it is right, and no longer', () => {
    const by = spender({ day: 10n });
    home.clockError = 300 * DAY;
    spend(by, paying(10n));
    home.clockError = 0;
    expect(() => guard.check(by, [paying(2n)])).toThrow(refusal('spend.day'));
    home.time += DAY;
    guard.check(by, [paying(10n)]);
    spend(by, paying(10n));
    expect(() => spend(by, paying(1n))).toThrow(refusal('spend.day'));
  });

  it('date what a wrong clock has dated ahead again with the next payment', () => {
    const by = spender({ day: 10n });
    home.clockError = 300 * DAY;
    spend(by, paying(5n));
    home.clockError = 0;
    spend(by, paying(1n));
    home.time += DAY;
    spend(by, paying(10n));
  });

  it('keep the dates of a clock that is an hour ahead, and date no payment before an earlier one', () => {
    const by = spender({ hour: 10n });
    home.clockError = HOUR;
    spend(by, paying(5n));
    home.clockError = 0;
    guard.check(by, []);
    spend(by, paying(5n));
    home.time += 2 * HOUR - 1;
    expect(() => spend(by, paying(1n))).toThrow(refusal('spend.hour'));
    home.time += 1;
    spend(by, paying(10n));
  });

  it('are not freed by a daemon that lies about the time, but for two hours', () => {
    const by = spender({ day: 10n });
    home.blockTime = home.time;
    spend(by, paying(10n));
    home.blockTime += 300 * DAY;
    expect(() => spend(by, paying(1n))).toThrow(refusal('spend.day'));
    home.time += DAY - 2 * HOUR;
    spend(by, paying(1n));
    // What was dated by the lie counts for a day once it has ended.
    home.blockTime = home.time;
    expect(() => guard.check(by, [paying(10n)])).toThrow(refusal('spend.day'));
    home.time += DAY;
    spend(by, paying(10n));
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

  it('get one withdrawn payment back, and no other', () => {
    const by = spender({ day: 20n });
    const first = paying(10n);
    spend(by, first, paying(5n));
    home.store.write((w) => guard.withdraw(w, by, first.signingHash));
    guard.check(by, [paying(15n)]);
    expect(() => guard.check(by, [paying(16n)])).toThrow(refusal('spend.day'));
  });

  it('keep the dates of payments that no wrong clock has dated', () => {
    const by = spender({ hour: 10n });
    spend(by, paying(5n));
    home.time += HOUR / 2;
    home.clockError = 300 * DAY;
    spend(by, paying(1n));
    home.clockError = 0;
    guard.check(by, []);
    home.time += HOUR / 2;
    guard.check(by, [paying(9n)]);
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
    guard.check(undefined, [paying(10n, { isLocked: true })]);
    expect(home.store.read((r) => r.credentialSpends.latest('shop'))).toBeUndefined();
  });

  interface Step {
    /** Time that passes before [s]. */
    readonly wait: number;
    readonly amounts: readonly bigint[];
    readonly again: boolean;
    readonly restarts: boolean;
    readonly clockError: number;
    /** Age of the newest block [s]. */
    readonly age: number;
  }
  const steps = (clockError: fc.Arbitrary<number>): fc.Arbitrary<Step[]> =>
    fc.array(
      fc.record({
        wait: fc.integer({ min: 0, max: 3 * HOUR }),
        amounts: fc.array(fc.bigInt({ min: 1n, max: 40n }), { minLength: 1, maxLength: 3 }),
        again: fc.boolean(),
        restarts: fc.boolean(),
        clockError,
        age: fc.integer({ min: 0, max: 300 }),
      }),
      { maxLength: 40 },
    );
  const sumOf = (values: readonly { readonly value: bigint }[]): bigint =>
    values.reduce((sum, { value }) => sum + value, 0n);
  const [ofHour, ofDay] = [50n, 120n];

  /** Spends as far as the limits allow. @returns payments with the time [s] and the sum that may have been left then. */
  function spendAll(all: readonly Step[], name: string) {
    const by = spender({ hour: ofHour, day: ofDay }, name);
    const passed: { readonly time: number; readonly value: bigint }[] = [];
    const refused: { readonly time: number; readonly value: bigint; readonly before: number }[] = [];
    home.blockTime = home.time;
    guard = home.spending();
    for (const { wait, amounts, again, restarts, clockError, age } of all) {
      home.time += wait;
      home.clockError = clockError;
      home.blockTime = Math.max(home.blockTime, home.time - age);
      // The state is in the store.
      if (restarts) guard = home.spending();
      const payments = amounts.map((value) => paying(value));
      const fact = { time: home.time, value: amounts.reduce((sum, value) => sum + value, 0n) };
      try {
        spend(by, ...payments);
        passed.push(fact);
        if (again) spend(by, ...payments);
      } catch (error) {
        expect(error).toEqual(refusal('spend.'));
        refused.push({ ...fact, before: passed.length });
      }
    }
    return { by, passed, refused };
  }

  test('never let more than the limit leave within any hour or day, in any order, with any clock', () => {
    const error = fc.oneof(fc.constant(0), fc.integer({ min: -400 * DAY, max: 400 * DAY }));
    fc.assert(
      fc.property(steps(error), fc.uuid(), (all, name) => {
        const { by, passed } = spendAll(all, name);
        for (const [limit, seconds] of [
          [ofHour, HOUR],
          [ofDay, DAY],
        ] as const)
          for (const { time: from } of passed) {
            const within = passed.filter(({ time }) => time >= from && time < from + seconds - 300);
            expect(sumOf(within)).toBeLessThanOrEqual(limit);
          }
        // Once the clock is right, all is free after a day.
        home.clockError = 0;
        guard.check(by, []);
        home.time += DAY;
        home.blockTime = home.time;
        guard.check(by, [paying(ofHour)]);
      }),
      { numRuns: randomRuns(60) },
    );
  });

  test('refuse nothing that is within them while the clock is right', () => {
    fc.assert(
      fc.property(steps(fc.constant(0)), fc.uuid(), (all, name) => {
        const { passed, refused } = spendAll(all, name);
        for (const { time, value, before } of refused) {
          // The newest block at the start may have been 300 seconds old.
          const spent = (seconds: number): bigint =>
            sumOf(passed.slice(0, before).filter((one) => one.time > time - seconds - 300));
          expect(value + spent(HOUR) > ofHour || value + spent(DAY) > ofDay).toBe(true);
        }
      }),
      { numRuns: randomRuns(60) },
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

describe('a refusal by the rules of a credential', () => {
  it.each<[string, unknown, boolean]>([
    ['a limit', new WalletError({ kind: 'spend_limit', reason: '' }), true],
    ['a right', new WalletError({ kind: 'credential_denied', reason: '' }), true],
    ['another error of the wallet', new WalletError({ kind: 'no_wallet' }), false],
    ['an error of the daemon', new DaemonError('busy', 'later'), false],
    ['no error', undefined, false],
  ])('is, or is not, %s', (_, error, expected) => expect(isCredentialRefusal(error)).toBe(expected));
});
