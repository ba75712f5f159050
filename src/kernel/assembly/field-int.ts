/*
 * The field of 2^255 - 19 in pairs without fused products: ten limbs of 26 and 25 bits in turn, 32-bit integers,
 * the first element's in lane 0 of its vector, the second's in lane 1.
 *
 * Bounds. One unit is 2^25 + 2^14 for limbs of even places and half of that for odd ones; a product may be of 3
 * units by 1, or of 1 by 3. Factors of 2 and 19 included, a column is below 2^60 and a combination of four below
 * 2^62; 19 times 3 units stay below 2^31.
 */

export const LIMBS: i32 = 10;

const BIAS: u64 = 1 << 62;

/** Operands as a column meets them. */
const A_EVEN = memory.data(160, 16);
const B_EXTENDED = memory.data(320, 16);

@inline
function limb(a: usize, i: i32): v128 {
  return v128.load(a + (i << 4));
}

@inline
function term(a: usize, i: i32, k: i32): v128 {
  return i64x2.extmul_low_i32x4_s(limb(a, i), limb(B_EXTENDED, k - i + 9));
}

@inline
function column(o: usize, a: usize, k: i32): void {
  const low = i64x2.add(
    i64x2.add(i64x2.add(term(a, 0, k), term(a, 1, k)), i64x2.add(term(a, 2, k), term(a, 3, k))),
    term(a, 4, k),
  );
  const high = i64x2.add(
    i64x2.add(i64x2.add(term(a, 5, k), term(a, 6, k)), i64x2.add(term(a, 7, k), term(a, 8, k))),
    term(a, 9, k),
  );
  v128.store(o + (k << 4), i64x2.add(low, high));
}

@inline
function extend(a: usize, b: usize, i: i32): void {
  const own = limb(a, i);
  const other = limb(b, i);
  v128.store(A_EVEN + (i << 4), i & 1 ? i32x4.shl(own, 1) : own);
  v128.store(B_EXTENDED + ((i + 9) << 4), other);
  if (i > 0) v128.store(B_EXTENDED + ((i - 1) << 4), i32x4.mul(other, i32x4.splat(19)));
}

/** Columns of a*b, folded: place 10 + k counts 19-fold in place k, odd by odd places count twice. */
export function multiplyColumns(o: usize, a: usize, b: usize): void {
  extend(a, b, 0);
  extend(a, b, 1);
  extend(a, b, 2);
  extend(a, b, 3);
  extend(a, b, 4);
  extend(a, b, 5);
  extend(a, b, 6);
  extend(a, b, 7);
  extend(a, b, 8);
  extend(a, b, 9);
  column(o, A_EVEN, 0);
  column(o, a, 1);
  column(o, A_EVEN, 2);
  column(o, a, 3);
  column(o, A_EVEN, 4);
  column(o, a, 5);
  column(o, A_EVEN, 6);
  column(o, a, 7);
  column(o, A_EVEN, 8);
  column(o, a, 9);
}

/** A square's operands: 19a, 2a, 4a. */
const A_19 = memory.data(160, 16);
const A_2 = memory.data(160, 16);
const A_4 = memory.data(160, 16);

@inline
function scale(a: usize, i: i32): void {
  const own = limb(a, i);
  v128.store(A_2 + (i << 4), i32x4.shl(own, 1));
  if (i & 1) v128.store(A_4 + (i << 4), i32x4.shl(own, 2));
  if (i >= 5) v128.store(A_19 + (i << 4), i32x4.mul(own, i32x4.splat(19)));
}

/** What places i <= j give: unequal ones twice, odd by odd twice, from place 10 on 19-fold. */
@inline
function part(a: usize, i: i32, j: i32): v128 {
  const odd = (i & j & 1) != 0;
  const left = i == j ? (odd ? A_2 : a) : odd ? A_4 : A_2;
  return i64x2.extmul_low_i32x4_s(limb(left, i), limb(i + j >= 10 ? A_19 : a, j));
}

