import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { decompress, G, H } from '../../../src/monero/crypto/curve/point.js';
import { ORDER } from '../../../src/monero/crypto/scalar.js';
import type { Commitment } from '../../../src/monero/crypto/types.js';
import { amountsBalance, commit, zeroCommit } from '../../../src/monero/ringct/commitment.js';
import { amount, U64_MAX } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import { onEveryCurve } from '../../support/values/curves.js';
import { commitmentVectors, noPoint, torsionPoints, withTorsion } from './vectors.js';
import { sumOfPoints } from '../../../src/monero/crypto/curve/points.js';
import { multiplyPublic } from '../../support/values/plain-points.js';

const scalars = fc.bigInt({ min: 0n, max: ORDER - 1n });
const amounts = fc.bigInt({ min: 0n, max: U64_MAX }).map(amount);

describe('the amount generator', () => {
  test.each(commitmentVectors.powersOfTwoTimesH.map((hex, i) => ({ hex, i })))(
    "times 2^$i equals upstream's constant",
    ({ hex, i }) => expect(toHex(multiplyPublic(H, 1n << BigInt(i)).toBytes())).toBe(hex),
  );
});

describe('zeroCommit', () => {
  test.each(commitmentVectors.zeroCommitments)('commits to $amount', ({ amount: value, commitment }) => {
    expect(toHex(onEveryCurve((curve) => zeroCommit(amount(BigInt(value)), curve)))).toBe(commitment);
    expect(toHex(commit(amount(BigInt(value)), 1n))).toBe(commitment);
  });
});

describe('commit', () => {
  it('is mask·G + amount·H for any mask and amount', () => {
    const naive = (value: bigint, mask: bigint): string =>
      toHex(multiplyPublic(G, mask).add(multiplyPublic(H, value)).toBytes());
    for (const [value, mask] of [
      [0n, 0n],
      [0n, ORDER - 1n],
      [U64_MAX, 0n],
      [U64_MAX, ORDER - 1n],
    ] as const)
      expect(toHex(commit(amount(value), mask))).toBe(naive(value, mask));
    fc.assert(
      fc.property(amounts, scalars, (value, mask) => {
        expect(toHex(commit(value, mask))).toBe(naive(value, mask));
      }),
      { numRuns: 20 },
    );
  });

  it('is additive in masks and amounts', () => {
    const half = fc.bigInt({ min: 0n, max: U64_MAX / 2n });
    fc.assert(
      fc.property(half, half, scalars, scalars, (a, b, x, y) => {
        const sum = sumOfPoints([commit(amount(a), x), commit(amount(b), y)]);
        expect(toHex(sum)).toBe(toHex(commit(amount(a + b), x + y)));
      }),
      { numRuns: 20 },
    );
  });
});

describe('amountsBalance', () => {
  const inputs = [commit(amount(700n), 11n), commit(amount(400n), 22n)];
  const outputs = [commit(amount(1_000n), 30n), commit(amount(90n), 3n)];
  const fee = amount(10n);

  it('holds when masks and amounts balance', () => expect(amountsBalance(inputs, outputs, fee)).toBe(true));

  test.each([
    ['another fee', inputs, outputs, amount(11n)],
    ['another output amount', inputs, [commit(amount(1_001n), 30n), ...outputs.slice(1)], fee],
    ['another output mask', inputs, [commit(amount(1_000n), 31n), ...outputs.slice(1)], fee],
    ['a missing input', inputs.slice(1), outputs, fee],
    ['a missing output', inputs, outputs.slice(1), fee],
    ['no inputs', [], outputs, fee],
    ['an output that is not a point', inputs, [...outputs, noPoint<Commitment>()], fee],
    ['an input that is not a point', [...inputs, noPoint<Commitment>()], outputs, fee],
    ['an output of the wrong length', inputs, [...outputs, new Uint8Array(31) as Commitment], fee],
  ])('does not hold with %s', (_, ins, outs, paid) => expect(amountsBalance(ins, outs, paid)).toBe(false));

  it('does not hold when the sums differ by a small-order point', () => {
    for (const torsion of torsionPoints)
      expect(
        amountsBalance(
          inputs.map((c, i) => (i === 0 ? withTorsion(c, torsion) : c)),
          outputs,
          fee,
        ),
      ).toBe(false);
  });

  it('holds for no inputs, no outputs and no fee, as upstream', () =>
    expect(amountsBalance([], [], amount(0n))).toBe(true));

  it('does not hold for amounts that balance modulo 2^64 only', () => {
    // An amount of 2^64 is 0 modulo 2^64.
    const wrapped = decompress(commit(amount(U64_MAX), 5n))
      .add(H)
      .toBytes() as Commitment;
    expect(amountsBalance([commit(amount(0n), 5n)], [wrapped], amount(0n))).toBe(false);
  });
});
