import type { Point } from '../../../src/monero/crypto/curve/point.js';
import { reduce } from '../../../src/monero/crypto/scalar.js';
import type { PublicKey } from '../../../src/monero/crypto/types.js';

/* Public points by noble, to compare with. */

/** `s·P`. */
export const multiplyPublic = (point: Point, scalar: bigint): Point => point.multiplyUnsafe(reduce(scalar));

/** True in the prime-order subgroup, including the identity. */
export const inMainSubgroup = (point: Point): boolean => point.isTorsionFree();

/** Encodes a point as a public key. */
export const toPublicKey = (point: Point): PublicKey => point.toBytes() as PublicKey;
