import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_TX_WEIGHT } from '../../../../src/monero/cryptonote/constants.js';
import {
  costOfInput,
  estimateWeight,
  feeOfWeight,
  type FeeRates,
} from '../../../../src/monero/wallet/select/fees.js';
import type { PaymentId } from '../../../../src/monero/cryptonote/types.js';
import type { Amount } from '../../../../src/util/amount.js';
import { ProtocolError } from '../../../../src/monero/wallet/protocol-error.js';
import type {
  PlanFault,
  Payee,
  TransferRequest,
} from '../../../../src/monero/wallet/select/transfer-request.js';
import type { OwnedOutput } from '../../../../src/monero/wallet/scan/findings.js';
import { planTransfers, type PaymentPlan } from '../../../../src/monero/wallet/select/transfer-plan.js';
import { purseOf } from '../../../support/wallets/list-coins.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { COIN, faultOf, holder, ownedOutput, payeeOf } from '../fixtures.js';

const rng = seededRng('plan');
const alice = holder(rng);
const bob = holder(rng);
const RATES: FeeRates = { perByte: [20_000n, 80_000n, 320_000n, 4_000_000n], quantizationMask: 10_000n };
const PAYMENT_ID = new Uint8Array(8).fill(7) as PaymentId;

const request = (payees: readonly Payee[], facts: Partial<TransferRequest> = {}): TransferRequest => ({
  payees,
  account: 0,
  priority: 1,
  unlockTime: 0n,
  ...facts,
});

const plan = (
  payees: readonly Payee[],
  unspent: readonly OwnedOutput[],
  facts: Partial<TransferRequest> = {},
): PaymentPlan[] => planTransfers(request(payees, facts), purseOf(unspent), RATES, seededRng(1));

const toAlice = (value: bigint): Payee => payeeOf(alice.address(), value);
const outputs = (...values: bigint[]): OwnedOutput[] => values.map((value) => ownedOutput(value));
const total = (values: readonly { readonly amount: bigint }[]): bigint =>
  values.reduce((held, value) => held + value.amount, 0n);

describe('a payment', () => {
  it('is made from one output that pays all, and a small unrelated one beside it', () => {
    const [large, small] = outputs(5n * COIN, COIN);
    const [only, ...more] = plan(
      [toAlice(2n * COIN)],
      [large, small].filter((one) => one !== undefined),
    );
    expect(more).toEqual([]);
    expect(only?.inputs).toEqual([large, small]);
    expect(only?.payees).toEqual([toAlice(2n * COIN)]);
    expect(only?.feeFrom).toEqual([]);
  });

  it('spends the one output that pays all if outputs are to be saved, and more where one does not pay all', () => {
    const [large, small] = [ownedOutput(5n * COIN), ownedOutput(COIN)];
    const saving = { savesOutputs: true };
    expect(plan([toAlice(2n * COIN)], [large, small], saving)[0]?.inputs).toEqual([large]);
    expect(plan([toAlice((11n * COIN) / 2n)], [large, small], saving)[0]?.inputs).toHaveLength(2);
  });

  it('does not use a second input that is related to the first', () => {
    const first = ownedOutput(5n * COIN);
    const near = ownedOutput(COIN, { height: first.height + 3 });
    expect(plan([toAlice(2n * COIN)], [first, near])[0]?.inputs).toEqual([first]);
  });

  it('does not use a large second input when few large outputs are left', () => {
    const [first, second] = outputs(5n * COIN, 2n * COIN);
    expect(
      plan(
        [toAlice(3n * COIN)],
        [first, second].filter((one) => one !== undefined),
      )[0]?.inputs,
    ).toEqual([first]);
  });

  it('uses no output that is worth less than the fee of spending it', () => {
    const dust = Array.from({ length: 20 }, () => ownedOutput(10_000_000n));
    const exact = ownedOutput(COIN + feeOfWeight(estimateWeight(1, 16, 2, 44), 20_000n, RATES));
    expect(plan([toAlice(COIN)], [...dust, exact])[0]?.inputs).toEqual([exact]);
    expect(faultOf(() => plan([toAlice(COIN + 1n)], [...dust, exact])).kind).toBe('tx_not_possible');
  });

  it('does not link two addresses when one has enough', () => {
    const own = outputs(COIN, COIN, COIN);
    const other = ownedOutput(2n * COIN, { subaddress: { major: 0, minor: 4 } });
    const [only] = plan([toAlice((5n * COIN) / 2n)], [...own, other]);
    expect(new Set(only?.inputs.map(({ subaddress }) => subaddress.minor))).toEqual(new Set([0]));
  });

  it('uses several addresses if needed, the richest first', () => {
    const poor = ownedOutput(COIN, { subaddress: { major: 0, minor: 1 } });
    const rich = ownedOutput(3n * COIN, { subaddress: { major: 0, minor: 2 } });
    const own = ownedOutput(2n * COIN);
    const [only] = plan([toAlice((9n * COIN) / 2n)], [poor, own, rich]);
    expect(only?.inputs).toEqual([rich, own]);
  });

  it('skips outputs that cannot be spent', () => {
    const usable = ownedOutput(5n * COIN);
    const useless = [
      ownedOutput(50n * COIN, { frozen: true, height: 1 }),
      ownedOutput(50n * COIN, { burnt: true, height: 2 }),
      ownedOutput(50n * COIN, { rct: false, height: 3 }),
    ];
    expect(plan([toAlice(2n * COIN)], [...useless, usable])[0]?.inputs).toEqual([usable]);
  });

  it('is determined by the seed', () => {
    const unspent = Array.from({ length: 60 }, () => ownedOutput(COIN));
    const payees = [toAlice(20n * COIN)];
    expect(plan(payees, unspent)).toEqual(plan(payees, unspent));
  });

  it('pays a higher fee for a higher priority', () => {
    const unspent = outputs(5n * COIN);
    const fees = [0, 1, 2, 3, 4].map(
      (priority) => plan([toAlice(COIN)], unspent, { priority })[0]?.fee ?? 0n,
    );
    expect(fees[0]).toBe(fees[1]);
    expect(fees[2]).toBeGreaterThan(fees[1] ?? 0n);
    expect(fees[3]).toBeGreaterThan(fees[2] ?? 0n);
    expect(fees[4]).toBeGreaterThan(fees[3] ?? 0n);
  });
});

