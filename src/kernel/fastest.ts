import type { Curve } from '../crypto/curve.js';
import { concatBytes, fromHex, toHex } from '../util/bytes.js';
import type { ScanKernel } from './kernel.js';
import { WasmCurve } from './wasm-curve.js';
import { WasmKernel } from './wasm-kernel.js';
import { BUILDS, type Build } from './wasm-module.js';

/** Test points: one with a torsion part, one with limbs at the ends of their range. */
export const KNOWN_POINTS = [
  fromHex('6a84d583f06569edb3f5ed77df65544b27d6948b4f0b2cb76f33dd8413b20719'),
  fromHex('0000000000000400000000002000000000000001000000000008000000000040'),
] as const;

/** Test scalar, little-endian. */
export const KNOWN_SECRET = fromHex('0b'.repeat(31) + '0a');
/** Test scalars with digits at both ends of a window: (ℓ - 1)/3 and ℓ - 2. */
export const KNOWN_SCALARS = [
  2412335192444087404657728854347664746952372119793302535333983646095151416996n,
  7237005577332262213973186563042994240857116359379907606001950938285454250987n,
] as const;
/** Test amounts (atomic units). */
export const KNOWN_AMOUNTS = [0x2082082082082082n, 2n ** 64n - 1n] as const;

/** Products of the points and the secret by the plain kernel, recorded so that its code need not be loaded. */
export const KNOWN_PRODUCTS =
  '6f96ba9df3080afea523fb2f720d6a65a9bb6ea5335b1b5874359c4644ffef65' +
  'fb815ee6281b409b58d010a293b2046d7aa6e4f7dc1826f375ebee8d451d2ddc';
/** Sum of the points times the scalars by the plain curve. */
export const KNOWN_SUM = '6d572fb3075feb886b511e4a5c2b261440833c97cd958800b175d825c40ae7b7';
/** Commitments to the amounts with the secret as their mask, by the plain curve. */
export const KNOWN_COMMITMENTS =
  'cdeb9ad043ffdf4f6f7f997ee77029ff25e93798ed3fd1689a8466c16e921c4b' +
  'da4e18062365322c840d620f06f7497d7ecb714da89f91cf8ad4e1ff46ee0b2b';

/** A build that was passed over, and the reason. */
export interface PassedOver {
  readonly build: Build;
  readonly reason: string;
}

/** The chosen implementation and its build, undefined when no build works, and the faster builds that do not work. */
export interface Choice<T> {
  readonly chosen: T | undefined;
  readonly build: Build | undefined;
  readonly passedOver: readonly PassedOver[];
}

/**
 * Chooses the first build that loads and gives the recorded results. After any failure the next one is tried: an engine
 * may lack the instructions, and the specification allows relaxed ones to round so that a product is wrong.
 * @param answersRight compares results with recorded ones.
 */
export function choose<T>(
  make: (build: Build) => T,
  answersRight: (made: T) => boolean,
  builds: readonly Build[] = BUILDS,
): Choice<T> {
  const passedOver: PassedOver[] = [];
  for (const build of builds) {
    try {
      const chosen = make(build);
      if (answersRight(chosen)) return { chosen, build, passedOver };
      passedOver.push({ build, reason: 'wrong answers' });
    } catch (error) {
      passedOver.push({ build, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { chosen: undefined, build: undefined, passedOver };
}

const commits = (to: Pick<Curve, 'commit'>): boolean =>
  toHex(to.commit(KNOWN_AMOUNTS, concatBytes(KNOWN_SECRET, KNOWN_SECRET))) === KNOWN_COMMITMENTS;

/** Chooses the fastest kernel in WebAssembly that works on this machine. */
export const chooseKernel = (): Choice<ScanKernel> =>
  choose(
    (build) => new WasmKernel(build),
    (kernel) =>
      toHex(kernel.multiply(concatBytes(...KNOWN_POINTS), KNOWN_SECRET)) === KNOWN_PRODUCTS &&
      commits(kernel),
  );

/** Chooses the fastest curve arithmetic in WebAssembly that works on this machine. */
export const chooseCurve = (): Choice<Curve> =>
  choose(
    (build) => new WasmCurve(build),
    (curve) => toHex(curve.multiexp(KNOWN_POINTS, KNOWN_SCALARS)) === KNOWN_SUM && commits(curve),
  );

/** Returns the fastest kernel in WebAssembly that works on this machine, or undefined. */
export const fastestKernel = (): ScanKernel | undefined => chooseKernel().chosen;

/** Returns the fastest curve arithmetic in WebAssembly that works on this machine, or undefined. */
export const fastestCurve = (): Curve | undefined => chooseCurve().chosen;
