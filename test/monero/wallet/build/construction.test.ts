import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { keyDerivation } from '../../../../src/monero/crypto/derivation.js';
import { additionalPublicKeys, parseExtra, paymentIdOf, txPublicKeys, cryptPaymentId } from '../../../../src/monero/cryptonote/extra.js';
import type { PaymentId, SubaddressIndex } from '../../../../src/monero/cryptonote/types.js';
import { amount, ZERO } from '../../../../src/util/amount.js';
import { compareBytes } from '../../../../src/util/bytes.js';
import {
  constructTransaction,
  type TransactionPlan,
  type UnsignedTx,
} from '../../../../src/monero/wallet/build/construction.js';
import type { OutputTarget } from '../../../../src/monero/wallet/build/output-layout.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { holder, spendableInput, type Holder } from '../fixtures.js';
import { received } from '../../../support/wallets/received-outputs.js';

const rng = seededRng('construction');
const [payer, alice, bob] = [holder(rng), holder(rng), holder(rng)];
const FEE = amount(30n);
const inputs = [
  spendableInput(amount(700n), rng),
  spendableInput(amount(330n), rng),
  spendableInput(amount(1n), rng),
];
const PAYMENT_ID = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) as PaymentId;

const to = (who: Holder, value: bigint, index?: SubaddressIndex, id?: PaymentId): OutputTarget => ({
  address: who.address(index, id),
  amount: amount(value),
});

const planOf = (payees: readonly OutputTarget[], facts: Partial<TransactionPlan> = {}): TransactionPlan => ({
  inputs,
  payees,
  changeAddress: payer.address(),
  fee: FEE,
  unlockTime: 0n,
  viewSecret: payer.viewSecret,
  ...facts,
});

const construct = (payees: readonly OutputTarget[], facts: Partial<TransactionPlan> = {}): UnsignedTx =>
  constructTransaction(planOf(payees, facts), rng);

const extraOf = ({ prefix }: UnsignedTx) => parseExtra(prefix.extra);

const paymentIdFor = (who: Holder, unsigned: UnsignedTx): PaymentId | undefined => {
  const { fields } = extraOf(unsigned);
  const id = paymentIdOf(fields);
  const [key] = txPublicKeys(fields);
  return id?.kind === 'short' && key !== undefined
    ? cryptPaymentId(id.id, keyDerivation(key, who.viewSecret))
    : undefined;
};

const primary = { major: 0, minor: 0 };

