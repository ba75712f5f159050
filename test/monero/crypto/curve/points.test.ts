import { describe, expect, it, test } from '@jest/globals';
import { AMOUNT_BASE, BASE, IDENTITY } from '../../../../src/monero/crypto/curve/curve.js';
import {
  areEncodedPoints,
  isEncodedPoint,
  testPointsBy,
} from '../../../../src/monero/crypto/curve/encoded-points.js';
import { loadCurve } from '../../../../src/monero/crypto/curve/load-curve.js';
import { G, H, IDENTITY as ZERO } from '../../../../src/monero/crypto/curve/point.js';
import {
  areSubgroupPoints,
  areUsableKeys,
  isIdentity,
  isInMainSubgroup,
  isPoint,
  sumOfPoints,
} from '../../../../src/monero/crypto/curve/points.js';
import { fromHex, toHex } from '../../../../src/util/bytes.js';
import { torsionPoints } from '../../ringct/vectors.js';
import { onEveryCurve } from '../../../support/values/curves.js';
import { EDGE_ENCODINGS, NO_POINTS, TORSION } from '../../../support/values/edge-points.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { NOT_CANONICAL, SMALL_ORDER } from '../vectors.js';

const tainted = torsionPoints.map((point) => point.add(H).toBytes());

test('the recorded encodings are those of the generators and of the identity', () => {
  expect([BASE, AMOUNT_BASE, IDENTITY].map(toHex)).toEqual(
    [G, H, ZERO].map((point) => toHex(point.toBytes())),
  );
});

describe('an encoding', () => {
  it.each([
    ['the base point', BASE, true],
    ['the identity', IDENTITY, true],
    ['31 bytes', BASE.subarray(1), false],
    ['nothing', new Uint8Array(), false],
    ['a number that is no point', new Uint8Array(32).fill(7), false],
  ])('of %s', (_, bytes, is) => {
    expect(onEveryCurve((curve) => isPoint(bytes, curve))).toBe(is);
    expect(onEveryCurve((curve) => isInMainSubgroup(bytes, curve))).toBe(is);
  });

  test.each(NOT_CANONICAL)('with $note is no point', ({ hex }) => {
    expect(onEveryCurve((curve) => isPoint(fromHex(hex), curve))).toBe(false);
  });

  test.each(SMALL_ORDER)(
    'of the small-order point %s is in the subgroup only if it is the identity',
    (hex) => {
      const bytes = fromHex(hex);
      expect(onEveryCurve((curve) => isPoint(bytes, curve))).toBe(true);
      expect(onEveryCurve((curve) => isInMainSubgroup(bytes, curve))).toBe(isIdentity(bytes));
      expect(onEveryCurve((curve) => areUsableKeys([BASE, bytes], curve))).toBe(false);
    },
  );

  it('with torsion is outside of the subgroup', () => {
    const outside = tainted.filter((bytes) => !onEveryCurve((curve) => isInMainSubgroup(bytes, curve)));
    expect(outside).toHaveLength(torsionPoints.filter((point) => !point.is0()).length);
    for (const bytes of outside)
      expect(onEveryCurve((curve) => areSubgroupPoints([BASE, bytes], curve))).toBe(false);
  });
});

test('each byte string of a list is judged by itself', () => {
  const torsion = tainted.filter((bytes) => !toHex(bytes).startsWith(toHex(AMOUNT_BASE)));
  const all = [BASE, new Uint8Array(32).fill(7), AMOUNT_BASE, BASE.subarray(1), IDENTITY, ...torsion, BASE];
  expect(onEveryCurve((curve) => curve.eachInMainSubgroup(all))).toEqual([
    ...[true, false, true, false, true],
    ...torsion.map(() => false),
    true,
  ]);
  expect(onEveryCurve((curve) => curve.eachInMainSubgroup([]))).toEqual([]);
});

test('usable keys are all points of the subgroup other than the identity', () => {
  expect(onEveryCurve((curve) => areUsableKeys([BASE, AMOUNT_BASE], curve))).toBe(true);
  expect(onEveryCurve((curve) => areUsableKeys([], curve))).toBe(true);
  expect(onEveryCurve((curve) => areUsableKeys([BASE, BASE.subarray(1)], curve))).toBe(false);
});

describe('the sum of points', () => {
  it('is that of noble, torsion included', () => {
    const all = [...torsionPoints, G, G, H];
    const sum = all.reduce((total, point) => total.add(point), ZERO);
    const encodings = all.map((point) => point.toBytes());
    expect(toHex(onEveryCurve((curve) => sumOfPoints(encodings, curve)))).toBe(toHex(sum.toBytes()));
  });

  it('of nothing is the identity', () => {
    expect(isIdentity(onEveryCurve((curve) => sumOfPoints([], curve)))).toBe(true);
  });

  it('refuses an invalid point', () => {
    const bytes = fromHex(NOT_CANONICAL[0]?.hex ?? '');
    expect(() => onEveryCurve((curve) => sumOfPoints([BASE, bytes], curve))).toThrow(RangeError);
  });
});

describe('the test of an encoding by itself', () => {
  const rng = seededRng(52);
  const random = Array.from({ length: 100 }, () => rng(32));

  it('agrees with the arithmetic of the curve, at the edges of limbs and of the field, too', () => {
    const all = [
      ...[BASE, AMOUNT_BASE, IDENTITY, TORSION.toBytes(), new Uint8Array(), BASE.subarray(1), ...tainted],
      ...[...EDGE_ENCODINGS, ...NO_POINTS, ...NOT_CANONICAL.map(({ hex }) => fromHex(hex)), ...random],
    ];
    expect(all.map(isEncodedPoint)).toEqual(
      all.map((bytes) => onEveryCurve((curve) => isPoint(bytes, curve))),
    );
    expect(random.filter(isEncodedPoint).length).toBeGreaterThan(30);
  });

  it('is left to the arithmetic of the curve once a thread has loaded it', () => {
    const before = loadCurve();
    const asked: unknown[] = [];
    testPointsBy({ ...before, arePoints: (all) => asked.push(all) > 0 });
    try {
      expect(areEncodedPoints([new Uint8Array(32).fill(7)])).toBe(true);
      expect(asked).toEqual([[new Uint8Array(32).fill(7)]]);
    } finally {
      testPointsBy(before);
    }
    expect(areEncodedPoints([BASE, new Uint8Array(32).fill(7)])).toBe(false);
  });
});
