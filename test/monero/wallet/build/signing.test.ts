import { describe, expect, it, test } from '@jest/globals';
import { feeOfWeight, feeShares, type FeeRates } from '../../../../src/monero/wallet/select/fees.js';
import {
  parseTransaction,
  prefixHash,
  transactionHash,
  transactionWeight,
} from '../../../../src/monero/cryptonote/transaction.js';
import { loadCurve } from '../../../../src/monero/crypto/curve/load-curve.js';
import { verifyRange } from '../../../../src/monero/ringct/bulletproofs-plus.js';
import { verifyClsag } from '../../../../src/monero/ringct/clsag.js';
import { amountsBalance } from '../../../../src/monero/ringct/commitment.js';
import { preMlsagHash } from '../../../../src/monero/ringct/message.js';
import { amount, ZERO, type Amount } from '../../../../src/util/amount.js';
import { systemRng } from '../../../../src/util/random.js';
import { constructTransaction, type SpendableInput } from '../../../../src/monero/wallet/build/construction.js';
import type { PlanFault } from '../../../../src/monero/wallet/select/transfer-request.js';
import {
  buildTransaction,
  settleFee,
  signTransaction,
  weightOnceSigned,
  type PricedPlan,
  type SignedTx,
} from '../../../../src/monero/wallet/build/signing.js';
import fc from 'fast-check';
import { randomRuns } from '../../../support/fakes/random-runs.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { COIN, faultOf, holder, spendableInput } from '../fixtures.js';

const curve = loadCurve();
const rng = seededRng('signing');
const payer = holder(rng);
const alice = holder(rng);
const RATE = 20_000n;
const RATES: FeeRates = { perByte: [RATE], quantizationMask: 10_000n };

const planOf = (
  amounts: readonly bigint[],
  inputs: readonly SpendableInput[],
  facts: Partial<PricedPlan> = {},
): PricedPlan => ({
  inputs,
  payees: amounts.map((value) => ({ address: alice.address(), amount: amount(value) })),
  changeAddress: payer.address(),
  fee: ZERO,
  unlockTime: 0n,
  viewSecret: payer.viewSecret,
  ...facts,
});

const inputOf = (value: bigint): SpendableInput => spendableInput(amount(value), rng);

/** The network's checks, by this project's verifiers. */
function verify(signed: SignedTx, inputs: readonly SpendableInput[]): void {
  const tx = parseTransaction(signed.blob);
  const { base, prunable } = tx.rct ?? {};
  if (base === undefined || prunable === undefined) throw new Error('no signature');
  expect(transactionHash(tx)).toEqual(signed.hash);
  expect(transactionWeight(tx)).toBe(signed.weight);
  expect(amountsBalance(prunable.pseudoOuts, base.outPk, base.fee, curve)).toBe(true);
  const [proof] = prunable.bulletproofsPlus;
  if (proof === undefined) throw new Error('no range proof');
  expect(verifyRange([{ proof, commitments: base.outPk }], systemRng, curve)).toBe(true);
  const message = preMlsagHash(
    prefixHash(tx.prefix),
    base,
    prunable,
    tx.prefix.inputs.length,
    tx.prefix.outputs.length,
  );
  tx.prefix.inputs.forEach((input, i) => {
    const clsag = prunable.clsags[i];
    const pseudoOut = prunable.pseudoOuts[i];
    if (input.type !== 'key' || clsag === undefined || pseudoOut === undefined)
      throw new Error('no signature');
    const spent = inputs.find(({ keyImage }) => Buffer.compare(keyImage, input.keyImage) === 0);
    expect(
      verifyClsag(
        { message, ring: spent?.ring.members ?? [], clsag, keyImage: input.keyImage, pseudoOut },
        curve,
      ),
    ).toBe(true);
  });
}

describe('a signed transaction', () => {
  test.each([
    ['one input and two outputs', [COIN], [COIN / 2n]],
    ['two inputs and a dummy', [COIN, 7n], null],
    ['three inputs and three outputs', [COIN, COIN, 5n], [COIN, 3n]],
  ])('of %s passes every check and has the predicted weight', (_, held, paid) => {
    const inputs = held.map(inputOf);
    const plan = paid === null ? planOf([COIN + 7n], inputs, { feeFrom: [0] }) : planOf(paid, inputs);
    const unsigned = settleFee(plan, RATE, RATES, rng);
    const signed = signTransaction(unsigned, rng, curve);
    verify(signed, inputs);
    expect(signed.weight).toBe(weightOnceSigned(unsigned));
    expect(signed.fee).toBe(feeOfWeight(signed.weight, RATE, RATES));
  });

  it('can be copied to another thread before and after', () => {
    const inputs = [inputOf(COIN)];
    const unsigned = settleFee(planOf([5n], inputs), RATE, RATES, rng);
    const signed = signTransaction(structuredClone(unsigned), rng, curve);
    verify(structuredClone(signed), inputs);
  });
});

