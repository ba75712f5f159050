import { describe, expect, it, test } from '@jest/globals';
import { decompress, H } from '../../../src/monero/crypto/curve/point.js';
import { bytesToInt, ORDER, randomScalar } from '../../../src/monero/crypto/scalar.js';
import type { Commitment } from '../../../src/monero/crypto/types.js';
import {
  proveRange as prove,
  verifyRange as verify,
  type RangeClaim,
} from '../../../src/monero/ringct/bulletproofs-plus.js';
import { loadCurve } from '../../../src/monero/crypto/curve/load-curve.js';
import { commit } from '../../../src/monero/ringct/commitment.js';
import type { BulletproofPlus } from '../../../src/monero/ringct/types.js';
import { amount, U64_MAX, type Amount } from '../../../src/util/amount.js';
import { systemRng, type Rng } from '../../../src/util/random.js';
import { cpuMs } from '../../support/fakes/cpu-time.js';
import { onEveryCurve } from '../../support/values/curves.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { noPoint, notCanonical, spoiled, torsionPoints, withTorsion } from './vectors.js';
import { someRows } from '../../support/jest/lanes.js';

const proveRange = (amounts: readonly Amount[], masks: readonly bigint[], rng: Rng): RangeClaim =>
  onEveryCurve((curve, again) => prove(amounts, masks, again, curve), rng);
const verifyRange = (claims: readonly RangeClaim[]): boolean =>
  onEveryCurve((curve, rng) => verify(claims, rng, curve), systemRng);

/**
 * Number of amounts from which proofs are made by the fastest curve only, because the plain one takes seconds. Proofs
 * of fewer amounts, padded ones too, are made by all.
 */
const SLOW = 5;
const MOST = 16;

const claims = new Map<number, RangeClaim>();

/** A claim about random amounts, determined by their number and made once. */
function claimOf(count: number): RangeClaim {
  const known = claims.get(count);
  if (known !== undefined) return known;
  const rng = seededRng(`range/${count}`);
  const amounts = Array.from({ length: count }, () => amount(bytesToInt(rng(8))));
  const masks = amounts.map(() => randomScalar(rng));
  const claim = count < SLOW ? proveRange(amounts, masks, rng) : prove(amounts, masks, rng, loadCurve());
  claims.set(count, claim);
  return claim;
}

const single = claimOf(1);
const pair = claimOf(2);
const withProof = (change: Partial<BulletproofPlus>): RangeClaim => ({
  ...pair,
  proof: { ...pair.proof, ...change },
});
const POINTS = ['A', 'A1', 'B'] as const;
const SCALARS = ['r1', 's1', 'd1'] as const;
const LISTS = ['L', 'R'] as const;

describe('proveRange', () => {
  test.each([0n, 1n, 1n << 32n, 1n << 63n, U64_MAX - 1n, U64_MAX])('proves %d', (value) => {
    const mask = randomScalar(seededRng(String(value)));
    const claim = proveRange([amount(value)], [mask], seededRng('one'));
    expect(claim.commitments).toEqual([commit(amount(value), mask)]);
    expect(verifyRange([claim])).toBe(true);
  });

  test.each(someRows([1, 2, 3, MOST, 4, 7, 9], 4))('proves %i amounts', (count) => {
    const claim = claimOf(count);
    const rounds = 6 + Math.ceil(Math.log2(count));
    expect(claim.proof.L).toHaveLength(rounds);
    expect(claim.proof.R).toHaveLength(rounds);
    expect(verifyRange([claim])).toBe(true);
  });

  it('takes masks of any residue', () => {
    const claim = proveRange([amount(5n), amount(6n)], [0n, ORDER - 1n], seededRng('masks'));
    expect(verifyRange([claim])).toBe(true);
  });

  it('is determined by its random source', () => {
    const prove = (seed: string) => proveRange([amount(9n)], [7n], seededRng(seed)).proof;
    const first = prove('a');
    expect(prove('a')).toEqual(first);
    expect(first.A).not.toEqual(prove('b').A);
  });

  test.each<[string, Amount[], bigint[]]>([
    ['no amounts', [], []],
    ['17 amounts', Array.from({ length: 17 }, () => amount(1n)), Array.from({ length: 17 }, () => 1n)],
    ['a mask too few', [amount(1n), amount(2n)], [1n]],
    ['a mask too many', [amount(1n)], [1n, 2n]],
  ])('refuses %s', (_, amounts, masks) => {
    expect(() => proveRange(amounts, masks, seededRng('refused'))).toThrow(RangeError);
  });

  // Values outside the type's range.
  test.each([-1n, 1n << 64n, 1n << 248n])('refuses to prove %d', (value) => {
    expect(() => proveRange([value as Amount], [5n], seededRng('too much'))).toThrow(RangeError);
  });
});

