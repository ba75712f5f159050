import { concatBytes, fromHex, toHex } from '../../../util/bytes.js';
import type { Curve } from './curve.js';
import { BUILDS, type Build } from './wasm-module.js';

/** Test points: one has a torsion part, the other has limbs at the ends of their range. */
export const KNOWN_POINTS = [
  fromHex('6a84d583f06569edb3f5ed77df65544b27d6948b4f0b2cb76f33dd8413b20719'),
  fromHex('0000000000000400000000002000000000000001000000000008000000000040'),
] as const;

/** Test scalar, little-endian. */
export const KNOWN_SECRET = fromHex('0b'.repeat(31) + '0a');
/** Test amounts [atomic units]. */
export const KNOWN_AMOUNTS = [0x2082082082082082n, 2n ** 64n - 1n] as const;
/** Commitments to the test amounts with the test scalar as mask, computed by the plain curve. */
export const KNOWN_COMMITMENTS =
  'cdeb9ad043ffdf4f6f7f997ee77029ff25e93798ed3fd1689a8466c16e921c4b' +
  'da4e18062365322c840d620f06f7497d7ecb714da89f91cf8ad4e1ff46ee0b2b';

/** Returns true if the commitments to the test amounts equal the recorded commitments. */
export const commitsAsRecorded = (arithmetic: Pick<Curve, 'commit'>): boolean =>
  toHex(arithmetic.commit(KNOWN_AMOUNTS, concatBytes(KNOWN_SECRET, KNOWN_SECRET))) === KNOWN_COMMITMENTS;

/** A build that was not chosen, and the reason. */
export interface PassedOver {
  readonly build: Build;
  readonly reason: string;
}

/** The chosen implementation and its build, undefined if no build works; and the faster builds that do not work. */
export interface Choice<T> {
  readonly chosen: T | undefined;
  readonly build: Build | undefined;
  readonly passedOver: readonly PassedOver[];
}

/**
 * Chooses the first build that loads and computes the recorded results. After any failure the next build is tried: the
 * engine may lack its instructions, and the specification allows relaxed instructions to round so that a product is
 * wrong.
 * @param answersRight returns true if an implementation computes the recorded results.
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

/** Returns the chosen implementation. @throws Error with the reason for each build, if all builds fail. */
export function chosenOf<T>({ chosen, passedOver }: Choice<T>, name: string): T {
  if (chosen !== undefined) return chosen;
  const reasons = passedOver.map(({ build, reason }) => `${build}: ${reason}`);
  throw new Error(`no ${name}: ${reasons.join('; ')}`);
}

/** A module with a function that returns `i8x16.popcnt(i8x16.splat(0))`. */
const SIMD_MODULE = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7b, 3, 2, 1, 0],
  ...[10, 10, 1, 8, 0, 0x41, 0, 0xfd, 15, 0xfd, 98, 11],
);

function compiles(binary: Uint8Array<ArrayBuffer>): boolean {
  try {
    new WebAssembly.Module(binary);
    return true;
  } catch {
    return false;
  }
}

/** True if the engine runs SIMD instructions on this processor, which every build of the kernel needs. */
export const HAS_SIMD = compiles(SIMD_MODULE);