/** Columns of a*a, folded; a of 1 unit. */
export function squareColumns(o: usize, a: usize): void {
  scale(a, 0);
  scale(a, 1);
  scale(a, 2);
  scale(a, 3);
  scale(a, 4);
  scale(a, 5);
  scale(a, 6);
  scale(a, 7);
  scale(a, 8);
  scale(a, 9);
  v128.store(o + 0, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(part(a, 0, 0), part(a, 1, 9)), part(a, 2, 8)), part(a, 3, 7)), part(a, 4, 6)), part(a, 5, 5)));
  v128.store(o + 16, i64x2.add(i64x2.add(i64x2.add(i64x2.add(part(a, 0, 1), part(a, 2, 9)), part(a, 3, 8)), part(a, 4, 7)), part(a, 5, 6)));
  v128.store(o + 32, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(part(a, 0, 2), part(a, 1, 1)), part(a, 3, 9)), part(a, 4, 8)), part(a, 5, 7)), part(a, 6, 6)));
  v128.store(o + 48, i64x2.add(i64x2.add(i64x2.add(i64x2.add(part(a, 0, 3), part(a, 1, 2)), part(a, 4, 9)), part(a, 5, 8)), part(a, 6, 7)));
  v128.store(o + 64, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(part(a, 0, 4), part(a, 1, 3)), part(a, 2, 2)), part(a, 5, 9)), part(a, 6, 8)), part(a, 7, 7)));
  v128.store(o + 80, i64x2.add(i64x2.add(i64x2.add(i64x2.add(part(a, 0, 5), part(a, 1, 4)), part(a, 2, 3)), part(a, 6, 9)), part(a, 7, 8)));
  v128.store(o + 96, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(part(a, 0, 6), part(a, 1, 5)), part(a, 2, 4)), part(a, 3, 3)), part(a, 7, 9)), part(a, 8, 8)));
  v128.store(o + 112, i64x2.add(i64x2.add(i64x2.add(i64x2.add(part(a, 0, 7), part(a, 1, 6)), part(a, 2, 5)), part(a, 3, 4)), part(a, 8, 9)));
  v128.store(o + 128, i64x2.add(i64x2.add(i64x2.add(i64x2.add(i64x2.add(part(a, 0, 8), part(a, 1, 7)), part(a, 2, 6)), part(a, 3, 5)), part(a, 4, 4)), part(a, 9, 9)));
  v128.store(o + 144, i64x2.add(i64x2.add(i64x2.add(i64x2.add(part(a, 0, 9), part(a, 1, 8)), part(a, 2, 7)), part(a, 3, 6)), part(a, 4, 5)));
}

const ROUND = memory.data(160, 16);

@inline
function times19(x: v128): v128 {
  return i64x2.add(i64x2.add(i64x2.shl(x, 4), i64x2.shl(x, 1)), x);
}

@inline
function bitsOf(i: i32): i32 {
  return 26 - (i & 1);
}

/** A column made positive. */
@inline
function lifted(c: v128, i: i32): v128 {
  return i64x2.add(c, i64x2.splat(BIAS + (u64(1) << (bitsOf(i) - 1))));
}

@inline
function above(t: v128, i: i32): v128 {
  return i64x2.sub(i64x2.shr_u(t, bitsOf(i)), i64x2.splat(BIAS >> bitsOf(i)));
}

@inline
function below(t: v128, i: i32): v128 {
  const bits = bitsOf(i);
  return i64x2.sub(v128.and(t, i64x2.splat((u64(1) << bits) - 1)), i64x2.splat(u64(1) << (bits - 1)));
}

@inline
function put(o: usize, i: i32, wide: v128): void {
  v128.store(o + (i << 4), i8x16.shuffle(wide, wide, 0, 1, 2, 3, 8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11));
}

