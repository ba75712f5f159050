/* Numbers modulo l = 2^252 + c, c = 27742317777372353535851937790883648493, the order of the main subgroup. */
import { keccak } from '../../crypto/assembly/keccak';

const C0: u64 = 0x5812631a5cf5d3ed;
const C1: u64 = 0x14def9dea2f79cd6;
const TOP: u64 = 0x0fffffffffffffff;

/** Replaces 256 bits by their residue. */
export function reduce(s: usize): void {
  let s0 = load<u64>(s);
  let s1 = load<u64>(s + 8);
  let s2 = load<u64>(s + 16);
  let s3 = load<u64>(s + 24);
  // q*2^252 is q*l - q*c. What is left is above -l, since 15*c is far below l.
  const quotient = s3 >> 60;
  s3 &= TOP;
  for (let i: u64 = 0; i < quotient; i++) {
    const t0 = s0 - C0;
    let borrow: u64 = s0 < C0 ? 1 : 0;
    const t1 = s1 - C1 - borrow;
    borrow = s1 < C1 || (borrow != 0 && s1 == C1) ? 1 : 0;
    const t2 = s2 - borrow;
    borrow = s2 < borrow ? 1 : 0;
    s3 -= borrow;
    s0 = t0;
    s1 = t1;
    s2 = t2;
  }
  if (i64(s3) < 0) {
    const t0 = s0 + C0;
    let carry: u64 = t0 < s0 ? 1 : 0;
    const t1 = s1 + C1;
    let next: u64 = t1 < s1 ? 1 : 0;
    s1 = t1 + carry;
    next += s1 < t1 ? 1 : 0;
    s0 = t0;
    s2 += next;
    carry = s2 < next ? 1 : 0;
    s3 += carry + (TOP + 1);
  }
  store<u64>(s, s0);
  store<u64>(s + 8, s1);
  store<u64>(s + 16, s2);
  store<u64>(s + 24, s3);
}

/** Hashes a message to a scalar. Source: crypto.cpp `hash_to_scalar`. */
export function hashToScalar(out: usize, message: usize, length: i32): void {
  keccak(out, message, length);
  reduce(out);
}

/** Digits of radix 16 of a number below 2^253. */
export const DIGITS: i32 = 64;

/** Writes them lowest first, each from -8 to 8; no branch depends on the number. */
export function toDigits(digits: usize, scalar: usize): void {
  let carry = 0;
  for (let i = 0; i < DIGITS; i++) {
    const nibble = i32((load<u8>(scalar + usize(i >> 1)) >> u8((i & 1) << 2)) & 15) + carry;
    carry = (nibble + 8) >> 4;
    store<i8>(digits + usize(i), i8(nibble - (carry << 4)));
  }
}
