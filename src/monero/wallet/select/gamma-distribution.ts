import { uniformDouble, type Rng } from '../../../util/random.js';

/** Returns a normally distributed random number with mean 0 and variance 1 (Marsaglia's polar method). */
function normal(rng: Rng): number {
  for (;;) {
    const u = 2 * uniformDouble(rng) - 1;
    const v = 2 * uniformDouble(rng) - 1;
    const s = u * u + v * v;
    if (s > 0 && s < 1) return u * Math.sqrt((-2 * Math.log(s)) / s);
  }
}

/**
 * Returns a gamma-distributed random number with mean shape · scale (Marsaglia and Tsang 2000).
 * @param shape at least 1.
 */
export function gammaDeviate(shape: number, scale: number, rng: Rng): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(rng);
    const v = (1 + c * x) ** 3;
    if (v <= 0) continue;
    const u = uniformDouble(rng);
    if (Math.log(u) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v * scale;
  }
}
