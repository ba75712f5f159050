import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { estimateWeight, feeOfWeight, type FeeRates } from '../../../../src/monero/wallet/select/fees.js';
import { ProtocolError } from '../../../../src/monero/wallet/protocol-error.js';
import type { OwnedOutput } from '../../../../src/monero/wallet/scan/findings.js';
import { planTransfers, type PaymentPlan } from '../../../../src/monero/wallet/select/transfer-plan.js';
import type { Payee, TransferRequest } from '../../../../src/monero/wallet/select/transfer-request.js';
import { purseOf } from '../../../support/wallets/list-coins.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { COIN, holder, ownedOutput, payeeOf } from '../fixtures.js';

/* Plans of payments whose change is several outputs. */

const rng = seededRng('change outputs of a plan');
const alice = holder(rng);
const RATE = 20_000n;
const RATES: FeeRates = { perByte: [RATE], quantizationMask: 10_000n };
/** Fee of one more input. */
const LEAST = BigInt(estimateWeight(2, 16, 2, 0) - estimateWeight(1, 16, 2, 0)) * RATE;

const toAlice = (value: bigint): Payee => payeeOf(alice.address(), value);
const unspentOf = (...values: bigint[]): OwnedOutput[] => values.map((value) => ownedOutput(value));
const sumOf = (values: readonly { readonly amount: bigint }[]): bigint =>
  values.reduce((total, value) => total + value.amount, 0n);
const feeFor = (inputs: number, outputs: number): bigint =>
  feeOfWeight(estimateWeight(inputs, 16, outputs, 44), RATE, RATES);

const plan = (
  payees: readonly Payee[],
  unspent: readonly OwnedOutput[],
  facts: Partial<TransferRequest> = {},
): PaymentPlan[] =>
  planTransfers(
    { payees, account: 0, priority: 1, unlockTime: 0n, ...facts },
    purseOf(unspent),
    RATES,
    seededRng(1),
  );

describe('the plan of a payment', () => {
  it('is the same for one change output as without the parameter', () => {
    const unspent = Array.from({ length: 40 }, () => ownedOutput(COIN));
    const [absent] = plan([toAlice(9n * COIN)], unspent);
    expect(plan([toAlice(9n * COIN)], unspent, { changeOutputs: 1 })).toEqual([absent]);
    expect(absent).not.toHaveProperty('changeSplit');
  });

  test.each([2, 5, 14])('covers the fee of %i change outputs', (changeOutputs) => {
    const [only, ...more] = plan([toAlice(COIN)], unspentOf(5n * COIN), { changeOutputs });
    expect(more).toEqual([]);
    expect(only?.fee).toBe(feeFor(1, 1 + changeOutputs));
    expect(only?.changeSplit).toEqual({ outputs: changeOutputs, least: LEAST });
  });

  it('takes another input when one covers the fee of a single change output only', () => {
    const first = ownedOutput(COIN + feeFor(1, 2));
    const second = ownedOutput(COIN / 10n);
    expect(plan([toAlice(COIN)], [first, second], { changeOutputs: 1 })[0]?.inputs).toHaveLength(2);
    const alone = plan([toAlice(COIN)], [first], { changeOutputs: 1 });
    expect(alone[0]?.inputs).toEqual([first]);
    const [split] = plan([toAlice(COIN)], [first, second], { changeOutputs: 5 });
    expect(new Set(split?.inputs)).toEqual(new Set([first, second]));
    expect(split?.fee).toBe(feeFor(2, 6));
  });

  it('has one change output where the outputs do not cover the fee of several', () => {
    const unspent = unspentOf(COIN + feeFor(1, 2));
    expect(plan([toAlice(COIN)], unspent, { changeOutputs: 5 })).toEqual(plan([toAlice(COIN)], unspent));
  });

  it('is refused as without the parameter where the outputs do not cover the fee of one', () => {
    const unspent = unspentOf(COIN + feeFor(1, 2) - 10_000n);
    const refusals = [{}, { changeOutputs: 5 }].map((facts) => {
      try {
        return plan([toAlice(COIN)], unspent, facts);
      } catch (error) {
        return error instanceof ProtocolError ? error.fault : error;
      }
    });
    expect(refusals[0]).toMatchObject({ kind: 'tx_not_possible' });
    expect(refusals[1]).toEqual(refusals[0]);
  });

  it('deducts the fee from the payees beside several change outputs', () => {
    const [only] = plan([toAlice(COIN)], unspentOf(5n * COIN), { changeOutputs: 5, feeFrom: [0] });
    expect(only).toMatchObject({ feeFrom: [0], changeSplit: { outputs: 5 } });
    expect(only?.fee).toBe(feeFor(1, 6));
  });

  it('covers payees and fee with its inputs, for any funds and number of change outputs', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: LEAST, max: COIN }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 8 }),
        fc.bigInt({ min: 1n, max: COIN }),
        (values, payees, changeOutputs, value) => {
          let planned: PaymentPlan[];
          const asked = Array.from({ length: payees }, () => toAlice(value));
          try {
            planned = plan(asked, unspentOf(...values), { changeOutputs });
          } catch (error) {
            expect(error).toBeInstanceOf(ProtocolError);
            return;
          }
          expect(planned).toHaveLength(1);
          for (const { inputs, payees: paid, fee, changeSplit } of planned) {
            expect(sumOf(inputs)).toBeGreaterThanOrEqual(sumOf(paid) + fee);
            expect(fee).toBe(feeFor(inputs.length, paid.length + (changeSplit?.outputs ?? 1)));
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('the number of change outputs', () => {
  test.each([
    ['none', 1, 0, 'change_outputs is between 1 and 14, not 0'],
    ['fifteen', 1, 15, 'change_outputs is between 1 and 14, not 15'],
    [
      'more than are free beside the destinations',
      15,
      2,
      'a transaction has at most 16 outputs: 15 destinations and 2 change outputs are too many',
    ],
  ])('is refused for %s', (_, payees, changeOutputs, reason) => {
    const asked = Array.from({ length: payees }, () => toAlice(COIN));
    expect(() => plan(asked, unspentOf(50n * COIN), { changeOutputs })).toThrow(
      expect.objectContaining({ fault: { kind: 'transfer_failed', reason } }),
    );
  });

  test.each([
    [2, 14],
    [15, 1],
    [11, 5],
  ])('may fill sixteen outputs: %i destinations and %i of change', (payees, changeOutputs) => {
    const asked = Array.from({ length: payees }, () => toAlice(COIN));
    const [only] = plan(asked, unspentOf(50n * COIN), { changeOutputs });
    expect(only?.fee).toBe(feeFor(1, 16));
  });
});
