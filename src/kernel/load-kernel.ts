import type { Curve } from '../crypto/curve.js';
import { plainCurve } from '../crypto/plain-curve.js';
import { fastestCurve, fastestKernel } from './fastest.js';
import type { ScanKernel } from './kernel.js';
import { referenceKernel } from './reference-kernel.js';

/** The fastest kernel that works here. */
export const loadKernel = (): ScanKernel => fastestKernel() ?? referenceKernel;

/** The fastest arithmetic that works here. */
export const loadCurve = (): Curve => fastestCurve() ?? plainCurve;
