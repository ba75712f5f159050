/* Scalars modulo l = 2^252 + c, c = 27742317777372353535851937790883648493, the order of the main subgroup. */
import { keccakPair, writeHash } from './keccak-pair';

/** The numbers c and l as words of 32 bits, lowest first. */
const C = memory.data<u32>([0x5cf5d3ed, 0x5812631a, 0xa2f79cd6, 0x14def9de, 0, 0, 0, 0]);
const L = memory.data<u32>([0x5cf5d3ed, 0x5812631a, 0xa2f79cd6, 0x14def9de, 0, 0, 0, 0x10000000]);

/** Reduces 256 bits modulo l, in constant time. */
export function reduce(s: usize): void {
  // q*2^252 = q*l - q*c. The remainder minus q*c is above -l, since 15*c is far below l.
  const top = load<u32>(s + 28);
  const quotient = i64(top >> 28);
  store<u32>(s + 28, top & 0x0fffffff);
  let carry: i64 = 0;
  for (let i: usize = 0; i < 32; i += 4) {
    carry += i64(load<u32>(s + i)) - quotient * i64(load<u32>(C + i));
    store<u32>(s + i, u32(carry));
    carry >>= 32;
  }
  addOrder(s, u32(carry), 0);
}

/** Computes s = s + carry; if all bits of the mask are set, s = s + l + carry. Modulo 2^256. */
@inline
function addOrder(s: usize, mask: u32, carry: u64): void {
  for (let i: usize = 0; i < 32; i += 4) {
    carry += u64(load<u32>(s + i)) + u64(load<u32>(L + i) & mask);
    store<u32>(s + i, u32(carry));
    carry >>= 32;
  }
}

/** Computes s = s + t modulo l, in constant time; both must be below l. */
export function addScalars(s: usize, t: usize): void {
  let carry: u64 = 0;
  for (let i: usize = 0; i < 32; i += 4) {
    carry += u64(load<u32>(s + i)) + u64(load<u32>(t + i));
    store<u32>(s + i, u32(carry));
    carry >>= 32;
  }
  reduce(s);
}

/**
 * Computes o = s if s is odd, otherwise l - s, in constant time.
 * @param s scalar from 0 to l - 1.
 * @returns 0 if s is odd, otherwise -1: all bits are set.
 */
export function oddScalar(o: usize, s: usize): i32 {
  const even = (i32(load<u8>(s)) & 1) - 1;
  // l - s is l + ~s + 1 modulo 2^256.
  for (let i: usize = 0; i < 32; i += 4) store<u32>(o + i, load<u32>(s + i) ^ u32(even));
  addOrder(o, u32(even), u64(even & 1));
  return even;
}

/**
 * Computes o = s if s is odd, otherwise s + 1, in constant time.
 * @returns 0 if s is odd, otherwise -1: all bits are set.
 */
export function raiseToOdd(o: usize, s: usize): i32 {
  const low = i32(load<u8>(s));
  memory.copy(o, s, 32);
  store<u8>(o, u8(low | 1));
  return (low & 1) - 1;
}

/** Hashes the messages of both lanes to scalars. Source: crypto.cpp `hash_to_scalar`. */
export function hashToScalars(first: usize, second: usize): void {
  keccakPair();
  writeHash(first, 0);
  reduce(first);
  writeHash(second, 1);
  reduce(second);
}

/** Number of radix-16 digits of a scalar below 2^253. */
export const DIGITS: i32 = 64;

/**
 * Writes the radix-16 digits of a scalar, lowest first, from -8 to 7. No branch and no address depends on the scalar.
 */
export function toDigits(digits: usize, scalar: usize): void {
  let carry = 0;
  for (let i = 0; i < DIGITS; i++) {
    const nibble = i32((load<u8>(scalar + usize(i >> 1)) >> u8((i & 1) << 2)) & 15) + carry;
    carry = (nibble + 8) >> 4;
    store<i8>(digits + usize(i), i8(nibble - (carry << 4)));
  }
}
