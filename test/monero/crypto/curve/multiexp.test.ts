import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { G, H, IDENTITY, type Point } from '../../../../src/monero/crypto/curve/point.js';
import { ORDER } from '../../../../src/monero/crypto/scalar.js';
import { storedMultiples, multiexp, multiplesOf } from '../../../../src/monero/crypto/curve/multiexp.js';
import { toHex } from '../../../../src/util/bytes.js';
import { torsionPoints } from '../../ringct/vectors.js';
import { someScalar } from '../../../support/values/scalars.js';
import { multiplyPublic } from '../../../support/values/plain-points.js';

/** Sum computed term by term; each factor is the representative in [0, ℓ). */
const naive = (points: readonly Point[], scalars: readonly bigint[]): Point =>
  points.reduce((sum, point, i) => sum.add(multiplyPublic(point, scalars[i] ?? 0n)), IDENTITY);

const point = fc.oneof(
  fc.bigInt({ min: 1n, max: ORDER - 1n }).map((s) => multiplyPublic(G, s)),
  fc.constantFrom(G, H, IDENTITY, G.negate(), ...torsionPoints, ...torsionPoints.map((t) => t.add(H))),
);

describe('multiexp', () => {
  it('is the sum of the products', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(point, someScalar), { maxLength: 6 }), (terms) => {
        const points = terms.map(([p]) => p);
        const scalars = terms.map(([, s]) => s);
        const expected = toHex(naive(points, scalars).toBytes());
        expect(toHex(multiexp(points, scalars).toBytes())).toBe(expected);
        expect(toHex(multiexp(points.map(storedMultiples), scalars).toBytes())).toBe(expected);
        expect(toHex(multiexp(points.map(multiplesOf), scalars).toBytes())).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('gives a point on the curve that noble can go on with', () => {
    const sum = multiexp([G, storedMultiples(H)], [5n, ORDER - 3n]);
    sum.assertValidity();
    expect(sum.add(multiplyPublic(H, 3n)).equals(multiplyPublic(G, 5n))).toBe(true);
  });

  it('of nothing, and of zeros, is the identity', () => {
    expect(multiexp([], []).is0()).toBe(true);
    expect(multiexp([G, storedMultiples(H)], [0n, 0n]).is0()).toBe(true);
  });

  it('cancels to the identity', () => {
    expect(multiexp([G, G, storedMultiples(G)], [3n, 4n, -7n]).is0()).toBe(true);
    expect(multiexp([H, H.negate()], [ORDER - 1n, ORDER - 1n]).is0()).toBe(true);
  });

  it('takes any residue', () => {
    const seven = toHex(multiplyPublic(G, 7n).toBytes());
    for (const residue of [7n, 7n + ORDER, 7n - ORDER, 7n + 12n * ORDER, 7n - 5n * ORDER])
      expect(toHex(multiexp([G], [residue]).toBytes())).toBe(seven);
  });

  test.each([
    [1, 2],
    [2, 1],
    [0, 1],
  ])('refuses %i points with %i scalars', (points, scalars) => {
    expect(() =>
      multiexp(
        Array.from({ length: points }, () => G),
        Array.from({ length: scalars }, () => 1n),
      ),
    ).toThrow(RangeError);
  });
});
