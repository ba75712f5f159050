import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { parseExtra } from '../../../../src/monero/cryptonote/extra.js';
import { feeOfWeight, type FeeRates } from '../../../../src/monero/wallet/select/fees.js';
import { parseTransaction } from '../../../../src/monero/cryptonote/transaction.js';
import type { PaymentId, SubaddressIndex } from '../../../../src/monero/cryptonote/types.js';
import { loadCurve } from '../../../../src/monero/crypto/curve/load-curve.js';
import { verifyRange } from '../../../../src/monero/ringct/bulletproofs-plus.js';
import { amountsBalance } from '../../../../src/monero/ringct/commitment.js';
import { amount, sum } from '../../../../src/util/amount.js';
import {
  constructTransaction,
  type SpendableInput,
  type TransactionPlan,
  type UnsignedTx,
} from '../../../../src/monero/wallet/build/construction.js';
import type { OutputTarget } from '../../../../src/monero/wallet/build/output-layout.js';
import {
  buildTransaction,
  settleFee,
  weightOnceSigned,
  type PricedPlan,
} from '../../../../src/monero/wallet/build/signing.js';
import { changeOutputsFor } from '../../../../src/monero/wallet/select/change-split.js';
import { sameAddress } from '../../../../src/monero/wallet/select/transfer-request.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { COIN, holder, spendableInput, type Holder } from '../fixtures.js';
import { received } from '../../../support/wallets/received-outputs.js';
import { itAtNight } from '../../../support/jest/lanes.js';

/* Transactions whose change is several outputs. */

const rng = seededRng('change outputs');
const [payer, alice, bob] = [holder(rng), holder(rng), holder(rng)];
const curve = loadCurve();
const RATE = 20_000n;
const RATES: FeeRates = { perByte: [RATE], quantizationMask: 10_000n };
const LEAST = 14_000_000n;
const FEE = amount(50_000_000n);
const SUBADDRESS: SubaddressIndex = { major: 0, minor: 2 };
const input = spendableInput(amount(10n * COIN), rng);

const to = (who: Holder, value: bigint, index?: SubaddressIndex, id?: PaymentId): OutputTarget => ({
  address: who.address(index, id),
  amount: amount(value),
});

const planOf = (payees: readonly OutputTarget[], facts: Partial<TransactionPlan> = {}): TransactionPlan => ({
  inputs: [input],
  payees,
  changeAddress: payer.address(),
  fee: FEE,
  unlockTime: 0n,
  viewSecret: payer.viewSecret,
  ...facts,
});

const construct = (payees: readonly OutputTarget[], facts: Partial<TransactionPlan> = {}): UnsignedTx =>
  constructTransaction(planOf(payees, facts), rng, curve);

const partsOf = ({ targets }: Pick<UnsignedTx, 'targets'>, owner = payer.address()): bigint[] =>
  targets.filter(({ address }) => sameAddress(address, owner)).map((target) => target.amount);