/**
 * Two rounds of carries, every place at once: what is above a limb's bits goes one place up, from the last into
 * the first. The second leaves one unit, and 64-bit lanes become 32-bit ones.
 */
@inline
function settle(
  o: usize,
  c0: v128,
  c1: v128,
  c2: v128,
  c3: v128,
  c4: v128,
  c5: v128,
  c6: v128,
  c7: v128,
  c8: v128,
  c9: v128,
): void {
  const t0 = lifted(c0, 0);
  const t1 = lifted(c1, 1);
  const t2 = lifted(c2, 2);
  const t3 = lifted(c3, 3);
  const t4 = lifted(c4, 4);
  const t5 = lifted(c5, 5);
  const t6 = lifted(c6, 6);
  const t7 = lifted(c7, 7);
  const t8 = lifted(c8, 8);
  const t9 = lifted(c9, 9);
  const u0 = lifted(i64x2.add(below(t0, 0), times19(above(t9, 9))), 0);
  const u1 = lifted(i64x2.add(below(t1, 1), above(t0, 0)), 1);
  const u2 = lifted(i64x2.add(below(t2, 2), above(t1, 1)), 2);
  const u3 = lifted(i64x2.add(below(t3, 3), above(t2, 2)), 3);
  const u4 = lifted(i64x2.add(below(t4, 4), above(t3, 3)), 4);
  const u5 = lifted(i64x2.add(below(t5, 5), above(t4, 4)), 5);
  const u6 = lifted(i64x2.add(below(t6, 6), above(t5, 5)), 6);
  const u7 = lifted(i64x2.add(below(t7, 7), above(t6, 6)), 7);
  const u8 = lifted(i64x2.add(below(t8, 8), above(t7, 7)), 8);
  const u9 = lifted(i64x2.add(below(t9, 9), above(t8, 8)), 9);
  put(o, 0, i64x2.add(below(u0, 0), times19(above(u9, 9))));
  put(o, 1, i64x2.add(below(u1, 1), above(u0, 0)));
  put(o, 2, i64x2.add(below(u2, 2), above(u1, 1)));
  put(o, 3, i64x2.add(below(u3, 3), above(u2, 2)));
  put(o, 4, i64x2.add(below(u4, 4), above(u3, 3)));
  put(o, 5, i64x2.add(below(u5, 5), above(u4, 4)));
  put(o, 6, i64x2.add(below(u6, 6), above(u5, 5)));
  put(o, 7, i64x2.add(below(u7, 7), above(u6, 6)));
  put(o, 8, i64x2.add(below(u8, 8), above(u7, 7)));
  put(o, 9, i64x2.add(below(u9, 9), above(u8, 8)));
}

@inline
function settleColumnsAt(c: usize, i: i32): v128 {
  return limb(c, i);
}

/** o = c */
export function settleColumns(o: usize, c: usize): void {
  settle(o, settleColumnsAt(c, 0), settleColumnsAt(c, 1), settleColumnsAt(c, 2), settleColumnsAt(c, 3), settleColumnsAt(c, 4), settleColumnsAt(c, 5), settleColumnsAt(c, 6), settleColumnsAt(c, 7), settleColumnsAt(c, 8), settleColumnsAt(c, 9));
}

@inline
function settleTwiceAt(c: usize, i: i32): v128 {
  return i64x2.shl(limb(c, i), 1);
}

/** o = 2c */
export function settleTwice(o: usize, c: usize): void {
  settle(o, settleTwiceAt(c, 0), settleTwiceAt(c, 1), settleTwiceAt(c, 2), settleTwiceAt(c, 3), settleTwiceAt(c, 4), settleTwiceAt(c, 5), settleTwiceAt(c, 6), settleTwiceAt(c, 7), settleTwiceAt(c, 8), settleTwiceAt(c, 9));
}

@inline
function settleSumAt(c: usize, d: usize, i: i32): v128 {
  return i64x2.add(limb(c, i), limb(d, i));
}

