import { keccak } from './keccak.js';
import type { Rng } from '../util/random.js';
import type { SecretKey } from './types.js';

/** Order ℓ of the prime-order subgroup. */
export const ORDER = (1n << 252n) + 27742317777372353535851937790883648493n;

/** Little-endian integer of any length. */
export function bytesToInt(bytes: Uint8Array): bigint {
  let hex = '0x0';
  for (let i = bytes.length - 1; i >= 0; i--) hex += (bytes[i] as number).toString(16).padStart(2, '0');
  return BigInt(hex);
}

/** 32 bytes, little-endian. @throws RangeError outside [0, 2^256). */
export function intToBytes(value: bigint): Uint8Array {
  if (value < 0n || value >> 256n) throw new RangeError('integer outside 32 bytes');
  const hex = value.toString(16).padStart(64, '0');
  const bytes = new Uint8Array(32);
  for (let i = 0; i < 32; i++) bytes[31 - i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Non-negative remainder modulo ℓ. */
export function reduce(value: bigint): bigint {
  const remainder = value % ORDER;
  return remainder < 0n ? remainder + ORDER : remainder;
}

/** 32 or 64 bytes modulo ℓ. Source: crypto-ops `sc_reduce32`, `sc_reduce`. */
export const reduceBytes = (bytes: Uint8Array): bigint => reduce(bytesToInt(bytes));

/** Reads a scalar. @throws RangeError when not below ℓ. Source: crypto-ops `sc_check`. */
export function toScalar(bytes: Uint8Array): bigint {
  const value = bytesToInt(bytes);
  if (bytes.length !== 32 || value >= ORDER) throw new RangeError('not a canonical scalar');
  return value;
}

/** 32 bytes of a scalar 0 ≤ s < ℓ. */
export const scalarBytes = (scalar: bigint): SecretKey => intToBytes(scalar) as SecretKey;

/** `Hs(parts) = keccak(parts) mod ℓ`. Source: crypto.cpp `hash_to_scalar`. */
export const hashToScalar = (...parts: readonly Uint8Array[]): bigint => reduceBytes(keccak(...parts));

/** Uniform scalar 1 ≤ s < ℓ. */
export function randomScalar(rng: Rng): bigint {
  for (;;) {
    const scalar = reduceBytes(rng(64));
    if (scalar !== 0n) return scalar;
  }
}
