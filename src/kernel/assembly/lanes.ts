/*
 * Moves between lanes that both fields need, whatever their limbs are.
 */

/** The limbs of eight pairs, `stride` apart, of which a mask lets one through, or none. */
@inline
export function pairedLimb(at: usize, stride: usize, m1: v128, m2: v128, m3: v128, m4: v128, m5: v128, m6: v128, m7: v128, m8: v128): v128 {
  const low = v128.or(
    v128.or(v128.and(v128.load(at), m1), v128.and(v128.load(at + stride), m2)),
    v128.or(v128.and(v128.load(at + 2 * stride), m3), v128.and(v128.load(at + 3 * stride), m4)),
  );
  const high = v128.or(
    v128.or(v128.and(v128.load(at + 4 * stride), m5), v128.and(v128.load(at + 5 * stride), m6)),
    v128.or(v128.and(v128.load(at + 6 * stride), m7), v128.and(v128.load(at + 7 * stride), m8)),
  );
  return v128.or(low, high);
}

/** Interleaves the lower, or upper, halves of two vectors by bytes, 16 and 32 bits. */
@inline
export function low8(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
@inline
export function high8(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
@inline
export function low16(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
}
@inline
export function high16(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
}
@inline
export function low32(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
}
@inline
export function high32(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
}