/** o = c + d */
export function settleSum(o: usize, c: usize, d: usize): void {
  settle(o, settleSumAt(c, d, 0), settleSumAt(c, d, 1), settleSumAt(c, d, 2), settleSumAt(c, d, 3), settleSumAt(c, d, 4), settleSumAt(c, d, 5), settleSumAt(c, d, 6), settleSumAt(c, d, 7), settleSumAt(c, d, 8), settleSumAt(c, d, 9));
}

@inline
function settleDifferenceAt(c: usize, d: usize, i: i32): v128 {
  return i64x2.sub(limb(c, i), limb(d, i));
}

/** o = c - d */
export function settleDifference(o: usize, c: usize, d: usize): void {
  settle(o, settleDifferenceAt(c, d, 0), settleDifferenceAt(c, d, 1), settleDifferenceAt(c, d, 2), settleDifferenceAt(c, d, 3), settleDifferenceAt(c, d, 4), settleDifferenceAt(c, d, 5), settleDifferenceAt(c, d, 6), settleDifferenceAt(c, d, 7), settleDifferenceAt(c, d, 8), settleDifferenceAt(c, d, 9));
}

@inline
function settleTwicePlusMinusAt(c: usize, d: usize, e: usize, i: i32): v128 {
  return i64x2.sub(i64x2.add(i64x2.shl(limb(c, i), 1), limb(d, i)), limb(e, i));
}

/** o = 2c + d - e */
export function settleTwicePlusMinus(o: usize, c: usize, d: usize, e: usize): void {
  settle(o, settleTwicePlusMinusAt(c, d, e, 0), settleTwicePlusMinusAt(c, d, e, 1), settleTwicePlusMinusAt(c, d, e, 2), settleTwicePlusMinusAt(c, d, e, 3), settleTwicePlusMinusAt(c, d, e, 4), settleTwicePlusMinusAt(c, d, e, 5), settleTwicePlusMinusAt(c, d, e, 6), settleTwicePlusMinusAt(c, d, e, 7), settleTwicePlusMinusAt(c, d, e, 8), settleTwicePlusMinusAt(c, d, e, 9));
}

@inline
function settleElementAt(a: usize, i: i32): v128 {
  return i64x2.extend_low_i32x4_s(limb(a, i));
}

/** o = a within one unit */
export function settleElement(o: usize, a: usize): void {
  settle(o, settleElementAt(a, 0), settleElementAt(a, 1), settleElementAt(a, 2), settleElementAt(a, 3), settleElementAt(a, 4), settleElementAt(a, 5), settleElementAt(a, 6), settleElementAt(a, 7), settleElementAt(a, 8), settleElementAt(a, 9));
}

export function add(o: usize, a: usize, b: usize): void {
  v128.store(o + (0 << 4), i32x4.add(limb(a, 0), limb(b, 0)));
  v128.store(o + (1 << 4), i32x4.add(limb(a, 1), limb(b, 1)));
  v128.store(o + (2 << 4), i32x4.add(limb(a, 2), limb(b, 2)));
  v128.store(o + (3 << 4), i32x4.add(limb(a, 3), limb(b, 3)));
  v128.store(o + (4 << 4), i32x4.add(limb(a, 4), limb(b, 4)));
  v128.store(o + (5 << 4), i32x4.add(limb(a, 5), limb(b, 5)));
  v128.store(o + (6 << 4), i32x4.add(limb(a, 6), limb(b, 6)));
  v128.store(o + (7 << 4), i32x4.add(limb(a, 7), limb(b, 7)));
  v128.store(o + (8 << 4), i32x4.add(limb(a, 8), limb(b, 8)));
  v128.store(o + (9 << 4), i32x4.add(limb(a, 9), limb(b, 9)));
}

