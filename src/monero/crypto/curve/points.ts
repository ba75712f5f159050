import { equalBytes } from '../../../util/bytes.js';
import { IDENTITY, type Curve } from './curve.js';
import { loadCurve } from './load-curve.js';

/* Operations on encodings of points. They take variable time, because the points are public. */

/** Returns true for the encoding of a point, which may have a torsion part. */
export const isPoint = (bytes: Uint8Array, curve: Curve = loadCurve()): boolean => curve.arePoints([bytes]);

/** Returns true for the encoding of the identity. */
export const isIdentity = (point: Uint8Array): boolean => equalBytes(point, IDENTITY);

/** Returns true if all byte strings are encodings of points in the prime-order subgroup, the identity included. */
export const areSubgroupPoints = (all: readonly Uint8Array[], curve: Curve = loadCurve()): boolean =>
  !curve.eachInMainSubgroup(all).includes(false);

/** Returns true if a byte string is the encoding of a point in the prime-order subgroup, the identity included. */
export const isInMainSubgroup = (bytes: Uint8Array, curve: Curve = loadCurve()): boolean =>
  areSubgroupPoints([bytes], curve);

/** Returns true if all byte strings are encodings of points in the prime-order subgroup other than the identity. */
export const areUsableKeys = (keys: readonly Uint8Array[], curve: Curve = loadCurve()): boolean =>
  !keys.some(isIdentity) && areSubgroupPoints(keys, curve);

/** Computes the sum of points. @throws RangeError for an encoding that is not a point. */
export const sumOfPoints = (points: readonly Uint8Array[], curve: Curve = loadCurve()): Uint8Array =>
  curve.multiexp(
    points,
    points.map(() => 1n),
  );
