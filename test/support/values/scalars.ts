import fc from 'fast-check';
import { ORDER } from '../../../src/monero/crypto/scalar.js';

/** Scalars of every size, and edge cases of the windows and of the group order. */
export const someScalar = fc.oneof(
  fc.bigInt({ min: 0n, max: ORDER - 1n }),
  fc.constantFrom(
    0n,
    1n,
    2n,
    15n,
    16n,
    17n,
    63n,
    64n,
    65n,
    ORDER - 1n,
    ORDER - 2n,
    2n ** 252n,
    2n ** 252n - 1n,
  ),
);
