import { keccak } from './keccak.js';
import type { Rng } from '../../util/random.js';
import type { SecretKey } from './types.js';

/*
 * Scalars as bigints. The time of V8's bigint arithmetic depends on the values (in particular on leading zero
 * digits), so nothing here is constant-time, and a bigint cannot be wiped. This is accepted where a secret is used
 * once per signature or key, in signatures blinded by a random scalar, on the machine that holds the keys: it causes
 * differences of tens of nanoseconds in responses that take milliseconds. Products of points and secrets, of which a
 * refresh computes thousands with one secret, are constant-time: see curve/assembly.
 */

/** Order ℓ of the prime-order subgroup. */
export const ORDER = (1n << 252n) + 27742317777372353535851937790883648493n;

/** Reads a little-endian integer of any length. */
export function bytesToInt(bytes: Uint8Array): bigint {
  const { length } = bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  let value = 0n;
  let at = length & ~7;
  for (let i = length - 1; i >= at; i--) value = (value << 8n) | BigInt(bytes[i] as number);
  for (at -= 8; at >= 0; at -= 8) value = (value << 64n) | view.getBigUint64(at, true);
  return value;
}

/** Writes the lowest 256 bits of an integer as four words, the lowest word first. @param at index of the first word. */
export function writeWords(value: bigint, words: BigUint64Array, at = 0): void {
  // A `BigUint64Array` stores the lowest 64 bits of the value.
  words[at] = value;
  words[at + 1] = value >> 64n;
  words[at + 2] = value >> 128n;
  words[at + 3] = value >> 192n;
}

/** Writes an integer as 32 bytes, little-endian. @throws RangeError outside [0, 2^256). */
export function intToBytes(value: bigint): Uint8Array {
  if (value < 0n || value >> 256n) throw new RangeError('integer outside 32 bytes');
  writeWords(value, scratch);
  const bytes = scratchBytes.slice();
  scratch.fill(0n);
  return bytes;
}

/**
 * Buffer for the words of one integer. Creating a new buffer with its views for each integer takes six times as long.
 */
const scratch = new BigUint64Array(4);
const scratchBytes = new Uint8Array(scratch.buffer);

/** Returns the non-negative remainder modulo ℓ. */
export function reduce(value: bigint): bigint {
  const remainder = value % ORDER;
  return remainder < 0n ? remainder + ORDER : remainder;
}

/** Reads 32 or 64 bytes and reduces them modulo ℓ. Source: crypto-ops `sc_reduce32`, `sc_reduce`. */
export const reduceBytes = (bytes: Uint8Array): bigint => reduce(bytesToInt(bytes));

const ORDER_BYTES = intToBytes(ORDER);

/**
 * Checks that scalars are below ℓ, in constant time. @param scalars 32 bytes each.
 * @throws RangeError for a larger scalar, or for a length that is not a multiple of 32.
 */
export function checkScalars(scalars: Uint8Array): void {
  let canonical = scalars.length % 32 === 0 ? 1 : 0;
  for (let start = 0; start < scalars.length; start += 32) {
    let borrow = 0;
    for (let i = 0; i < 32; i++)
      borrow = (((scalars[start + i] as number) - (ORDER_BYTES[i] as number) - borrow) >> 31) & 1;
    canonical &= borrow;
  }
  if (canonical === 0) throw new RangeError('not a canonical scalar');
}

/**
 * Checks that a scalar is below ℓ, in constant time.
 * @throws RangeError for a larger scalar, or for another length than 32 bytes.
 */
export function checkScalar(scalar: Uint8Array): void {
  if (scalar.length !== 32) throw new RangeError('not a canonical scalar');
  checkScalars(scalar);
}

/** Reads a scalar. @throws RangeError unless it is below ℓ. Source: crypto-ops `sc_check`. */
export function toScalar(bytes: Uint8Array): bigint {
  const value = bytesToInt(bytes);
  if (bytes.length !== 32 || value >= ORDER) throw new RangeError('not a canonical scalar');
  return value;
}

/** Writes a scalar 0 ≤ s < ℓ as 32 bytes. */
export const scalarBytes = (scalar: bigint): SecretKey => intToBytes(scalar) as SecretKey;

/** Computes the scalar `Hs(parts) = keccak(parts) mod ℓ`. Source: crypto.cpp `hash_to_scalar`. */
export const hashToScalar = (...parts: readonly Uint8Array[]): bigint => reduceBytes(keccak(...parts));

/** Returns a random scalar, uniform in 1 ≤ s < ℓ. */
export function randomScalar(rng: Rng): bigint {
  for (;;) {
    const scalar = reduceBytes(rng(64));
    if (scalar !== 0n) return scalar;
  }
}