describe('a transaction', () => {
  it('pays one standard address and returns the change', () => {
    const unsigned = construct([to(alice, 400n)]);
    expect(received(alice, unsigned)).toEqual([{ amount: 400n, subaddress: primary }]);
    expect(received(payer, unsigned)).toEqual([{ amount: 601n, subaddress: primary }]);
    expect(received(bob, unsigned)).toEqual([]);
    expect(unsigned.change).toBe(601n);
    expect(unsigned.additionalSecretKeys).toEqual([]);
  });

  it('pays one subaddress without additional keys', () => {
    const index = { major: 1, minor: 3 };
    const unsigned = construct([to(alice, 400n, index)]);
    expect(received(alice, unsigned)).toEqual([{ amount: 400n, subaddress: index }]);
    expect(received(payer, unsigned)).toEqual([{ amount: 601n, subaddress: primary }]);
    expect(additionalPublicKeys(extraOf(unsigned).fields)).toEqual([]);
  });

  it('pays one subaddress several times without additional keys', () => {
    const index = { major: 0, minor: 1 };
    const unsigned = construct([to(alice, 400n, index), to(alice, 100n, index)]);
    expect(
      received(alice, unsigned)
        .map((found) => found.amount)
        .sort(),
    ).toEqual([100n, 400n]);
    expect(received(payer, unsigned)).toEqual([{ amount: 501n, subaddress: primary }]);
    expect(unsigned.additionalSecretKeys).toEqual([]);
  });

  test.each<[string, OutputTarget[]]>([
    ['a subaddress beside a standard address', [to(alice, 5n, { major: 0, minor: 1 }), to(bob, 6n)]],
    ['two subaddresses', [to(alice, 5n, { major: 0, minor: 1 }), to(bob, 6n, { major: 2, minor: 0 })]],
    [
      'two subaddresses of one wallet',
      [to(alice, 5n, { major: 0, minor: 1 }), to(alice, 6n, { major: 2, minor: 0 })],
    ],
  ])('gives every output a key for %s', (_, payees) => {
    const unsigned = construct(payees);
    expect(unsigned.additionalSecretKeys).toHaveLength(3);
    expect(additionalPublicKeys(extraOf(unsigned).fields)).toHaveLength(3);
    const amounts = [...received(alice, unsigned), ...received(bob, unsigned)].map((found) => found.amount);
    expect(amounts.sort()).toEqual([5n, 6n]);
    expect(received(payer, unsigned)).toEqual([{ amount: 990n, subaddress: primary }]);
  });

  it('returns change to the address of another account', () => {
    const account = { major: 2, minor: 0 };
    const unsigned = construct([to(alice, 400n, { major: 0, minor: 2 })], {
      changeAddress: payer.address(account),
    });
    expect(received(payer, unsigned)).toEqual([{ amount: 601n, subaddress: account }]);
    expect(received(alice, unsigned)).toEqual([{ amount: 400n, subaddress: { major: 0, minor: 2 } }]);
    expect(unsigned.additionalSecretKeys).toEqual([]);
  });

  it('pays an own address besides a subaddress', () => {
    const unsigned = construct([to(payer, 100n), to(alice, 400n, { major: 0, minor: 2 })]);
    expect(
      received(payer, unsigned)
        .map((found) => found.amount)
        .sort(),
    ).toEqual([100n, 501n]);
    expect(received(alice, unsigned)).toHaveLength(1);
  });

  it.each<[string, SubaddressIndex]>([
    ['a standard address', primary],
    ['a subaddress', { major: 0, minor: 3 }],
  ])('has a dummy output when %s gets everything', (_, index) => {
    const unsigned = construct([to(alice, 1001n, index)]);
    expect(unsigned.prefix.outputs).toHaveLength(2);
    expect(unsigned.outputs.map((output) => output.amount).sort()).toEqual([0n, 1001n]);
    expect(unsigned.additionalSecretKeys).toEqual([]);
    expect(received(alice, unsigned)).toEqual([{ amount: 1001n, subaddress: index }]);
    expect(received(payer, unsigned)).toEqual([]);
  });

  it('has no dummy output when two payees get everything', () => {
    expect(construct([to(alice, 1000n), to(bob, 1n)]).prefix.outputs).toHaveLength(2);
  });

  it('orders inputs by descending key image, rings by distance', () => {
    const unsigned = construct([to(alice, 400n)]);
    const images = unsigned.prefix.inputs.flatMap((input) => (input.type === 'key' ? [input.keyImage] : []));
    expect(images).toEqual(unsigned.inputs.map(({ keyImage }) => keyImage));
    expect([...images].sort((a, b) => compareBytes(b, a))).toEqual(images);
    for (const input of unsigned.prefix.inputs) {
      expect(input).toMatchObject({ type: 'key', amount: ZERO });
      if (input.type === 'key') expect(input.keyOffsets).toEqual([1000n, ...new Array<bigint>(15).fill(17n)]);
    }
  });

  it('shuffles its outputs', () => {
    const orders = new Set(
      Array.from({ length: 30 }, () => construct([to(alice, 400n)]).outputs[0]?.amount === 400n),
    );
    expect(orders).toEqual(new Set([true, false]));
  });

  it('keeps its unlock time', () => {
    expect(construct([to(alice, 4n)], { unlockTime: 77n }).prefix.unlockTime).toBe(77n);
  });

  it('is determined by the seed', () => {
    const one = constructTransaction(planOf([to(alice, 400n)]), seededRng(5));
    expect(constructTransaction(planOf([to(alice, 400n)]), seededRng(5))).toEqual(one);
    expect(constructTransaction(planOf([to(alice, 400n)]), seededRng(6))).not.toEqual(one);
  });

  it('balances, and all receivers find exactly the sent amounts, for any payees', () => {
    const place = fc.tuple(
      fc.constantFrom(alice, bob, payer),
      fc.nat(1),
      fc.nat(2),
      fc.integer({ min: 1, max: 60 }),
    );
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 6 }), fc.nat(2), (places, account) => {
        const payees = places.map(([who, major, minor, value]) => to(who, BigInt(value), { major, minor }));
        const changeAddress = payer.address({ major: account, minor: 0 });
        const unsigned = construct(payees, { changeAddress });
        const held = unsigned.inputs.reduce((sum, input) => sum + input.amount, 0n);
        expect(unsigned.outputs.reduce((sum, output) => sum + output.amount, 0n) + unsigned.fee).toBe(held);
        expect(unsigned.targets.map((target) => target.amount)).toEqual(
          unsigned.outputs.map((output) => output.amount),
        );
        for (const who of [alice, bob, payer]) {
          const expected = places
            .filter(([payee]) => payee === who)
            .map(([, major, minor, value]) => `${value} ${major}/${minor}`);
          if (who === payer) expected.push(`${unsigned.change} ${account}/0`);
          const found = received(who, unsigned).map(
            ({ amount: value, subaddress: at }) => `${value} ${at.major}/${at.minor}`,
          );
          expect(found.sort()).toEqual(expected.sort());
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe('the payment id', () => {
  it('of an integrated address is read by its holder only', () => {
    const unsigned = construct([to(alice, 400n, undefined, PAYMENT_ID)]);
    expect(paymentIdFor(alice, unsigned)).toEqual(PAYMENT_ID);
    expect(paymentIdFor(bob, unsigned)).not.toEqual(PAYMENT_ID);
  });

  it.each<[string, OutputTarget[], Holder]>([
    ['one payee and change', [to(alice, 400n)], alice],
    ['one subaddress and change', [to(alice, 400n, { major: 0, minor: 1 })], alice],
    ['one payee and a dummy', [to(alice, 1001n)], alice],
    ['one payee twice', [to(alice, 1000n), to(alice, 1n)], alice],
    ['an own address', [to(payer, 1001n)], payer],
  ])('is zeros when there is none: %s', (_, payees, reader) => {
    expect(paymentIdFor(reader, construct(payees))).toEqual(new Uint8Array(8));
  });

  it.each<[string, OutputTarget[]]>([
    ['three outputs', [to(alice, 400n), to(bob, 100n)]],
    ['two payees without change', [to(alice, 1000n), to(bob, 1n)]],
  ])('is left out with %s', (_, payees) => {
    expect(paymentIdOf(extraOf(construct(payees)).fields)).toBeUndefined();
  });
});

describe('a transaction is not made', () => {
  it.each<[string, Partial<TransactionPlan>]>([
    ['of more than the inputs hold', { payees: [to(alice, 1002n)] }],
    ['without inputs', { inputs: [], payees: [to(alice, 1n)], fee: ZERO }],
    ['without payees', { payees: [] }],
    ['with a payee of amount zero', { payees: [to(alice, 0n)] }],
    ['of more than sixteen outputs', { payees: Array.from({ length: 16 }, () => to(alice, 1n)) }],
    [
      'with a payment id beside another payee',
      { payees: [to(alice, 1n, undefined, PAYMENT_ID), to(bob, 1n)] },
    ],
  ])('%s', (_, facts) => {
    expect(() => construct([], facts)).toThrow(RangeError);
  });
});
