import { loadNow } from '#platform/load-now.js';
import {
  choose,
  chosenOf,
  commitsAsRecorded,
  KNOWN_POINTS,
  KNOWN_SECRET,
  type Choice,
  HAS_SIMD,
} from '../crypto/curve/build-choice.js';
import { sharedMemory } from '../crypto/curve/wasm-memory.js';
import { concatBytes, toHex } from '../../util/bytes.js';
import { once } from '../../util/concurrency.js';
import type { ScanKernel } from './kernel.js';
import type * as reference from './reference-kernel.js';
import { WasmKernel } from './wasm-kernel.js';

/**
 * Products of the test points and the test scalar as computed by the plain kernel. The products are recorded so that
 * the code of the plain kernel need not be loaded.
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

/**
 * Loads the plain kernel, only if no build can work: the loading takes longer than the loading of all other modules of
 * a thread.
 */
const plain = (): ScanKernel =>
  (loadNow(new URL('./reference-kernel.js', import.meta.url)) as typeof reference).referenceKernel;

/**
 * Loads the fastest kernel that works on this machine.
 * @throws Error if the engine claims to run SIMD instructions, and all builds fail.
 */
export const loadKernel = (): ScanKernel => (HAS_SIMD ? chosenOf(chooseKernel(), 'scan kernel') : plain());

/** Returns the kernel of this thread; the first call loads it, which takes some milliseconds. @throws as {@link loadKernel}. */
export const sharedKernel = once(loadKernel);
