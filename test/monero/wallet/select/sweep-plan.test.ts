import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { costOfInput, type FeeRates } from '../../../../src/monero/wallet/select/fees.js';
import { amount } from '../../../../src/util/amount.js';
import type { OwnedOutput } from '../../../../src/monero/wallet/scan/findings.js';
import { ProtocolError } from '../../../../src/monero/wallet/protocol-error.js';
import type { PlanFault } from '../../../../src/monero/wallet/select/transfer-request.js';
import { planSweep, sweepInputs } from '../../../../src/monero/wallet/select/sweep-plan.js';
import type { PaymentPlan } from '../../../../src/monero/wallet/select/transfer-plan.js';
import { purseOf } from '../../../support/wallets/list-coins.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { COIN, faultOf, holder, ownedOutput } from '../fixtures.js';
import { randomRuns } from '../../../support/fakes/random-runs.js';

const rng = seededRng('sweep plan');
const alice = holder(rng);
const RATES: FeeRates = { perByte: [20_000n, 80_000n, 320_000n, 4_000_000n], quantizationMask: 10_000n };
/** Least amount worth spending at the lowest rate. */
const LEAST = costOfInput(RATES, 1);

const minor = (index: number) => ({ subaddress: { major: 0, minor: index } });
const outputs = (...values: bigint[]): OwnedOutput[] => values.map((value) => ownedOutput(value));
const total = (values: readonly { readonly amount: bigint }[]): bigint =>
  values.reduce((held, value) => held + value.amount, 0n);
const to = (count = 1) => ({
  ...{ account: 0, unlockTime: 0n, priority: 1 },
  ...{ address: alice.address(), text: 'as given', outputs: count },
});

describe('a sweep takes', () => {
  const held = [0, 0, 1, 2].map((index, i) => ownedOutput(BigInt(i + 1) * COIN, minor(index)));
  const sweep = (oneAddress: boolean, below = 0n, seed = 0, unspent = held): number[] =>
    sweepInputs(purseOf(unspent), { oneAddress, below: amount(below * COIN) }, to(), RATES, seededRng(seed))
      .map((output) => Number(output.amount / COIN))
      .sort();

  it('all addresses', () => expect(sweep(false)).toEqual([1, 2, 3, 4]));
  it('only outputs below an amount', () => expect(sweep(false, 3n)).toEqual([1, 2]));
  it('one random address, the primary one of the account only if there is no other', () => {
    const chosen = new Set(Array.from({ length: 30 }, (_, seed) => sweep(true, 0n, seed).join()));
    expect(chosen).toEqual(new Set(['3', '4']));
    expect(sweep(true, 3n)).toEqual([1, 2]);
  });
  it('nothing from an account without outputs', () => {
    expect(sweep(true, 1n)).toEqual([]);
    expect(sweep(false, 1n)).toEqual([]);
  });
  it('each address that can pay for itself alike, whatever others there are', () => {
    const dusted = [...held, ...[3, 4, 5].map((index) => ownedOutput(LEAST - 1n, minor(index)))];
    const chosen = Array.from({ length: 300 }, (_, seed) => sweep(true, 0n, seed, dusted).join());
    const times = (which: string): number => chosen.filter((one) => one === which).length;
    expect(times('3') + times('4')).toBe(300);
    expect(Math.min(times('3'), times('4'))).toBeGreaterThan(90);
  });
});

