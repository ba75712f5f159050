import { IDENTITY, type Point } from '../crypto/point.js';
import { reduce } from '../crypto/scalar.js';

/** Bits of a window for points used once, and for points whose multiples are kept. */
const WINDOW = 5;
const KEPT_WINDOW = 7;

/** Odd multiples P, 3P, 5P, … up to 2^(w-1) - 1. */
export interface Multiples {
  readonly window: number;
  readonly odd: readonly Point[];
}

export function multiplesOf(point: Point, window = WINDOW): Multiples {
  const twice = point.double();
  const odd = [point];
  for (let i = 1; i < 2 ** (window - 2); i++) odd.push((odd[i - 1] as Point).add(twice));
  return { window, odd };
}

/** {@link multiplesOf} for a point that is used again and again. */
export const keptMultiples = (point: Point): Multiples => multiplesOf(point, KEPT_WINDOW);

/** Non-adjacent form: digits odd or zero, least first. */
function digitsOf(scalar: bigint, window: number): Int8Array {
  const digits = new Int8Array(256);
  const bits = new Uint8Array(257);
  const hex = scalar.toString(16);
  for (let i = 0; i < hex.length; i++) {
    const nibble = Number.parseInt(hex[hex.length - 1 - i] ?? '0', 16);
    for (let b = 0; b < 4; b++) bits[4 * i + b] = (nibble >> b) & 1;
  }
  const half = 1 << (window - 1);
  let carry = 0;
  for (let i = 0; i < 256;) {
    if (((bits[i] ?? 0) ^ carry) === 0) {
      i += 1;
      continue;
    }
    let value = carry;
    for (let b = 0; b < window; b++) value += (bits[i + b] ?? 0) << b;
    carry = value > half ? 1 : 0;
    digits[i] = carry === 1 ? value - 2 * half : value;
    i += window;
  }
  return digits;
}

/**
 * Σ sᵢ·Pᵢ with doublings shared among all terms. Variable time: as upstream's `multiexp`, for proofs whose
 * scalars are blinded or public.
 * @param scalars any residues modulo ℓ.
 */
export function multiexp(points: readonly (Point | Multiples)[], scalars: readonly bigint[]): Point {
  const tables = points.map((point) => ('odd' in point ? point : multiplesOf(point)));
  const digits = tables.map(({ window }, i) => digitsOf(reduce(scalars[i] ?? 0n), window));
  let sum = IDENTITY;
  let started = false;
  for (let bit = 255; bit >= 0; bit--) {
    if (started) sum = sum.double();
    for (let i = 0; i < tables.length; i++) {
      const digit = digits[i]?.[bit] ?? 0;
      if (digit === 0) continue;
      const multiple = tables[i]?.odd[Math.abs(digit) >> 1] ?? IDENTITY;
      sum = digit > 0 ? sum.add(multiple) : sum.subtract(multiple);
      started = true;
    }
  }
  return sum;
}
