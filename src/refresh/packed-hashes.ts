import type { Hash } from '../crypto/types.js';
import { chunks } from '../util/bytes.js';

/** Joins hashes to one run of bytes, which crosses to another thread faster than a list. */
export function packHashes(hashes: readonly Hash[]): Uint8Array {
  const packed = new Uint8Array(32 * hashes.length);
  hashes.forEach((hash, i) => packed.set(hash, 32 * i));
  return packed;
}

/** Splits packed hashes; they share memory. @throws RangeError when the length is not a multiple of 32. */
export const unpackHashes = (packed: Uint8Array): Hash[] => chunks(packed, 32) as Hash[];