describe('a payment that does not fit one transaction', () => {
  it('is split after fifteen destinations', () => {
    const payees = Array.from({ length: 31 }, (_, i) => toAlice(BigInt(i + 1)));
    const planned = plan(payees, outputs(COIN, COIN, COIN, COIN, COIN));
    expect(planned.map((share) => share.payees.length)).toEqual([15, 15, 1]);
    expect(planned.flatMap((share) => share.payees)).toEqual(payees);
  });

  it('is split within a destination when its inputs would be too heavy', () => {
    const unspent = Array.from({ length: 300 }, () => ownedOutput(COIN));
    const planned = plan([toAlice(250n * COIN)], unspent);
    expect(planned.length).toBeGreaterThan(1);
    expect(total(planned.flatMap((share) => share.payees))).toBe(250n * COIN);
    for (const { inputs, payees } of planned)
      expect(estimateWeight(inputs.length, 16, payees.length + 1, 44)).toBeLessThan(MAX_TX_WEIGHT);
  });

  it('does not use an output twice', () => {
    const unspent = Array.from({ length: 300 }, () => ownedOutput(COIN));
    const inputs = plan([toAlice(250n * COIN)], unspent).flatMap((share) => share.inputs);
    expect(new Set(inputs).size).toBe(inputs.length);
  });

  it('cannot take its fee from a destination', () => {
    const unspent = Array.from({ length: 300 }, () => ownedOutput(COIN));
    expect(faultOf(() => plan([toAlice(250n * COIN)], unspent, { feeFrom: [0] })).kind).toBe(
      'transfer_failed',
    );
  });
});

