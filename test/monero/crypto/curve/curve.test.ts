import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { Curve } from '../../../../src/monero/crypto/curve/curve.js';
import { plainCurve } from '../../../../src/monero/crypto/curve/plain-curve.js';
import { G, H, Point } from '../../../../src/monero/crypto/curve/point.js';
import { intToBytes, ORDER } from '../../../../src/monero/crypto/scalar.js';
import { concatBytes, fromHex, toHex } from '../../../../src/util/bytes.js';
import { torsionPoints } from '../../ringct/vectors.js';
import { fastCurves } from '../../../support/values/curves.js';
import { someScalar } from '../../../support/values/scalars.js';
import { multiplyPublic } from '../../../support/values/plain-points.js';
import { randomRuns } from '../../../support/fakes/random-runs.js';

const P = 2n ** 255n - 19n;

/** Ordinates at the edges of limbs of 51, 26 and 25 bits, and of the field. */
const EDGES: readonly bigint[] = [
  ...[0n, 1n, 2n, 3n, 4n, 9n, 18n, 19n, P - 1n, P - 2n, P - 3n, P - 20n],
  ...[25n, 26n, 51n, 77n, 102n, 128n, 153n, 179n, 204n, 230n, 254n].flatMap((bit) => [
    2n ** bit,
    2n ** bit - 1n,
    2n ** bit + 1n,
    P - 2n ** bit,
  ]),
  ...[-1n, 0n, 1n].map((off) =>
    [0n, 51n, 102n, 153n, 204n].reduce((sum, bit) => sum + ((2n ** 50n + off) << bit), 0n),
  ),
];
const EXTREMES = EDGES.flatMap((y) => [intToBytes(y), intToBytes(y + 2n ** 255n)]).filter((bytes) =>
  plainCurve.arePoints([bytes]),
);
const NO_POINTS: readonly Uint8Array[] = [
  new Uint8Array(32).fill(0xff),
  // p and p + 1 are non-canonical encodings of 0 and 1; x = 0 has no sign.
  intToBytes(P),
  intToBytes(P + 1n),
  intToBytes(1n + 2n ** 255n),
  fromHex('02' + '00'.repeat(31)),
  new Uint8Array(31),
  new Uint8Array(33),
  new Uint8Array(),
];

const scalar = fc.oneof(
  someScalar,
  // Long runs of equal bits cause long carries.
  fc.tuple(fc.nat(252), fc.nat(252)).map(([a, b]) => (2n ** BigInt(a) + ORDER - 2n ** BigInt(b)) % ORDER),
);
const point = fc
  .oneof(
    fc.bigInt({ min: 1n, max: ORDER - 1n }).map((s) => multiplyPublic(G, s)),
    fc.constantFrom(G, H, Point.ZERO, G.negate(), ...torsionPoints, ...torsionPoints.map((t) => t.add(H))),
  )
  .map((p) => p.toBytes());
const anyPoint = fc.oneof(point, fc.constantFrom(...EXTREMES));
const terms = (maxLength: number) => fc.array(fc.tuple(anyPoint, scalar), { maxLength });

const hex = (points: readonly Uint8Array[]): string[] => points.map(toHex);
const pointsOf = (all: readonly (readonly [Uint8Array, bigint])[]): Uint8Array[] => all.map(([p]) => p);
const scalarsOf = (all: readonly (readonly [Uint8Array, bigint])[]): bigint[] => all.map(([, s]) => s);
const runs = { numRuns: randomRuns(60) };

