import { concatBytes, utf8 } from '../../util/bytes.js';
import { loadCurve } from '../crypto/curve/load-curve.js';
import { reduceBytes } from '../crypto/scalar.js';

/**
 * Joins a separator, after its length in one byte, with data. No two messages with different separators are equal. Source:
 * transcript_fixed.h.
 */
function transcript(separator: string, parts: readonly Uint8Array[]): Uint8Array {
  const text = utf8(separator);
  return concatBytes(Uint8Array.of(text.length), text, ...parts);
}

/**
 * Computes `H_length[key](separator, parts)`.
 * @param key secret of 32 bytes; undefined: the hash has no key. Source: hash_functions.cpp `derive_bytes_32`.
 */
export const deriveBytes = (
  length: number,
  key: Uint8Array | undefined,
  separator: string,
  ...parts: readonly Uint8Array[]
): Uint8Array => loadCurve().forkHash(length, transcript(separator, parts), key);

/** Computes the scalar `H_64[key](separator, parts) mod ℓ`. Source: hash_functions.cpp `derive_scalar`. */
export function deriveScalar(
  key: Uint8Array | undefined,
  separator: string,
  ...parts: readonly Uint8Array[]
): bigint {
  const wide = deriveBytes(64, key, separator, ...parts);
  const scalar = reduceBytes(wide);
  wide.fill(0);
  return scalar;
}