describe('a transaction with several change outputs', () => {
  test.each<[string, OutputTarget[], SubaddressIndex, number]>([
    ['a standard address', [to(alice, COIN)], { major: 0, minor: 0 }, 0],
    ['a subaddress', [to(alice, COIN, SUBADDRESS)], { major: 0, minor: 0 }, 0],
    [
      'an integrated address',
      [to(alice, COIN, undefined, rng(8) as PaymentId)],
      { major: 0, minor: 0 },
      0,
    ],
    [
      'a subaddress beside a standard address',
      [to(alice, COIN, SUBADDRESS), to(bob, 1n)],
      { major: 0, minor: 0 },
      7,
    ],
    ['a subaddress, from another account', [to(alice, COIN, SUBADDRESS)], { major: 2, minor: 0 }, 0],
    [
      'two subaddresses, from another account',
      [to(alice, COIN, SUBADDRESS), to(bob, 1n, SUBADDRESS)],
      { major: 2, minor: 0 },
      7,
    ],
  ])('to %s pays them all to the change address', (_, payees, account, additionalKeys) => {
    const unsigned = construct(payees, { changeOutputs: 5, changeAddress: payer.address(account) });
    const found = received(payer, unsigned);
    expect(found.map(({ subaddress }) => subaddress)).toEqual(Array(5).fill(account));
    expect(found.reduce((total, one) => total + one.amount, 0n)).toBe(unsigned.change);
    expect(unsigned.change).toBe(10n * COIN - FEE - sum(payees.map((payee) => payee.amount)));
    expect(received(alice, unsigned).map((one) => one.amount)).toEqual([COIN]);
    expect(unsigned.additionalSecretKeys).toHaveLength(additionalKeys);
    const oneTimeKeys = unsigned.prefix.outputs.map(({ publicKey }) => publicKey.toString());
    expect(new Set(oneTimeKeys).size).toBe(payees.length + 5);
  });

  it('keeps a payment to the change address apart from the change', () => {
    const unsigned = construct([to(payer, COIN), to(alice, COIN)], { changeOutputs: 3 });
    expect(unsigned.change).toBe(8n * COIN - FEE);
    expect(partsOf(unsigned)).toHaveLength(4);
    expect(received(payer, unsigned)).toHaveLength(4);
  });

  it('has the dummy output, and no other, when there is no change', () => {
    const unsigned = construct([to(alice, 10n * COIN - FEE)], { changeOutputs: 5 });
    expect(unsigned.outputs.map((output) => output.amount).sort()).toEqual([0n, 10n * COIN - FEE]);
    expect(received(payer, unsigned)).toEqual([]);
  });

  it('is the same transaction for one change output as without the parameter', () => {
    const [absent, one] = [{}, { changeOutputs: 1 }].map((facts) =>
      constructTransaction(planOf([to(alice, COIN)], facts), seededRng(3)),
    );
    expect(one).toEqual(absent);
  });

  it('is refused with more than sixteen outputs', () => {
    const payees = Array.from({ length: 3 }, () => to(alice, 1n));
    expect(() => construct(payees, { changeOutputs: 14 })).toThrow(RangeError);
  });
});

/** Everything of a transaction that an observer sees, with the length in place of each pseudorandom value. */
function formOf(plan: PricedPlan) {
  const signed = buildTransaction(plan, RATE, RATES, rng, curve);
  const { prefix, rct } = parseTransaction(signed.blob);
  const { prunable, base } = rct ?? {};
  const length = (bytes: Uint8Array | undefined): number => bytes?.length ?? 0;
  const [proof] = prunable?.bulletproofsPlus ?? [];
  expect(proof && base && verifyRange([{ proof, commitments: base.outPk }], rng, curve)).toBe(true);
  expect(base && amountsBalance(prunable?.pseudoOuts ?? [], base.outPk, base.fee, curve)).toBe(true);
  return {
    size: signed.blob.length,
    weight: signed.weight,
    fee: signed.fee,
    version: prefix.version,
    unlockTime: prefix.unlockTime,
    inputs: prefix.inputs.map((one) => (one.type === 'key' ? [one.amount, one.keyOffsets.length] : one.type)),
    outputs: prefix.outputs.map((output) => ({
      fields: Object.keys(output),
      amount: output.amount,
      key: length(output.publicKey),
      viewTag: typeof output.viewTag,
    })),
    extra: parseExtra(prefix.extra).fields.map((field) =>
      field.type === 'additionalKeys' ? [field.type, field.keys.length] : field.type,
    ),
    extraSize: prefix.extra.length,
    type: base?.type,
    amounts: base?.ecdhInfo.map((one) => [Object.keys(one), length(one.amount)]),
    commitments: base?.outPk.map(length),
    rounds: [proof?.L.length, proof?.R.length],
    signatures: prunable?.clsags.map(({ s }) => s.length),
  };
}

describe('an observer of the chain', () => {
  const standard = { payees: [to(alice, COIN)] };
  const destinations = [to(alice, COIN), ...Array.from({ length: 4 }, () => to(bob, COIN))];
  test.each<[string, readonly OutputTarget[], readonly OutputTarget[]]>([
    ['standard addresses', standard.payees, destinations],
    [
      'a subaddress beside a standard address',
      [to(alice, COIN, SUBADDRESS), to(bob, COIN)],
      [to(alice, COIN, SUBADDRESS), ...Array.from({ length: 5 }, () => to(bob, COIN))],
    ],
    [
      'one subaddress',
      [to(alice, COIN, SUBADDRESS)],
      // Without additional keys too: one subaddress is paid five times.
      Array.from({ length: 5 }, () => to(alice, COIN, SUBADDRESS)),
    ],
  ])('sees the form of a transaction with as many outputs: %s', (_, few, many) => {
    const changeSplit = { outputs: 1 + many.length - few.length, least: LEAST };
    const split = formOf({ ...planOf(few), changeSplit });
    expect(split.outputs).toHaveLength(many.length + 1);
    expect(split).toEqual(formOf(planOf(many)));
  });

  itAtNight('finds the payee equally often at each place among the change outputs', () => {
    const SAMPLES = 3000;
    const OUTPUTS = 6;
    const plan = planOf([to(alice, COIN)], { changeOutputs: OUTPUTS - 1 });
    const seen = new Array<number>(OUTPUTS).fill(0);
    for (let i = 0; i < SAMPLES; i++) {
      const { outputs, targets } = constructTransaction(plan, rng, curve);
      expect(outputs.map((output) => output.amount)).toEqual(targets.map((target) => target.amount));
      const place = outputs.findIndex((output) => output.amount === COIN);
      seen[place] = (seen[place] ?? 0) + 1;
    }
    const mean = SAMPLES / OUTPUTS;
    // Five degrees of freedom: exceeded once in 100,000.
    expect(seen.reduce((total, n) => total + (n - mean) ** 2 / mean, 0)).toBeLessThan(31);
  });
});