describe.each(fastCurves.map((curve): [string, Curve] => [curve.name, curve]))(
  'the curve of %s',
  (_, curve) => {
    it('sums products as the plain curve does', () => {
      fc.assert(
        fc.property(terms(7), (all) => {
          const [points, scalars] = [pointsOf(all), scalarsOf(all)];
          expect(toHex(curve.multiexp(points, scalars))).toBe(toHex(plainCurve.multiexp(points, scalars)));
        }),
        runs,
      );
    });

    it('sums products of a part of a basis and other points', () => {
      fc.assert(
        fc.property(terms(7), terms(4), fc.nat(3), (kept, others, spare) => {
          const sums = [curve, plainCurve].map((each) => {
            const basis = each.basis();
            // In two steps, so that tables are appended.
            basis.add(pointsOf(kept).slice(0, 3));
            basis.add(pointsOf(kept).slice(3));
            const used = scalarsOf(kept).slice(0, Math.max(0, kept.length - spare));
            return [
              basis.multiexp(used, pointsOf(others), scalarsOf(others)),
              basis.multiexp(scalarsOf(kept)),
            ].map(toHex);
          });
          expect(sums[0]).toEqual(sums[1]);
        }),
        { numRuns: 25 },
      );
    });

    it('sums products by scalars that many terms have', () => {
      const few = fc
        .tuple(scalar, scalar, scalar)
        .chain((scalars) =>
          fc.array(fc.tuple(anyPoint, fc.constantFrom(...scalars, 0n, 1n)), { minLength: 8, maxLength: 40 }),
        );
      fc.assert(
        fc.property(few, terms(3), (kept, others) => {
          const [ours, plain] = [curve, plainCurve].map((each) => {
            const basis = each.basis();
            basis.add(pointsOf(kept));
            return toHex(basis.multiexp(scalarsOf(kept), pointsOf(others), scalarsOf(others)));
          });
          expect(ours).toBe(plain);
        }),
        { numRuns: 25 },
      );
    });

    it('sums products of points added to a cleared basis', () => {
      const basis = curve.basis();
      basis.add([H, G, H].map((p) => p.toBytes()));
      basis.clear();
      expect(basis.size).toBe(0);
      expect(() => basis.multiexp([1n])).toThrow(RangeError);
      basis.add([G.toBytes()]);
      expect(toHex(basis.multiexp([5n]))).toBe(toHex(multiplyPublic(G, 5n).toBytes()));
    });

    it('folds products of a basis', () => {
      fc.assert(
        fc.property(terms(9), fc.nat(2), fc.integer({ min: 1, max: 4 }), (kept, first, count) => {
          const [ours, plain] = [curve, plainCurve].map((each) => {
            const basis = each.basis();
            basis.add(pointsOf(kept));
            return hex(basis.foldedSums(first, count, scalarsOf(kept)));
          });
          expect(ours).toEqual(plain);
        }),
        { numRuns: 25 },
      );
    });

    it('computes two sums at once', () => {
      fc.assert(
        fc.property(fc.array(fc.tuple(anyPoint, anyPoint, scalar), { maxLength: 4 }), (all) => {
          const [left, right, scalars] = [
            all.map(([l]) => l),
            all.map(([, r]) => r),
            all.map(([, , s]) => s),
          ];
          expect(hex(curve.twinSums(left, right, scalars))).toEqual(
            hex(plainCurve.twinSums(left, right, scalars)),
          );
        }),
        runs,
      );
    });

    it('multiplies by integers, not by their residues', () => {
      fc.assert(
        fc.property(
          fc.array(anyPoint, { maxLength: 5 }),
          fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
          (points, n) => {
            for (const factor of [n, 8n, ORDER, 1n, 0n])
              expect(hex(curve.multiplyEach(points, factor))).toEqual(
                hex(plainCurve.multiplyEach(points, factor)),
              );
          },
        ),
        { numRuns: 20 },
      );
    });

    it('hashes to points, and subtracts one point from each', () => {
      fc.assert(
        fc.property(fc.array(anyPoint, { maxLength: 5 }), anyPoint, (points, subtrahend) => {
          expect(hex(curve.hashToPoints(points))).toEqual(hex(plainCurve.hashToPoints(points)));
          expect(hex(curve.subtractFromEach(points, subtrahend))).toEqual(
            hex(plainCurve.subtractFromEach(points, subtrahend)),
          );
        }),
        runs,
      );
    });

    it('accepts extreme values, and more items than one call processes', () => {
      const many = Array.from({ length: 6 }, () => EXTREMES).flat();
      expect(many.length).toBeGreaterThan(256);
      expect(curve.arePoints(many)).toBe(true);
      expect(hex(curve.hashToPoints(many)).slice(-EXTREMES.length)).toEqual(
        hex(plainCurve.hashToPoints(EXTREMES)),
      );
      expect(hex(curve.subtractFromEach(many, G.toBytes())).slice(-EXTREMES.length)).toEqual(
        hex(plainCurve.subtractFromEach(EXTREMES, G.toBytes())),
      );
      const scalars = many.map((_point, i) => (BigInt(i + 1) * 0x123456789abcdefn ** 4n) % ORDER);
      const basis = curve.basis();
      basis.add(many);
      const expected = toHex(plainCurve.multiexp(many, scalars));
      expect(toHex(curve.multiexp(many, scalars))).toBe(expected);
      expect(toHex(basis.multiexp(scalars))).toBe(expected);
      const folded = basis.foldedSums(0, 300, scalars);
      expect(
        toHex(
          curve.multiexp(
            folded,
            folded.map(() => 1n),
          ),
        ),
      ).toBe(expected);
    });
  },
);