describe('a plan for any request', () => {
  const values = fc.bigInt({ min: 1n, max: 5n * COIN });
  it('pays all destinations exactly, from distinct outputs that cover the fee, or is a fault', () => {
    fc.assert(
      fc.property(
        fc.array(values, { minLength: 1, maxLength: 40 }),
        fc.array(fc.tuple(values, fc.nat(3), fc.nat(200)), { maxLength: 60 }),
        (wanted, held) => {
          const unspent = held.map(([value, minor, height]) =>
            ownedOutput(value, { height, subaddress: { major: 0, minor } }),
          );
          const payees = wanted.map((value, i) =>
            payeeOf((i % 2 === 0 ? alice : bob).address({ major: 0, minor: i % 4 }), value),
          );
          let planned: PaymentPlan[];
          try {
            planned = plan(payees, unspent);
          } catch (error) {
            expect(error).toBeInstanceOf(ProtocolError);
            expect(total(payees) + 300_000_000n * BigInt(1 + unspent.length)).toBeGreaterThan(
              total(unspent) / 2n,
            );
            return;
          }
          const inputs = planned.flatMap((share) => share.inputs);
          expect(new Set(inputs).size).toBe(inputs.length);
          for (const input of inputs) expect(unspent).toContain(input);
          expect(total(planned.flatMap((share) => share.payees))).toBe(total(payees));
          for (const share of planned) {
            expect(total(share.inputs)).toBeGreaterThanOrEqual(total(share.payees) + share.fee);
            expect(share.payees.length).toBeLessThanOrEqual(15);
            for (const payee of share.payees) expect(payee.amount).toBeGreaterThan(0n);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('a fee from the destinations', () => {
  it('lets the whole balance be paid', () => {
    const unspent = outputs(COIN, COIN);
    const [only] = plan([toAlice(2n * COIN)], unspent, { feeFrom: [0] });
    expect(only?.feeFrom).toEqual([0]);
    expect(total(only?.payees ?? [])).toBe(2n * COIN);
  });

  it('is refused where the wallet holds less', () => {
    expect(faultOf(() => plan([toAlice(1000n)], outputs(5000n), { feeFrom: [0] }))).toMatchObject({
      kind: 'not_enough_money',
      available: 5000n,
    });
  });
});

describe('a plan is refused', () => {
  const unspent = outputs(COIN);
  const integrated = payeeOf(alice.address(undefined, PAYMENT_ID), 1n);
  test.each<[string, readonly Payee[], Partial<TransferRequest>, PlanFault['kind']]>([
    ['without destinations', [], {}, 'zero_destination'],
    ['with a zero amount', [toAlice(1n), toAlice(0n)], {}, 'zero_amount'],
    ['with amounts beyond u64', [toAlice((1n << 64n) - 1n), toAlice(1n)], {}, 'transfer_failed'],
    ['for the largest amount', [toAlice((1n << 64n) - 1n)], {}, 'tx_not_possible'],
    ['for more than the balance', [toAlice(2n * COIN)], {}, 'not_enough_money'],
    ['for the whole balance, without the fee', [toAlice(COIN)], {}, 'not_enough_money'],
    ['with two payment ids', [integrated, integrated], {}, 'wrong_payment_id'],
    [
      'with a payment id beside another payee',
      [integrated, payeeOf(bob.address(), 1n)],
      {},
      'wrong_payment_id',
    ],
    ['with a fee from a missing destination', [toAlice(1n)], { feeFrom: [1] }, 'transfer_failed'],
    ['with a fee from one destination twice', [toAlice(1n)], { feeFrom: [0, 0] }, 'transfer_failed'],
    [
      'with a fee from sixteen',
      Array.from({ length: 16 }, () => toAlice(1n)),
      { feeFrom: [0] },
      'transfer_failed',
    ],
  ])('%s', (_, payees, facts, kind) => {
    expect(faultOf(() => plan(payees, unspent, facts)).kind).toBe(kind);
  });

  it('while the needed outputs are locked, with the available amount', () => {
    const held = [ownedOutput(COIN, { height: 100 }), ownedOutput(5n * COIN, { height: 191 })];
    const purse = purseOf(held, { chainHeight: 200 });
    const fault = faultOf(() => planTransfers(request([toAlice(2n * COIN)]), purse, RATES, seededRng(1)));
    expect(fault).toMatchObject({ kind: 'not_enough_unlocked_money', available: COIN });
  });

  it.each([
    [2n * COIN, 'not_enough_unlocked_money'],
    [7n * COIN, 'not_enough_money'],
  ])('for %i, counting unconfirmed incoming amounts as locked: %s', (value, kind) => {
    const purse = purseOf([ownedOutput(COIN)], { chainHeight: 200 });
    const asked = { ...request([toAlice(value)]), unconfirmed: (5n * COIN) as Amount };
    expect(faultOf(() => planTransfers(asked, purse, RATES, seededRng(1))).kind).toBe(kind);
  });

  it('when the outputs are worth less than the fee of spending them', () => {
    const dust = Array.from({ length: 2000 }, () => ownedOutput(1_000_000n));
    expect(faultOf(() => plan([toAlice(1_000_000_000n)], dust)).kind).toBe('tx_not_possible');
  });
});

describe('whether a request can be paid never depends on chance', () => {
  /** Cost of one more input at the lowest rate. */
  const cost = costOfInput(RATES, 1);
  const seeds = Array.from({ length: 16 }, (_, seed) => seed);
  const planned = (
    payees: readonly Payee[],
    unspent: readonly OwnedOutput[],
    facts: Partial<TransferRequest> = {},
  ): number[] =>
    seeds.map(
      (seed) => planTransfers(request(payees, facts), purseOf(unspent), RATES, seededRng(seed)).length,
    );
  const many = (count: number, value: bigint, minor = 0): OwnedOutput[] =>
    Array.from({ length: count }, () => ownedOutput(value, { subaddress: { major: 0, minor } }));

  it('in one transaction beside hundreds of outputs that are hardly worth their fee', () => {
    const unspent = [...many(400, cost), ...many(3, COIN)];
    expect(new Set(planned([toAlice(2n * COIN + COIN / 2n)], unspent))).toEqual(new Set([1]));
    expect(new Set(planned([toAlice(2n * COIN + COIN / 2n)], unspent, { changeOutputs: 4 }))).toEqual(
      new Set([1]),
    );
  });

  it('with an address that holds dust only, which is never chosen', () => {
    const unspent = [...many(50, cost - 1n, 1), ...many(2, COIN, 2)];
    expect(new Set(planned([toAlice(COIN + COIN / 2n)], unspent))).toEqual(new Set([1]));
  });

  it('in several transactions whose small inputs do not pay for themselves', () => {
    const unspent = [...many(600, cost), ...many(200, COIN)];
    const counts = planned([toAlice(150n * COIN)], unspent);
    expect(Math.min(...counts)).toBeGreaterThan(1);
  });
});
