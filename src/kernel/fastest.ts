import type { Curve } from '../crypto/curve.js';
import { concatBytes, fromHex, toHex } from '../util/bytes.js';
import type { ScanKernel } from './kernel.js';
import { WasmCurve } from './wasm-curve.js';
import { WasmKernel } from './wasm-kernel.js';
import { BUILDS, type Build } from './wasm-module.js';

/** A point with a torsion part, and one whose limbs are at the edge of their range. */
export const KNOWN_POINTS = [
  fromHex('6a84d583f06569edb3f5ed77df65544b27d6948b4f0b2cb76f33dd8413b20719'),
  fromHex('0000000000000400000000002000000000000001000000000008000000000040'),
] as const;

/** Little-endian. */
export const KNOWN_SECRET = fromHex('0b'.repeat(31) + '0a');
/** Digits at both ends of a window: (ℓ - 1)/3 and ℓ - 2. */
export const KNOWN_SCALARS = [
  2412335192444087404657728854347664746952372119793302535333983646095151416996n,
  7237005577332262213973186563042994240857116359379907606001950938285454250987n,
] as const;

/** What the plain kernel gives for the points times the secret; recorded, so that nobody need load it to know. */
export const KNOWN_PRODUCTS =
  '6f96ba9df3080afea523fb2f720d6a65a9bb6ea5335b1b5874359c4644ffef65' +
  'fb815ee6281b409b58d010a293b2046d7aa6e4f7dc1826f375ebee8d451d2ddc';
/** What the plain curve gives for the points times the scalars, added up. */
export const KNOWN_SUM = '6d572fb3075feb886b511e4a5c2b261440833c97cd958800b175d825c40ae7b7';

/** The fastest build that compiles here and gives the right answer; undefined where none does. */
function fastest<T>(make: (build: Build) => T, isRight: (made: T) => boolean): T | undefined {
  for (const build of BUILDS) {
    try {
      const made = make(build);
      if (isRight(made)) return made;
    } catch (error) {
      // The engine does not know the instructions.
      if (!(error instanceof WebAssembly.CompileError)) throw error;
    }
  }
  return undefined;
}

/**
 * The fastest kernel in WebAssembly that works here. Relaxed instructions may round otherwise than ours needs: a
 * build that does not give the plain kernel's answer is passed over.
 */
export const fastestKernel = (): ScanKernel | undefined =>
  fastest(
    (build) => new WasmKernel(build),
    (kernel) => toHex(kernel.multiply(concatBytes(...KNOWN_POINTS), KNOWN_SECRET)) === KNOWN_PRODUCTS,
  );

/** {@link fastestKernel} of the arithmetic that signing and verifying need. */
export const fastestCurve = (): Curve | undefined =>
  fastest(
    (build) => new WasmCurve(build),
    (curve) => toHex(curve.multiexp(KNOWN_POINTS, KNOWN_SCALARS)) === KNOWN_SUM,
  );
