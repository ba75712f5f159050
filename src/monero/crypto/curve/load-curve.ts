import { loadNow } from '#platform/load-now.js';
import { toHex } from '../../../util/bytes.js';
import { once } from '../../../util/concurrency.js';
import { choose, chosenOf, commitsAsRecorded, KNOWN_POINTS, type Choice, HAS_SIMD } from './build-choice.js';
import type { Curve } from './curve.js';
import { testPointsBy } from './encoded-points.js';
import type * as plainModule from './plain-curve.js';
import { WasmCurve } from './wasm-curve.js';
import { sharedMemory } from './wasm-memory.js';

/** Test scalars whose digits lie at both ends of a window: (ℓ - 1)/3 and ℓ - 2. */
export const KNOWN_SCALARS = [
  2412335192444087404657728854347664746952372119793302535333983646095151416996n,
  7237005577332262213973186563042994240857116359379907606001950938285454250987n,
] as const;
/** Sum of the test points, each multiplied by its test scalar, as computed by the plain curve. */
export const KNOWN_SUM = '6d572fb3075feb886b511e4a5c2b261440833c97cd958800b175d825c40ae7b7';

/** Chooses the fastest curve arithmetic in WebAssembly that works on this machine. */
export const chooseCurve = (): Choice<Curve> =>
  choose(
    (build) => new WasmCurve(build, sharedMemory(build)),
    (curve) => toHex(curve.multiexp(KNOWN_POINTS, KNOWN_SCALARS)) === KNOWN_SUM && commitsAsRecorded(curve),
  );

/**
 * Loads the plain curve, only if no build can work: the loading takes longer than the loading of all other modules of a
 * thread.
 */
const plain = (): Curve =>
  (loadNow(new URL('./plain-curve.js', import.meta.url)) as typeof plainModule).plainCurve;

/**
 * Returns the fastest curve arithmetic that works on this machine. Each thread loads it at its first call.
 * @throws Error if the engine claims to run SIMD instructions, and all builds fail.
 */
export const loadCurve = once((): Curve =>
  testPointsBy(HAS_SIMD ? chosenOf(chooseCurve(), 'curve arithmetic') : plain()),
);
