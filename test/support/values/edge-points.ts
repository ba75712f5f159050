import { Point } from '../../../src/monero/crypto/curve/point.js';
import { intToBytes } from '../../../src/monero/crypto/scalar.js';
import { fromHex } from '../../../src/util/bytes.js';

/** A point of order 8. */
export const TORSION = Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a');
const P = 2n ** 255n - 19n;

/** Encodings at the edges of limbs of 51, 25 and 26 bits, and of the field; about half of them are points. */
export const EDGE_ENCODINGS: readonly Uint8Array[] = [
  ...[0n, 1n, 2n, 3n, 4n, 5n, 18n, 19n, 20n, P - 1n, P - 2n, P - 3n, P - 4n, P - 20n],
  ...[51n, 102n, 153n, 204n, 26n, 77n, 128n, 179n, 230n, 254n].flatMap((bit) => [
    2n ** bit,
    2n ** bit - 1n,
    2n ** bit + 1n,
    P - 2n ** bit,
    P - 2n ** bit + 1n,
    P - 2n ** bit - 1n,
  ]),
  // Every limb, of 51 bits or of 26 and 25 in turn, just below, at and just above half of its range, either way.
  ...[-2n, -1n, 0n, 1n, 2n].flatMap((off) =>
    [
      [0n, 51n, 102n, 153n, 204n].reduce((sum, bit) => sum + ((2n ** 50n + off) << bit), 0n),
      [0n, 51n, 102n, 153n, 204n].reduce(
        (sum, bit) => sum + ((2n ** 25n + off + ((2n ** 24n + off) << 26n)) << bit),
        0n,
      ),
    ].flatMap((halves) => [halves % P, (P - (halves % P)) % P, (halves + 2n ** 51n) % P]),
  ),
].flatMap((y) => [intToBytes(y), intToBytes(y + 2n ** 255n)]);

export const NO_POINTS: readonly Uint8Array[] = [
  new Uint8Array(32).fill(0xff),
  // p itself and p + 1: other names of 0 and 1.
  intToBytes(P),
  intToBytes(P + 1n),
  // x = 0 has no sign.
  intToBytes(1n + 2n ** 255n),
  fromHex('02' + '00'.repeat(31)),
];