describe('the fee', () => {
  it.each([1, 2, 5])('follows from the exact weight of %i inputs, for any planned fee', (count) => {
    const inputs = Array.from({ length: count }, () => inputOf(COIN));
    for (const fee of [0n, 5_000_000_000n]) {
      const unsigned = settleFee(planOf([5n], inputs, { fee: amount(fee) }), RATE, RATES, rng);
      expect(unsigned.fee).toBe(feeOfWeight(weightOnceSigned(unsigned), RATE, RATES));
      expect(unsigned.change).toBe(BigInt(count) * COIN - 5n - unsigned.fee);
    }
  });

  it('leaves no change when it takes the remainder exactly', () => {
    const inputs = [inputOf(COIN)];
    const { fee } = settleFee(planOf([5n, 6n], inputs), RATE, RATES, rng);
    const unsigned = constructTransaction(planOf([5n, COIN - 5n - fee], inputs, { fee }), rng);
    expect(unsigned.prefix.outputs).toHaveLength(2);
    expect(unsigned.change).toBe(0n);
  });

  it('is deducted from the listed payees in equal parts', () => {
    const inputs = [inputOf(COIN)];
    const part = COIN / 4n;
    const plan = planOf([part, part, part, part], inputs, { feeFrom: [0, 2, 3] });
    const unsigned = settleFee(plan, RATE, RATES, rng);
    expect(unsigned.change).toBe(0n);
    const amounts = unsigned.targets
      .map((target) => target.amount as bigint)
      .sort((a, b) => (a < b ? -1 : 1));
    expect(amounts[3]).toBe(part);
    expect(amounts.reduce((total, value) => total + value, 0n)).toBe(COIN - unsigned.fee);
    expect((amounts[2] ?? 0n) - (amounts[0] ?? 0n)).toBeLessThanOrEqual(1n);
    expect(unsigned.payees[1]?.amount).toBe(part);
    expect(
      [...unsigned.payees].map((payee) => payee.amount as bigint).sort((a, b) => (a < b ? -1 : 1)),
    ).toEqual(amounts);
  });

  it('is shared by all payees, of whom some pay their shares out of their amounts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.bigInt({ min: COIN / 100n, max: COIN / 20n }), fc.boolean()), {
          minLength: 1,
          maxLength: 15,
        }),
        (payouts) => {
          const feeFrom = payouts.flatMap(([, pays], i) => (pays ? [i] : []));
          const amounts = payouts.map(([value]) => value);
          const plan = planOf(amounts, [inputOf(COIN)], { feeFrom, feeAmongAll: true });
          const unsigned = settleFee(plan, RATE, RATES, rng);
          const shares = feeShares(unsigned.fee, payouts.length);
          expect(unsigned.payees.map((payee) => payee.amount)).toEqual(
            payouts.map(([value, pays], i) => (pays ? value - (shares[i] ?? 0n) : value)),
          );
          const received = unsigned.payees.reduce((total, payee) => total + payee.amount, 0n);
          expect(received + unsigned.change + unsigned.fee).toBe(COIN);
          expect(unsigned.fee).toBe(feeOfWeight(weightOnceSigned(unsigned), RATE, RATES));
        },
      ),
      { numRuns: randomRuns(40) },
    );
  });

  it.each<[string, PricedPlan, PlanFault['kind']]>([
    [
      'share is all that its payee receives',
      planOf([100n, COIN], [inputOf(3n * COIN)], { feeFrom: [0], feeAmongAll: true }),
      'zero_amount',
    ],
    ['is more than its payee receives', planOf([100n], [inputOf(COIN)], { feeFrom: [0] }), 'tx_not_possible'],
    [
      'leaves one of its payees nothing',
      planOf([100n, COIN], [inputOf(2n * COIN)], { feeFrom: [0, 1] }),
      'zero_amount',
    ],
  ])('that %s is refused', (_, plan, kind) => {
    expect(faultOf(() => settleFee(plan, RATE, RATES, rng))).toMatchObject({ kind });
  });

  it('may leave a payee a single atomic unit', () => {
    const { fee } = settleFee(planOf([COIN], [inputOf(2n * COIN)], { feeFrom: [0] }), RATE, RATES, rng);
    const least = fee + 1n;
    const unsigned = settleFee(planOf([least], [inputOf(2n * COIN)], { feeFrom: [0] }), RATE, RATES, rng);
    expect(unsigned.payees.map((payee) => payee.amount)).toEqual([least - unsigned.fee]);
  });

  it.each<[string, PricedPlan]>([
    ['is more than the inputs leave', planOf([COIN], [inputOf(COIN + 100n)])],
    ['comes from a missing payee', planOf([COIN], [inputOf(COIN)], { feeFrom: [1] })],
  ])('that %s is refused', (_, plan) => {
    expect(() => settleFee(plan, RATE, RATES, rng)).toThrow(RangeError);
  });
});

describe('a signature is refused', () => {
  const refused = (change: (input: SpendableInput) => SpendableInput): void => {
    const plan = planOf([5n], [change(inputOf(COIN))]);
    expect(() => buildTransaction(plan, RATE, RATES, rng)).toThrow(RangeError);
  };
  it('with another secret key', () => refused((input) => ({ ...input, secretKey: inputOf(1n).secretKey })));
  it('with another mask', () => refused((input) => ({ ...input, mask: input.mask + 1n })));
  it('with another amount', () => refused((input) => ({ ...input, amount: (input.amount + 1n) as Amount })));
  it('with another place in the ring', () =>
    refused((input) => ({ ...input, ring: { ...input.ring, realIndex: (input.ring.realIndex + 1) % 16 } })));
});
