/* Shuffles of vector lanes, for both field implementations. */

/** Returns the limbs of the pair whose mask is set, of eight pairs `stride` bytes apart; zero if no mask is set. */
@inline
export function maskedLimb(at: usize, stride: usize, m1: v128, m2: v128, m3: v128, m4: v128, m5: v128, m6: v128, m7: v128, m8: v128): v128 {
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

/** Exchanges the bits of two vectors in memory that are set in a mask. */
@inline
export function swapMasked(a: usize, b: usize, mask: v128): void {
  const x = v128.load(a), y = v128.load(b);
  const difference = v128.and(v128.xor(x, y), mask);
  v128.store(a, v128.xor(x, difference));
  v128.store(b, v128.xor(y, difference));
}

/** Writes a, with the bits of b that are set in a mask. */
@inline
export function chooseMasked(o: usize, a: usize, b: usize, mask: v128): void {
  v128.store(o, v128.bitselect(v128.load(b), v128.load(a), mask));
}

/**
 * Selects a byte for each of 16 indices from 16 bytes of a row; zero if the index is not from `first` to first + 15.
 */
@inline
function selectFrom16(row: usize, first: i32, index: v128): v128 {
  const bytes = v128.load(row + usize(first));
  const own = i8x16.sub(index, i8x16.splat(i8(first)));
  if (!ASC_FEATURE_RELAXED_SIMD) return i8x16.swizzle(bytes, own);
  // All engines agree that a relaxed swizzle gives zero only if the top bit of the index is set.
  const bias = i8x16.splat(0x70);
  return i8x16.relaxed_swizzle(bytes, v128.xor(i8x16.add_sat_u(own, bias), bias));
}

/** Selects a byte for each of 16 indices from a row of 32 or 128 bytes; zero if the index is 255. */
@inline
export function selectByte(row: usize, multiples: i32, index: v128): v128 {
  const first = v128.or(selectFrom16(row, 0, index), selectFrom16(row, 16, index));
  if (multiples == 32) return first;
  return v128.or(
    v128.or(first, v128.or(selectFrom16(row, 32, index), selectFrom16(row, 48, index))),
    v128.or(
      v128.or(selectFrom16(row, 64, index), selectFrom16(row, 80, index)),
      v128.or(selectFrom16(row, 96, index), selectFrom16(row, 112, index)),
    ),
  );
}

/** Interleaves the lower or the upper halves of two vectors, in units of 8, 16, 32 or 64 bits. */
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
@inline
function low64(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
}
@inline
function high64(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
}
@inline
function twoWords(at: usize, stride: usize): v128 {
  return low8(v128.load64_zero(at), v128.load64_zero(at + stride));
}

/**
 * Transposes the bytes of 16 words of 64 bits: row i gets byte i of all words.
 * @param o eight rows of 16 bytes.
 * @param rowStride bytes between rows.
 * @param at address of the first word.
 * @param stride bytes between words.
 */
export function transpose16(o: usize, rowStride: usize, at: usize, stride: usize): void {
  const a0 = twoWords(at, stride), a1 = twoWords(at + 2 * stride, stride);
  const a2 = twoWords(at + 4 * stride, stride), a3 = twoWords(at + 6 * stride, stride);
  const b0 = low16(a0, a1), b1 = high16(a0, a1), b2 = low16(a2, a3), b3 = high16(a2, a3);
  const c0 = low32(b0, b2), c1 = high32(b0, b2), c2 = low32(b1, b3), c3 = high32(b1, b3);
  at += 8 * stride;
  const d0 = twoWords(at, stride), d1 = twoWords(at + 2 * stride, stride);
  const d2 = twoWords(at + 4 * stride, stride), d3 = twoWords(at + 6 * stride, stride);
  const e0 = low16(d0, d1), e1 = high16(d0, d1), e2 = low16(d2, d3), e3 = high16(d2, d3);
  const f0 = low32(e0, e2), f1 = high32(e0, e2), f2 = low32(e1, e3), f3 = high32(e1, e3);
  v128.store(o, low64(c0, f0));
  v128.store(o + rowStride, high64(c0, f0));
  v128.store(o + 2 * rowStride, low64(c1, f1));
  v128.store(o + 3 * rowStride, high64(c1, f1));
  v128.store(o + 4 * rowStride, low64(c2, f2));
  v128.store(o + 5 * rowStride, high64(c2, f2));
  v128.store(o + 6 * rowStride, low64(c3, f3));
  v128.store(o + 7 * rowStride, high64(c3, f3));
}