export function subtract(o: usize, a: usize, b: usize): void {
  v128.store(o + (0 << 4), i32x4.sub(limb(a, 0), limb(b, 0)));
  v128.store(o + (1 << 4), i32x4.sub(limb(a, 1), limb(b, 1)));
  v128.store(o + (2 << 4), i32x4.sub(limb(a, 2), limb(b, 2)));
  v128.store(o + (3 << 4), i32x4.sub(limb(a, 3), limb(b, 3)));
  v128.store(o + (4 << 4), i32x4.sub(limb(a, 4), limb(b, 4)));
  v128.store(o + (5 << 4), i32x4.sub(limb(a, 5), limb(b, 5)));
  v128.store(o + (6 << 4), i32x4.sub(limb(a, 6), limb(b, 6)));
  v128.store(o + (7 << 4), i32x4.sub(limb(a, 7), limb(b, 7)));
  v128.store(o + (8 << 4), i32x4.sub(limb(a, 8), limb(b, 8)));
  v128.store(o + (9 << 4), i32x4.sub(limb(a, 9), limb(b, 9)));
}

export function setSmall(o: usize, value: i32): void {
  memory.fill(o, 0, 160);
  v128.store(o, i32x4.splat(value));
}

/** Puts 255 bits of 32 bytes into a lane, of 2 units. */
export function read(o: usize, lane: usize, bytes: usize): void {
  let at = 0;
  for (let i = 0; i < LIMBS; i++) {
    const bits = i & 1 ? 25 : 26;
    // At most seven bits of the first byte are skipped, so five bytes hold a limb.
    const from = bytes + (usize(at) >> 3);
    const word = u64(load<u32>(from)) | (i < LIMBS - 1 ? u64(load<u8>(from + 4)) << 32 : 0);
    store<i32>(o + (usize(i) << 4) + (lane << 2), i32((word >> (at & 7)) & ((u64(1) << bits) - 1)));
    at += bits;
  }
}

/** The limbs of a lane as five of 51 bits. */
@inline
export function limb51(a: usize, lane: usize, i: i32): i64 {
  const at = a + (usize(i) << 5) + (lane << 2);
  return i64(load<i32>(at)) + (i64(load<i32>(at + 16)) << 26);
}

export function choose(o: usize, a: usize, b: usize, first: bool, second: bool): void {
  const mask = i64x2.splat(i64(u64(first ? 0xffffffff : 0) | (u64(second ? 0xffffffff : 0) << 32)));
  for (let i = 0; i < LIMBS; i++)
    v128.store(o + (usize(i) << 4), v128.bitselect(limb(a, i), limb(b, i), mask));
}

/** Writes a lane's limbs in a row. */
export function pack(compact: usize, a: usize, lane: usize): void {
  for (let i: usize = 0; i < 10; i++) store<i32>(compact + (i << 2), load<i32>(a + (i << 4) + (lane << 2)));
}

@inline
function gatherLimb(o: usize, first: usize, second: usize, i: usize): void {
  v128.store(o + (i << 4), v128.load32_lane(second + (i << 2), v128.load32_zero(first + (i << 2)), 1));
}

/** o = two packed elements side by side. */
export function gather(o: usize, first: usize, second: usize): void {
  gatherLimb(o, first, second, 0);
  gatherLimb(o, first, second, 1);
  gatherLimb(o, first, second, 2);
  gatherLimb(o, first, second, 3);
  gatherLimb(o, first, second, 4);
  gatherLimb(o, first, second, 5);
  gatherLimb(o, first, second, 6);
  gatherLimb(o, first, second, 7);
  gatherLimb(o, first, second, 8);
  gatherLimb(o, first, second, 9);
}

/** All ones in the lanes where a digit, below zero or not, is of this size. */
@inline
function isSize(size: v128, m: i32): v128 {
  return i32x4.eq(size, i32x4.splat(m));
}

@inline
function lanes(first: i32, second: i32): v128 {
  return i32x4.replace_lane(i32x4.splat(first), 1, second);
}

