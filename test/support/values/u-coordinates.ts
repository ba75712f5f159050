import fc from 'fast-check';
import { bytesToInt, intToBytes } from '../../../src/monero/crypto/scalar.js';

const P = 2n ** 255n - 19n;

/** The u-coordinates of the points of order 8. */
const ORDER_8 = bytesToInt(
  Uint8Array.from(Buffer.from('e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800', 'hex')),
);
const OTHER_ORDER_8 = bytesToInt(
  Uint8Array.from(Buffer.from('5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157', 'hex')),
);

/** u-coordinates at the edges of the field and of the encoding; those of points of small order; 9, the base point. */
export const EDGE_US: readonly Uint8Array[] = [
  ...[0n, 1n, 2n, 9n, ORDER_8, OTHER_ORDER_8, P - 2n, P - 1n, P, P + 1n, P + 9n, 2n ** 255n - 1n],
].flatMap((u) => [intToBytes(u), intToBytes(u + 2n ** 255n)]);

/** Any u-coordinate: half of the random ones lie on the twist, and most of the others have a torsion part. */
export const anyU = fc.oneof(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.constantFrom(...EDGE_US));
