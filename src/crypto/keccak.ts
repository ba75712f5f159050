import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '../util/bytes.js';
import type { Hash } from './types.js';

/** Keccak-256 with the original padding (not SHA-3) over the parts in a row. Source: crypto/hash.h `cn_fast_hash`. */
export function keccak(...parts: readonly Uint8Array[]): Hash {
  return keccak_256(parts.length === 1 ? (parts[0] as Uint8Array) : concatBytes(...parts)) as Hash;
}