const priced = (held: bigint, paid: bigint, outputs: number, facts: Partial<PricedPlan> = {}): PricedPlan => ({
  ...planOf([to(alice, paid)]),
  inputs: [spendableInput(amount(held), rng)],
  changeSplit: { outputs, least: LEAST },
  ...facts,
});
const heldBy = (inputs: readonly SpendableInput[]): bigint => sum(inputs.map((one) => one.amount));

describe('the fee of a transaction with several change outputs', () => {
  test.each([1, 2, 5, 14])('is that of its exact weight: %i', (outputs) => {
    const plan = priced(10n * COIN, COIN, outputs);
    const unsigned = settleFee(plan, RATE, RATES, rng, curve);
    expect(partsOf(unsigned)).toHaveLength(outputs);
    expect(unsigned.fee).toBe(feeOfWeight(weightOnceSigned(unsigned), RATE, RATES));
    expect(partsOf(unsigned).reduce((total, part) => total + part, 0n)).toBe(9n * COIN - unsigned.fee);
  });

  it('is deducted from the payee without changing the change', () => {
    const plan = priced(10n * COIN, COIN, 5, { feeFrom: [0] });
    const unsigned = settleFee(plan, RATE, RATES, rng, curve);
    expect(partsOf(unsigned).reduce((total, part) => total + part, 0n)).toBe(9n * COIN);
    expect(unsigned.payees.map((payee) => payee.amount)).toEqual([COIN - unsigned.fee]);
    expect(unsigned.fee).toBe(feeOfWeight(weightOnceSigned(unsigned), RATE, RATES));
  });

  const exact = (outputs: number): bigint =>
    settleFee(priced(10n * COIN, COIN, outputs), RATE, RATES, rng, curve).fee;

  it('is that of one change output when the change is worth no more', () => {
    const fee = exact(5);
    const plan = priced(COIN + fee + 5n, COIN, 5, { fee: amount(fee) });
    const unsigned = settleFee(plan, RATE, RATES, rng, curve);
    expect(partsOf(unsigned)).toEqual([fee - exact(1) + 5n]);
    expect(unsigned.fee).toBe(exact(1));
  });

  it('is exact when that of the requested outputs leaves no change', () => {
    const fee = exact(5);
    const unsigned = settleFee(priced(COIN + fee, COIN, 5, { fee: amount(fee) }), RATE, RATES, rng, curve);
    expect(unsigned.fee).toBe(exact(1));
    expect(unsigned.change).toBe(fee - exact(1));
  });

  it('leaves parts worth spending, and as many as possible, for any change', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 12n * LEAST }),
        fc.integer({ min: 2, max: 6 }),
        (rest, outputs) => {
          const fee = exact(outputs);
          const plan = priced(COIN + fee + rest, COIN, outputs, { fee: amount(fee) });
          const unsigned = settleFee(plan, RATE, RATES, rng, curve);
          const parts = partsOf(unsigned);
          expect(unsigned.fee).toBe(feeOfWeight(weightOnceSigned(unsigned), RATE, RATES));
          expect(unsigned.fee + unsigned.change + COIN).toBe(heldBy(plan.inputs));
          if (parts.length > 1) for (const part of parts) expect(part).toBeGreaterThanOrEqual(LEAST);
          // The fee of one output more leaves too little change for it.
          if (parts.length < outputs) {
            const changeThen = heldBy(plan.inputs) - COIN - exact(parts.length + 1);
            expect(changeOutputsFor(changeThen, { outputs, least: LEAST })).toBeLessThan(parts.length + 1);
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});
