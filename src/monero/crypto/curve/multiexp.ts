import { normalizeZ } from '@noble/curves/abstract/curve.js';
import { IDENTITY, Point } from './point.js';
import { reduce } from '../scalar.js';

/*
 * Straus' method: doublings shared among all terms, digits in non-adjacent form. The sum is in extended
 * coordinates X:Y:Z:T, x = X/Z, y = Y/Z, T = XY/Z (Hisil, Wong, Carter, Dawson; eprint 2008/522), whose
 * addition is complete: torsion and equal points need no special case. Intermediate coordinates may be negative,
 * above -p; the result is reduced.
 */

const { Fp } = Point;
const P = Fp.ORDER;
const TWO_D = Fp.mul(2n, Point.CURVE().d);

/** Window width [bits] of points that are used once. */
const WINDOW = 5;
/** Window width [bits] of points with stored multiples. */
const STORED_WINDOW = 7;
/** Number of digits: scalars lie below ℓ < 2^253, and a digit may carry into one more bit. */
const BITS = 254;

/** A point in the form that an addition takes. */
interface Addend {
  /** The sum Y + X. */
  readonly sum: bigint;
  /** The difference Y - X. */
  readonly difference: bigint;
  /** The product 2·Z. */
  readonly twiceZ: bigint;
  /** The product 2·d·T. */
  readonly product: bigint;
}

/** Odd multiples P, 3P, 5P, … up to 2^(w-1) - 1 of a point, for a window of w bits. */
export interface Multiples {
  readonly window: number;
  readonly odd: readonly Addend[];
}

const addend = ({ X, Y, Z, T }: Point): Addend => ({
  sum: Y + X,
  difference: Y - X,
  twiceZ: 2n * Z,
  product: (T * TWO_D) % P,
});

function oddMultiples(point: Point, window: number): Point[] {
  const twice = point.double();
  const odd = [point];
  let last = point;
  for (let i = 1; i < 2 ** (window - 2); i++) odd.push((last = last.add(twice)));
  return odd;
}

/** Computes the odd multiples of a point that is used a few times. */
export const multiplesOf = (point: Point): Multiples => ({
  window: WINDOW,
  odd: oddMultiples(point, WINDOW).map(addend),
});

/**
 * Computes the odd multiples of a point that is used repeatedly: more multiples than of other points, and with Z = 1,
 * which saves one product per addition.
 */
export const storedMultiples = (point: Point): Multiples => ({
  window: STORED_WINDOW,
  odd: normalizeZ(Point, oddMultiples(point, STORED_WINDOW)).map(addend),
});

/** Points that are added and subtracted at one bit of the scalars. */
interface Step {
  readonly plus: Addend[];
  readonly minus: Addend[];
}

/**
 * Returns the bits of a scalar, least significant first, followed by zeros for the window of the last bit.
 * @param scalar 0 ≤ s < 2^253.
 */
function bitsOf(scalar: bigint, window: number): Uint8Array {
  const bits = new Uint8Array(BITS + window);
  const hex = scalar.toString(16);
  for (let i = 0; i < hex.length; i++) {
    const nibble = Number.parseInt(hex.charAt(hex.length - 1 - i), 16);
    for (let b = 0; b < 4; b++) bits[4 * i + b] = (nibble >> b) & 1;
  }
  return bits;
}

/**
 * Adds the non-adjacent form of a scalar to the steps; few of its digits are nonzero, and these are odd.
 * @param scalar 0 ≤ s < 2^253.
 */
function addDigits(steps: readonly Step[], { window, odd }: Multiples, scalar: bigint): void {
  const bits = bitsOf(scalar, window);
  const half = 1 << (window - 1);
  let carry = 0;
  for (let i = 0; i < BITS;) {
    if (((bits[i] ?? 0) ^ carry) === 0) {
      i += 1;
      continue;
    }
    let value = carry;
    for (let b = 0; b < window; b++) value += (bits[i + b] ?? 0) << b;
    carry = value > half ? 1 : 0;
    const multiple = odd[(carry === 1 ? 2 * half - value : value) >> 1];
    if (multiple !== undefined) (carry === 1 ? steps[i]?.minus : steps[i]?.plus)?.push(multiple);
    i += window;
  }
}

function stepsOf(tables: readonly Multiples[], scalars: readonly bigint[]): Step[] {
  const steps = Array.from({ length: BITS }, (): Step => ({ plus: [], minus: [] }));
  tables.forEach((table, i) => {
    addDigits(steps, table, reduce(scalars[i] ?? 0n));
  });
  return steps;
}

/**
 * Computes Σ sᵢ·Pᵢ in variable time, as `multiexp` of the reference: only for blinded or public scalars.
 * @param scalars any residues modulo ℓ; each point is multiplied by the representative in [0, ℓ), which matters for
 * points with torsion.
 * @throws RangeError unless there is one scalar per point.
 */
export function multiexp(points: readonly (Point | Multiples)[], scalars: readonly bigint[]): Point {
  if (points.length !== scalars.length) throw new RangeError('multiexp: expected one scalar per point');
  const tables = points.map((point) => ('odd' in point ? point : multiplesOf(point)));
  const steps = stepsOf(tables, scalars);
  let [X, Y, Z, T] = [0n, 1n, 1n, 0n];

  const add = (sum: bigint, difference: bigint, twiceZ: bigint, product: bigint): void => {
    const A = ((Y - X) * difference) % P;
    const B = ((Y + X) * sum) % P;
    const C = (T * product) % P;
    const D = twiceZ === 2n ? Z + Z : (Z * twiceZ) % P;
    const [E, F, G, H] = [B - A, D - C, D + C, B + A];
    X = (E * F) % P;
    Y = (G * H) % P;
    Z = (F * G) % P;
    T = (E * H) % P;
  };
  const double = (): void => {
    const A = (X * X) % P;
    const B = (Y * Y) % P;
    const C = (2n * Z * Z) % P;
    const H = A + B;
    const XY = X + Y;
    const [E, G] = [H - ((XY * XY) % P), A - B];
    const F = C + G;
    X = (E * F) % P;
    Y = (G * H) % P;
    Z = (F * G) % P;
    T = (E * H) % P;
  };

  let started = false;
  for (let bit = BITS - 1; bit >= 0; bit--) {
    if (started) double();
    const step = steps[bit];
    if (step === undefined) continue;
    for (const { sum, difference, twiceZ, product } of step.plus) add(sum, difference, twiceZ, product);
    for (const { sum, difference, twiceZ, product } of step.minus) add(difference, sum, twiceZ, -product);
    started ||= step.plus.length + step.minus.length > 0;
  }
  return started ? new Point(Fp.create(X), Fp.create(Y), Fp.create(Z), Fp.create(T)) : IDENTITY;
}
