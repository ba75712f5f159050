import {
  choose,
  commitsAsRecorded,
  KNOWN_POINTS,
  KNOWN_SECRET,
  type Choice,
} from '../crypto/curve/build-choice.js';
import { sharedMemory } from '../crypto/curve/wasm-memory.js';
import { concatBytes, toHex } from '../../util/bytes.js';
import { requireModule } from '../../util/require-module.js';
import type { ScanKernel } from './kernel.js';
import { WasmKernel } from './wasm-kernel.js';

/**
 * Products of the test points and the test scalar as computed by the plain kernel. They are recorded so that its code
 * need not be loaded.
 */
export const KNOWN_PRODUCTS =
  '6f96ba9df3080afea523fb2f720d6a65a9bb6ea5335b1b5874359c4644ffef65' +
  'fb815ee6281b409b58d010a293b2046d7aa6e4f7dc1826f375ebee8d451d2ddc';

/** Chooses the fastest kernel in WebAssembly that works on this machine. */
export const chooseKernel = (): Choice<ScanKernel> =>
  choose(
    (build) => new WasmKernel(build, sharedMemory(build)),
    (kernel) =>
      toHex(kernel.multiply(concatBytes(...KNOWN_POINTS), KNOWN_SECRET)) === KNOWN_PRODUCTS &&
      commitsAsRecorded(kernel),
  );

/** Loads the fastest kernel that works on this machine. */
export const loadKernel = (): ScanKernel => chooseKernel().chosen ?? loadReferenceKernel();

/**
 * Loads the plain kernel, for an engine in which no build works. It takes longer to load than all other modules of a
 * thread.
 */
function loadReferenceKernel(): ScanKernel {
  const module = requireModule(new URL('./reference-kernel.js', import.meta.url));
  return (module as { readonly referenceKernel: ScanKernel }).referenceKernel;
}
