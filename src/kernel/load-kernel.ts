import type { Curve } from '../crypto/curve.js';
import { plainCurve } from '../crypto/plain-curve.js';
import { ORDER } from '../crypto/scalar.js';
import { fromHex, toHex } from '../util/bytes.js';
import { NO_VIEW_TAG, type ScanKernel } from './kernel.js';
import { referenceKernel } from './reference-kernel.js';
import { WasmCurve } from './wasm-curve.js';
import { WasmKernel } from './wasm-kernel.js';
import { BUILDS, type Build } from './wasm-module.js';

/** A view key, a transaction key with a torsion part, the base point as output, and what they must give. */
const KNOWN = {
  viewSecret: fromHex('0b'.repeat(31) + '0a'),
  batch: {
    keys: fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'),
    outputKey: Uint32Array.of(0),
    outputIndex: Uint32Array.of(3),
    viewTags: Uint16Array.of(NO_VIEW_TAG),
    outputs: fromHex('58' + '66'.repeat(31)),
  },
};

const answer = (kernel: ScanKernel): string => {
  const { derivations, spendKeys } = kernel.scan(KNOWN.batch, KNOWN.viewSecret);
  return toHex(derivations) + toHex(spendKeys);
};

/** The fastest that compiles here and gives the right answer; undefined where none does. */
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
 * The fastest kernel that works here. Relaxed instructions may round otherwise than ours needs: a build that
 * does not give the plain kernel's answer is passed over.
 */
export function loadKernel(): ScanKernel {
  const expected = answer(referenceKernel);
  return (
    fastest(
      (build) => new WasmKernel(build),
      (kernel) => answer(kernel) === expected,
    ) ?? referenceKernel
  );
}

/** A sum over a point with torsion, with digits at both ends of a window. */
const sum = (curve: Curve): string =>
  toHex(curve.multiexp([KNOWN.batch.keys, KNOWN.batch.outputs], [(ORDER - 1n) / 3n, ORDER - 2n]));

/** {@link loadKernel} of the arithmetic that signing and verifying need. */
export function loadCurve(): Curve {
  const expected = sum(plainCurve);
  return (
    fastest(
      (build) => new WasmCurve(build),
      (curve) => sum(curve) === expected,
    ) ?? plainCurve
  );
}