describe('verifyRange', () => {
  it('accepts many at once, of different sizes', () => {
    expect(verifyRange([single, pair, claimOf(3), claimOf(4), claimOf(8)])).toBe(true);
  });

  it('accepts none', () => expect(verifyRange([])).toBe(true));

  it('refuses a batch with one invalid proof at any position', () => {
    const wrong = withProof({ d1: spoiled(pair.proof.d1) });
    expect(verifyRange([wrong, single, pair])).toBe(false);
    expect(verifyRange([single, wrong, pair])).toBe(false);
    expect(verifyRange([single, pair, wrong])).toBe(false);
  });

  it('refuses two invalid proofs that would cancel out without weights', () => {
    // d1 + 1 in one proof and d1 - 1 in the other leave the unweighted sum of both equations unchanged.
    const shifted = (by: bigint): RangeClaim => {
      const d1 = (bytesToInt(pair.proof.d1) + by + ORDER) % ORDER;
      const bytes = Uint8Array.from({ length: 32 }, (_, i) => Number((d1 >> BigInt(8 * i)) & 0xffn));
      return withProof({ d1: bytes as unknown as BulletproofPlus['d1'] });
    };
    expect(verifyRange([shifted(0n)])).toBe(true);
    expect(verifyRange([shifted(1n), shifted(-1n)])).toBe(false);
  });

  test.each([...POINTS, ...SCALARS])('refuses another %s', (field) => {
    expect(verifyRange([withProof({ [field]: spoiled(pair.proof[field]) })])).toBe(false);
  });

  test.each(SCALARS)('refuses %s when not canonical', (field) => {
    expect(verifyRange([withProof({ [field]: notCanonical(pair.proof[field]) })])).toBe(false);
  });

  test.each(POINTS)('refuses %s when not a point', (field) => {
    expect(verifyRange([withProof({ [field]: noPoint() })])).toBe(false);
  });

  describe.each(LISTS)('with another %s', (field) => {
    const points = pair.proof[field];
    test.each(points.map((_, i) => i))('refuses round %i', (at) => {
      expect(verifyRange([withProof({ [field]: points.map((p, i) => (i === at ? noPoint() : p)) })])).toBe(
        false,
      );
      expect(verifyRange([withProof({ [field]: points.map((p, i) => (i === at ? pair.proof.A : p)) })])).toBe(
        false,
      );
    });
    test.each([
      ['one too few', points.slice(1)],
      ['one too many', [...points, pair.proof.A]],
      ['none', []],
      ['another order', [...points].reverse()],
    ])('refuses %s', (_, list) => expect(verifyRange([withProof({ [field]: list })])).toBe(false));
  });

  it('refuses one round more or less on both sides', () => {
    const { L, R, A } = pair.proof;
    expect(verifyRange([withProof({ L: L.slice(1), R: R.slice(1) })])).toBe(false);
    expect(verifyRange([withProof({ L: [...L, A], R: [...R, A] })])).toBe(false);
    expect(verifyRange([withProof({ L: [], R: [] })])).toBe(false);
  });

  const [first, second] = pair.commitments as [Commitment, Commitment];
  test.each<[string, readonly Commitment[]]>([
    ['none', []],
    ['one too few', [first]],
    ['one too many', [first, second, first]],
    ['two in another order', [second, first]],
    ['one of another amount', [first, decompress(second).add(H).toBytes() as Commitment]],
    ['one that is not a point', [first, noPoint<Commitment>()]],
    ['one of the wrong length', [first, new Uint8Array(33) as Commitment]],
    ['17', Array.from({ length: 17 }, () => first)],
  ])('refuses commitments: %s', (_, commitments) => {
    expect(verifyRange([{ ...pair, commitments }])).toBe(false);
  });

  it('refuses too many commitments before it allocates by their number', () => {
    const flood = Array.from({ length: 1_000_000 }, () => first);
    const start = cpuMs();
    expect(verifyRange([pair, { ...pair, commitments: flood }])).toBe(false);
    expect(cpuMs() - start).toBeLessThan(1_000);
  });

  test.each(torsionPoints.map((torsion, i) => ({ torsion, i })))(
    'refuses torsion $i in any point',
    ({ torsion, i }) => {
      // The plain curve takes a second for all of them.
      const isAccepted = (all: readonly RangeClaim[]): boolean =>
        i === 0 ? verifyRange(all) : verify(all, systemRng, loadCurve());
      for (const field of POINTS)
        expect(isAccepted([withProof({ [field]: withTorsion(pair.proof[field], torsion) })])).toBe(false);
      for (const field of LISTS)
        expect(
          isAccepted([
            withProof({ [field]: pair.proof[field].map((p, i) => (i === 4 ? withTorsion(p, torsion) : p)) }),
          ]),
        ).toBe(false);
      expect(isAccepted([{ ...pair, commitments: [first, withTorsion(second, torsion)] }])).toBe(false);
    },
  );
});
