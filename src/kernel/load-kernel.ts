import type { Curve } from '../crypto/curve.js';
import { plainCurve } from '../crypto/plain-curve.js';
import { fastestCurve, fastestKernel } from './fastest.js';
import type { ScanKernel } from './kernel.js';
import { referenceKernel } from './reference-kernel.js';

/** Loads the fastest kernel that works on this machine. */
export const loadKernel = (): ScanKernel => fastestKernel() ?? referenceKernel;

let curve: Curve | undefined;

/** Loads the fastest curve arithmetic that works on this machine, once in each thread. */
export const loadCurve = (): Curve => (curve ??= fastestCurve() ?? plainCurve);