/** The limbs of eight pairs, `stride` apart, of which a mask lets one through, or none. */
@inline
function pairedLimb(at: usize, stride: usize, m1: v128, m2: v128, m3: v128, m4: v128, m5: v128, m6: v128, m7: v128, m8: v128): v128 {
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

/** Interleaves the lower, or upper, halves of two vectors by bytes and 16 bits. */
@inline
function low8(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
@inline
function high8(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
@inline
function low16(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
}
@inline
function high16(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
}

/** A byte of 16 entries: of `a` where the first two places exist, of `b` where the others do. */
@inline
function picked(a: usize, b: usize, first1: v128, second1: v128, first2: v128, second2: v128): v128 {
  return v128.or(
    v128.or(i8x16.swizzle(v128.load(a), first1), i8x16.swizzle(v128.load(a, 16), second1)),
    v128.or(i8x16.swizzle(v128.load(b), first2), i8x16.swizzle(v128.load(b, 16), second2)),
  );
}

/** Four lanes are those of two pairs. */
@inline
function putTwo(o: usize, lanes: v128): void {
  v128.store(o, lanes);
  v128.store(o + 640, i8x16.shuffle(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15));
}

/** One element of eight pairs; 1 where the masks say so. */
export function selectBytes(o: usize, a: usize, b: usize, first1: v128, second1: v128, first2: v128, second2: v128, one: v128): void {
  let b0 = v128.and(one, i8x16.splat(1));
  for (let i: usize = 0; i < 10; i++, a += 128, b += 128, o += 16) {
    const v0 = v128.or(b0, picked(a, b, first1, second1, first2, second2));
    const v1 = picked(a + 32, b + 32, first1, second1, first2, second2);
    const v2 = picked(a + 64, b + 64, first1, second1, first2, second2);
    const v3 = picked(a + 96, b + 96, first1, second1, first2, second2);
    b0 = i8x16.splat(0);
    const l0 = low8(v0, v1), l1 = low8(v2, v3), h0 = high8(v0, v1), h1 = high8(v2, v3);
    putTwo(o, low16(l0, l1));
    putTwo(o + 1280, high16(l0, l1));
    putTwo(o + 2560, low16(h0, h1));
    putTwo(o + 3840, high16(h0, h1));
  }
}

export function selectAddend(o: usize, table: usize, first: i32, second: i32): void {
  const below = lanes(first >> 31, second >> 31);
  const size = i32x4.sub(v128.xor(lanes(first, second), below), below);
  const m1 = isSize(size, 1), m2 = isSize(size, 2), m3 = isSize(size, 3), m4 = isSize(size, 4);
  const m5 = isSize(size, 5), m6 = isSize(size, 6), m7 = isSize(size, 7), m8 = isSize(size, 8);
  for (let i: usize = 0; i < 160; i += 16) {
    const at = table + i, to = o + i;
    const plus = pairedLimb(at, 640, m1, m2, m3, m4, m5, m6, m7, m8);
    const minus = pairedLimb(at + 160, 640, m1, m2, m3, m4, m5, m6, m7, m8);
    v128.store(to, v128.bitselect(minus, plus, below));
    v128.store(to + 160, v128.bitselect(plus, minus, below));
    v128.store(to + 320, pairedLimb(at + 320, 640, m1, m2, m3, m4, m5, m6, m7, m8));
    const t = pairedLimb(at + 480, 640, m1, m2, m3, m4, m5, m6, m7, m8);
    v128.store(to + 480, i32x4.sub(v128.xor(t, below), below));
  }
  const none = isSize(size, 0);
  const one = v128.and(i32x4.splat(1), none);
  v128.store(o, v128.or(limb(o, 0), one));
  v128.store(o + 160, v128.or(limb(o, 10), one));
  v128.store(o + 320, v128.or(limb(o, 20), v128.and(i32x4.splat(2), none)));
}