describe('a sweep', () => {
  const sweep = (unspent: readonly OwnedOutput[], count = 1, seed = 2): PaymentPlan[] =>
    planSweep(to(count), unspent, RATES, seededRng(seed));

  it('takes every output once, in as many transactions as needed', () => {
    const unspent = Array.from({ length: 500 }, () => ownedOutput(COIN));
    const planned = sweep(unspent);
    expect(planned.length).toBeGreaterThan(1);
    expect(new Set(planned.flatMap((share) => share.inputs))).toEqual(new Set(unspent));
    for (const share of planned) expect(total(share.payees)).toBe(total(share.inputs));
  });

  test.each([1, 2, 3, 16])('splits into %i outputs that all pay the fee', (count) => {
    const [only] = sweep(outputs(COIN, 7n), count);
    const amounts = only?.payees.map((payee) => payee.amount) ?? [];
    expect(amounts).toHaveLength(count);
    expect((amounts[0] ?? 0n) - (amounts.at(-1) ?? 0n)).toBeLessThanOrEqual(1n);
    expect(only?.feeFrom).toEqual(Array.from({ length: count }, (_, i) => i));
  });

  test.each<[number, PlanFault['kind']]>([
    [0, 'tx_not_possible'],
    [1.5, 'tx_not_possible'],
    [17, 'transfer_failed'],
  ])('refuses %d outputs', (count, kind) => {
    expect(faultOf(() => sweep(outputs(COIN), count)).kind).toBe(kind);
  });

  it('refuses outputs that do not cover their fee', () => {
    expect(faultOf(() => sweep(outputs(20_000_000n))).kind).toBe('transfer_failed');
  });

  it('of no outputs, or of dust, makes no transaction', () => {
    expect(sweep([])).toEqual([]);
    expect(sweep(outputs(1000n, 1000n))).toEqual([]);
  });

  it('leaves the outputs of a transaction that cannot pay for itself where another one can', () => {
    const full = sweep(Array.from({ length: 500 }, () => ownedOutput(COIN)))[0]?.inputs.length ?? 0;
    const unspent = Array.from({ length: full + 1 }, () => ownedOutput(2n * LEAST));
    for (let seed = 0; seed < 20; seed++) {
      const planned = sweep(unspent, 1, seed);
      expect(planned.map(({ inputs }) => inputs.length)).toEqual([full]);
    }
  });

  it('takes the largest outputs together where transactions of random ones cannot pay for themselves', () => {
    const small = Array.from({ length: 1000 }, () => ownedOutput(LEAST));
    const large = Array.from({ length: 12 }, () => ownedOutput(LEAST + LEAST / 4n));
    for (let seed = 0; seed < 20; seed++) {
      const planned = sweep([...small, ...large], 1, seed);
      expect(planned.length).toBeGreaterThan(0);
      for (const { inputs, fee } of planned) expect(total(inputs)).toBeGreaterThan(fee);
    }
  });

  it('of a dusted account never fails by chance', () => {
    const value = fc.oneof(
      fc.bigInt({ min: 1n, max: 3n * LEAST }),
      fc.constantFrom(LEAST - 1n, LEAST, LEAST + 1n, 2n * LEAST, 3n * LEAST, COIN),
    );
    const addresses = fc.array(fc.array(value, { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 6,
    });
    const bounds = fc.constantFrom(0n, LEAST, 2n * LEAST, COIN, 2n * COIN);
    const outcomes = (values: readonly (readonly bigint[])[], below: bigint): Set<string> => {
      const unspent = values.flatMap((some, index) => some.map((one) => ownedOutput(one, minor(index))));
      return new Set(
        Array.from({ length: 12 }, (_, seed) => {
          const filter = { oneAddress: true, below: amount(below) };
          const inputs = sweepInputs(purseOf(unspent), filter, to(), RATES, seededRng(seed));
          if (inputs.length === 0) return 'nothing';
          try {
            const planned = planSweep(to(), inputs, RATES, seededRng(seed));
            return planned.length > 0 ? 'swept' : 'nothing';
          } catch (error) {
            return error instanceof ProtocolError ? error.fault.kind : String(error);
          }
        }),
      );
    };
    fc.assert(
      fc.property(addresses, bounds, (values, below) => {
        expect([...outcomes(values, below)]).toHaveLength(1);
      }),
      { numRuns: randomRuns(60) },
    );
  });
});