describe.each([plainCurve, ...fastCurves].map((curve): [string, Curve] => [curve.name, curve]))(
  'the curve of %s',
  (_, curve) => {
    const base = G.toBytes();

    test.each(NO_POINTS.map((bytes) => [`"${toHex(bytes)}"`, bytes] as const))(
      'refuses the point %s',
      (_hex, bytes) => {
        const points = [base, base, bytes];
        expect(curve.arePoints(points)).toBe(false);
        const basis = curve.basis();
        basis.add([base]);
        for (const attempt of [
          () => curve.multiexp(points, [0n, 1n, 0n]),
          () => curve.twinSums(points, [base, base, base], [1n, 1n, 1n]),
          () => curve.twinSums([base, base, base], points, [1n, 1n, 1n]),
          () => curve.multiplyEach(points, 8n),
          () =>
            curve.multiplySecret(
              points,
              points.map(() => intToBytes(1n)),
            ),
          () =>
            curve.addSecretMultiples(
              points,
              points.map(() => intToBytes(1n)),
            ),
          () => curve.subtractFromEach(points, base),
          () => curve.subtractFromEach([base], bytes),
          () => {
            basis.add(points);
          },
          () => basis.multiexp([1n], [bytes], [1n]),
        ])
          expect(attempt).toThrow(RangeError);
        // The next call must work as before.
        expect(basis.size).toBe(1);
        expect(toHex(basis.multiexp([1n]))).toBe(toHex(base));
        expect(toHex(curve.multiexp([base], [1n]))).toBe(toHex(base));
      },
    );

    it('refuses scalars and points that do not go together', () => {
      const basis = curve.basis();
      for (const attempt of [
        () => curve.multiexp([base], []),
        () => curve.multiexp([], [1n]),
        () => curve.twinSums([base], [base, base], [1n, 1n]),
        () => curve.twinSums([base, base], [base], [1n, 1n]),
        () =>
          curve.twinSums(
            Array.from({ length: 5 }, () => base),
            Array.from({ length: 5 }, () => base),
            [1n, 1n, 1n, 1n, 1n],
          ),
        () => curve.multiplySecret([base, base], [base]),
        () => basis.multiexp([1n]),
        () => basis.multiexp([], [base], []),
        () => basis.foldedSums(0, 1, [1n]),
      ])
        expect(attempt).toThrow(RangeError);
    });

    it('gives the identity for no terms, and for terms that cancel', () => {
      const identity = toHex(Point.ZERO.toBytes());
      expect(toHex(curve.multiexp([], []))).toBe(identity);
      expect(toHex(curve.multiexp([base, base], [5n, ORDER - 5n]))).toBe(identity);
      expect(toHex(curve.basis().multiexp([]))).toBe(identity);
      expect(curve.twinSums([], [], []).map(toHex)).toEqual([identity, identity]);
      expect(curve.multiplyEach([], 8n)).toEqual([]);
      expect(curve.arePoints([])).toBe(true);
    });

    it('takes any residue', () => {
      const expected = toHex(multiplyPublic(G, 7n).toBytes());
      for (const residue of [7n, 7n - ORDER, 7n + 3n * ORDER])
        expect(toHex(curve.multiexp([base], [residue]))).toBe(expected);
    });

    it('multiplies by secrets, and adds their multiples', () => {
      const scalars = [0n, 1n, 7n, 8n, 9n, 2n ** 252n, ORDER - 1n, ORDER - 8n];
      const secrets = scalars.map(intToBytes);
      const points = scalars.map((_scalar, i) => multiplyPublic(H, BigInt(i)).toBytes());
      expect(hex(curve.multiplySecret(points, secrets))).toEqual(
        hex(scalars.map((s, i) => multiplyPublic(H, s * BigInt(i)).toBytes())),
      );
      expect(hex(curve.addSecretMultiples(points, secrets))).toEqual(
        hex(scalars.map((s, i) => multiplyPublic(H, BigInt(i)).add(multiplyPublic(G, s)).toBytes())),
      );
    });

    it('commits and makes key images of secrets', () => {
      const scalars = [0n, 1n, 8n, ORDER - 1n].map(intToBytes);
      expect(toHex(curve.commit([0n, 1n, 7n, 2n ** 64n - 1n], concatBytes(...scalars)))).toBe(
        toHex(plainCurve.commit([0n, 1n, 7n, 2n ** 64n - 1n], concatBytes(...scalars))),
      );
      const keys = concatBytes(...scalars.map(() => base));
      expect(toHex(curve.keyImages(keys, concatBytes(...scalars)))).toBe(
        toHex(plainCurve.keyImages(keys, concatBytes(...scalars))),
      );
    });
  },
);
