/*
 * The field of 2^255 - 19 in pairs: two elements side by side, one a lane. A limb holds 51 bits as a double, so
 * that a fused multiply-add gives both halves of a product exactly:
 *
 *   hi = a*b + C1          the top half, in the low bits of the mantissa: C1 = 1.5*2^103 has steps of 2^51
 *   lo = a*b + (C2 - hi)   what is left, likewise: C2 = C1 + 1.5*2^52
 *
 * Read as integers, hi is bits(C1) + top and lo is bits(1.5*2^52) + rest, so halves are added up as integers in
 * columns and the constants are taken off once.
 *
 * Bounds. One unit is 2^50 + 2^15. Limbs of a settled element are within one unit of 0, either side. |a*b| must
 * stay below 2^102, so a product may be of 3 units by 1, or of 1 by 3, not of 2 by 2. Then |rest| <= 2^50 and
 * |top| <= 2^51, a folded column holds at most 1 rest and 19 * (4 rests + 5 tops), below 2^59, and combinations of
 * up to four columns stay below 2^61.
 */

import { high16, high32, high8, low16, low32, low8, pairedLimb } from './lanes';

const RADIX: i32 = 51;
/** bits(1.5*2^52) */
const LOW: u64 = 0x4338000000000000;
/** bits(1.5*2^103) */
const HIGH: u64 = 0x4668000000000000;
const HALF: u64 = 1 << 50;
/** Makes every column positive; a multiple of 2^51. */
const BIAS: u64 = 1 << 61;
const BIAS_CARRY: u64 = BIAS >> RADIX;

/** Constants stand in memory: as operands they are cheaper there than made anew. */
const C1 = memory.data<u64>([HIGH, HIGH], 16);
const C2 = memory.data<u64>([HIGH + 3, HIGH + 3], 16);
const MASK = memory.data<u64>([(1 << 51) - 1, (1 << 51) - 1], 16);
const MAGIC = memory.data<u64>([LOW, LOW], 16);
/** Turns remainder and carry into the bits of a double 1.5*2^52 above the limb. */
const TO_LIMB = memory.data<u64>([LOW - HALF - BIAS_CARRY, LOW - HALF - BIAS_CARRY], 16);
const TO_LIMB_0 = memory.data<u64>([LOW - HALF - 19 * BIAS_CARRY, LOW - HALF - 19 * BIAS_CARRY], 16);

/** What columns carry of the constants: of a product, and of a square, whose equal halves are added once. */
@inline
function productNoise(k: i32): u64 {
  const low = u64(k + 1), high = u64(k);
  const low5 = u64(4 - k), high5 = u64(5 - k);
  return low * LOW + high * HIGH + 19 * (low5 * LOW + high5 * HIGH);
}
// distinct pairs i <= j with i + j = k, 0 <= i, j <= 4
@inline
function pairs(k: i32): u64 {
  return k < 0 || k > 8 ? 0 : k <= 4 ? u64((k >> 1) + 1) : u64(((8 - k) >> 1) + 1);
}
@inline
function squareNoise(k: i32): u64 {
  return pairs(k) * LOW + pairs(k - 1) * HIGH + 19 * (pairs(k + 5) * LOW + pairs(k + 4) * HIGH);
}

/** Tables of what settles a column, one row of two lanes a column. */
const SETTLE_PRODUCT = memory.data(80, 16);
const SETTLE_SQUARE = memory.data(80, 16);
const SETTLE_TWO_PRODUCTS = memory.data(80, 16);
const SETTLE_TWO_SQUARES = memory.data(80, 16);
const SETTLE_NONE = memory.data(80, 16);

export function prepareField(): void {
  for (let k = 0; k < 5; k++) {
    const row = usize(k) << 4;
    const product = productNoise(k), square = squareNoise(k);
    v128.store(SETTLE_PRODUCT + row, i64x2.splat(BIAS + HALF - product));
    v128.store(SETTLE_SQUARE + row, i64x2.splat(BIAS + HALF - square));
    v128.store(SETTLE_TWO_PRODUCTS + row, i64x2.splat(BIAS + HALF - 2 * product));
    v128.store(SETTLE_TWO_SQUARES + row, i64x2.splat(BIAS + HALF - 2 * square));
    v128.store(SETTLE_NONE + row, i64x2.splat(BIAS + HALF));
  }
}

@inline
function limb(a: usize, i: usize): v128 {
  return v128.load(a + (i << 4));
}

@inline
function times19(x: v128): v128 {
  return i64x2.add(i64x2.add(i64x2.shl(x, 4), i64x2.shl(x, 1)), x);
}

@inline
function top(a: v128, b: v128): v128 {
  return f64x2.relaxed_madd(a, b, v128.load(C1));
}

@inline
function rest(a: v128, b: v128, hi: v128): v128 {
  return f64x2.relaxed_madd(a, b, f64x2.sub(v128.load(C2), hi));
}

/** Columns of a*b: 1 unit by 3, or 3 by 1. */
export function multiplyColumns(o: usize, a: usize, b: usize): void {
  const a0 = limb(a, 0), a1 = limb(a, 1), a2 = limb(a, 2), a3 = limb(a, 3), a4 = limb(a, 4);
  const b0 = limb(b, 0), b1 = limb(b, 1), b2 = limb(b, 2), b3 = limb(b, 3), b4 = limb(b, 4);
  let h: v128;
  h = top(a0, b4);
  let c5 = h;
  let c4 = rest(a0, b4, h);
  h = top(a1, b3);
  c5 = i64x2.add(c5, h);
  c4 = i64x2.add(c4, rest(a1, b3, h));
  h = top(a2, b2);
  c5 = i64x2.add(c5, h);
  c4 = i64x2.add(c4, rest(a2, b2, h));
  h = top(a3, b1);
  c5 = i64x2.add(c5, h);
  c4 = i64x2.add(c4, rest(a3, b1, h));
  h = top(a4, b0);
  c5 = i64x2.add(c5, h);
  c4 = i64x2.add(c4, rest(a4, b0, h));
  h = top(a1, b4);
  let c6 = h;
  c5 = i64x2.add(c5, rest(a1, b4, h));
  h = top(a2, b3);
  c6 = i64x2.add(c6, h);
  c5 = i64x2.add(c5, rest(a2, b3, h));
  h = top(a3, b2);
  c6 = i64x2.add(c6, h);
  c5 = i64x2.add(c5, rest(a3, b2, h));
  h = top(a4, b1);
  c6 = i64x2.add(c6, h);
  c5 = i64x2.add(c5, rest(a4, b1, h));
  h = top(a2, b4);
  let c7 = h;
  c6 = i64x2.add(c6, rest(a2, b4, h));
  h = top(a3, b3);
  c7 = i64x2.add(c7, h);
  c6 = i64x2.add(c6, rest(a3, b3, h));
  h = top(a4, b2);
  c7 = i64x2.add(c7, h);
  c6 = i64x2.add(c6, rest(a4, b2, h));
  h = top(a3, b4);
  let c8 = h;
  c7 = i64x2.add(c7, rest(a3, b4, h));
  h = top(a4, b3);
  c8 = i64x2.add(c8, h);
  c7 = i64x2.add(c7, rest(a4, b3, h));
  h = top(a4, b4);
  let c9 = h;
  c8 = i64x2.add(c8, rest(a4, b4, h));
  v128.store(o + 64, i64x2.add(c4, times19(c9)));
  let c0 = times19(c5);
  let c1 = times19(c6);
  let c2 = times19(c7);
  let c3 = times19(c8);
  h = top(a0, b0);
  c1 = i64x2.add(c1, h);
  c0 = i64x2.add(c0, rest(a0, b0, h));
  v128.store(o + 0, c0);
  h = top(a0, b1);
  c2 = i64x2.add(c2, h);
  c1 = i64x2.add(c1, rest(a0, b1, h));
  h = top(a1, b0);
  c2 = i64x2.add(c2, h);
  c1 = i64x2.add(c1, rest(a1, b0, h));
  v128.store(o + 16, c1);
  h = top(a0, b2);
  c3 = i64x2.add(c3, h);
  c2 = i64x2.add(c2, rest(a0, b2, h));
  h = top(a1, b1);
  c3 = i64x2.add(c3, h);
  c2 = i64x2.add(c2, rest(a1, b1, h));
  h = top(a2, b0);
  c3 = i64x2.add(c3, h);
  c2 = i64x2.add(c2, rest(a2, b0, h));
  v128.store(o + 32, c2);
  c4 = v128.load(o + 64);
  h = top(a0, b3);
  c4 = i64x2.add(c4, h);
  c3 = i64x2.add(c3, rest(a0, b3, h));
  h = top(a1, b2);
  c4 = i64x2.add(c4, h);
  c3 = i64x2.add(c3, rest(a1, b2, h));
  h = top(a2, b1);
  c4 = i64x2.add(c4, h);
  c3 = i64x2.add(c3, rest(a2, b1, h));
  h = top(a3, b0);
  c4 = i64x2.add(c4, h);
  c3 = i64x2.add(c3, rest(a3, b0, h));
  v128.store(o + 48, c3);
  v128.store(o + 64, c4);
}

/** Columns of a*a: 1 unit. */
export function squareColumns(o: usize, a: usize): void {
  const a0 = limb(a, 0), a1 = limb(a, 1), a2 = limb(a, 2), a3 = limb(a, 3), a4 = limb(a, 4);
  const d0 = f64x2.add(a0, a0);
  const d1 = f64x2.add(a1, a1);
  const d2 = f64x2.add(a2, a2);
  const d3 = f64x2.add(a3, a3);
  let h: v128;
  h = top(d0, a4);
  let c5 = h;
  let c4 = rest(d0, a4, h);
  h = top(d1, a3);
  c5 = i64x2.add(c5, h);
  c4 = i64x2.add(c4, rest(d1, a3, h));
  h = top(a2, a2);
  c5 = i64x2.add(c5, h);
  c4 = i64x2.add(c4, rest(a2, a2, h));
  h = top(d1, a4);
  let c6 = h;
  c5 = i64x2.add(c5, rest(d1, a4, h));
  h = top(d2, a3);
  c6 = i64x2.add(c6, h);
  c5 = i64x2.add(c5, rest(d2, a3, h));
  h = top(d2, a4);
  let c7 = h;
  c6 = i64x2.add(c6, rest(d2, a4, h));
  h = top(a3, a3);
  c7 = i64x2.add(c7, h);
  c6 = i64x2.add(c6, rest(a3, a3, h));
  h = top(d3, a4);
  let c8 = h;
  c7 = i64x2.add(c7, rest(d3, a4, h));
  h = top(a4, a4);
  let c9 = h;
  c8 = i64x2.add(c8, rest(a4, a4, h));
  c4 = i64x2.add(c4, times19(c9));
  let c0 = times19(c5);
  let c1 = times19(c6);
  let c2 = times19(c7);
  let c3 = times19(c8);
  h = top(a0, a0);
  c1 = i64x2.add(c1, h);
  c0 = i64x2.add(c0, rest(a0, a0, h));
  v128.store(o + 0, c0);
  h = top(d0, a1);
  c2 = i64x2.add(c2, h);
  c1 = i64x2.add(c1, rest(d0, a1, h));
  v128.store(o + 16, c1);
  h = top(d0, a2);
  c3 = i64x2.add(c3, h);
  c2 = i64x2.add(c2, rest(d0, a2, h));
  h = top(a1, a1);
  c3 = i64x2.add(c3, h);
  c2 = i64x2.add(c2, rest(a1, a1, h));
  v128.store(o + 32, c2);
  h = top(d0, a3);
  c4 = i64x2.add(c4, h);
  c3 = i64x2.add(c3, rest(d0, a3, h));
  h = top(d1, a2);
  c4 = i64x2.add(c4, h);
  c3 = i64x2.add(c3, rest(d1, a2, h));
  v128.store(o + 48, c3);
  v128.store(o + 64, c4);
}

/** Splits settled columns into limbs: what is above 51 bits goes one column up, from the last into the first. */
@inline
function carry(o: usize, t0: v128, t1: v128, t2: v128, t3: v128, t4: v128): void {
  const mask = v128.load(MASK), magic = v128.load(MAGIC), toLimb = v128.load(TO_LIMB);
  const q4 = times19(i64x2.shr_u(t4, RADIX));
  v128.store(o, f64x2.sub(i64x2.add(i64x2.add(v128.and(t0, mask), q4), v128.load(TO_LIMB_0)), magic));
  const q0 = i64x2.shr_u(t0, RADIX);
  v128.store(o + 16, f64x2.sub(i64x2.add(i64x2.add(v128.and(t1, mask), q0), toLimb), magic));
  const q1 = i64x2.shr_u(t1, RADIX);
  v128.store(o + 32, f64x2.sub(i64x2.add(i64x2.add(v128.and(t2, mask), q1), toLimb), magic));
  const q2 = i64x2.shr_u(t2, RADIX);
  v128.store(o + 48, f64x2.sub(i64x2.add(i64x2.add(v128.and(t3, mask), q2), toLimb), magic));
  const q3 = i64x2.shr_u(t3, RADIX);
  v128.store(o + 64, f64x2.sub(i64x2.add(i64x2.add(v128.and(t4, mask), q3), toLimb), magic));
}

@inline
function settle(o: usize, c: usize, table: usize): void {
  carry(
    o,
    i64x2.add(limb(c, 0), limb(table, 0)),
    i64x2.add(limb(c, 1), limb(table, 1)),
    i64x2.add(limb(c, 2), limb(table, 2)),
    i64x2.add(limb(c, 3), limb(table, 3)),
    i64x2.add(limb(c, 4), limb(table, 4)),
  );
}

@inline
function sumAt(c: usize, d: usize, table: usize, i: i32): v128 {
  return i64x2.add(i64x2.add(limb(c, i), limb(d, i)), limb(table, i));
}

/** o = c + d */
export function settleSum(o: usize, c: usize, d: usize, table: usize): void {
  carry(o, sumAt(c, d, table, 0), sumAt(c, d, table, 1), sumAt(c, d, table, 2), sumAt(c, d, table, 3), sumAt(c, d, table, 4));
}

@inline
function differenceAt(c: usize, d: usize, i: i32): v128 {
  return i64x2.add(i64x2.sub(limb(c, i), limb(d, i)), limb(SETTLE_NONE, i));
}

/** o = c - d; both products, or both squares. */
export function settleDifference(o: usize, c: usize, d: usize): void {
  carry(o, differenceAt(c, d, 0), differenceAt(c, d, 1), differenceAt(c, d, 2), differenceAt(c, d, 3), differenceAt(c, d, 4));
}

@inline
function twiceAt(c: usize, d: usize, e: usize, i: i32): v128 {
  return i64x2.add(i64x2.sub(i64x2.add(i64x2.shl(limb(c, i), 1), limb(d, i)), limb(e, i)), limb(SETTLE_TWO_SQUARES, i));
}

/** o = 2c + d - e of squares. */
export function settleTwicePlusMinus(o: usize, c: usize, d: usize, e: usize): void {
  carry(o, twiceAt(c, d, e, 0), twiceAt(c, d, e, 1), twiceAt(c, d, e, 2), twiceAt(c, d, e, 3), twiceAt(c, d, e, 4));
}

@inline
function doubledAt(c: usize, i: i32): v128 {
  return i64x2.add(i64x2.shl(limb(c, i), 1), limb(SETTLE_TWO_PRODUCTS, i));
}

/** o = 2c of a product. */
export function settleTwice(o: usize, c: usize): void {
  carry(o, doubledAt(c, 0), doubledAt(c, 1), doubledAt(c, 2), doubledAt(c, 3), doubledAt(c, 4));
}

/** o = c of a square. */
export function settleSquare(o: usize, c: usize): void {
  settle(o, c, SETTLE_SQUARE);
}

/** o = c settled, of one product. */
export function settleProduct(o: usize, c: usize): void {
  settle(o, c, SETTLE_PRODUCT);
}

/** o = c + d of squares. */
export function settleSquares(o: usize, c: usize, d: usize): void {
  settleSum(o, c, d, SETTLE_TWO_SQUARES);
}

/** o = c + d of products. */
export function settleProducts(o: usize, c: usize, d: usize): void {
  settleSum(o, c, d, SETTLE_TWO_PRODUCTS);
}

/** o = a + b, as many units as both together. */
export function add(o: usize, a: usize, b: usize): void {
  v128.store(o, f64x2.add(limb(a, 0), limb(b, 0)));
  v128.store(o + 16, f64x2.add(limb(a, 1), limb(b, 1)));
  v128.store(o + 32, f64x2.add(limb(a, 2), limb(b, 2)));
  v128.store(o + 48, f64x2.add(limb(a, 3), limb(b, 3)));
  v128.store(o + 64, f64x2.add(limb(a, 4), limb(b, 4)));
}

/** o = a - b, as many units as both together. */
export function subtract(o: usize, a: usize, b: usize): void {
  v128.store(o, f64x2.sub(limb(a, 0), limb(b, 0)));
  v128.store(o + 16, f64x2.sub(limb(a, 1), limb(b, 1)));
  v128.store(o + 32, f64x2.sub(limb(a, 2), limb(b, 2)));
  v128.store(o + 48, f64x2.sub(limb(a, 3), limb(b, 3)));
  v128.store(o + 64, f64x2.sub(limb(a, 4), limb(b, 4)));
}

@inline
function above(a: v128): v128 {
  const steps = v128.load(C1);
  return f64x2.sub(f64x2.add(a, steps), steps);
}

/** o = a within one unit; a of up to 8 units, which doubles hold exactly. */
export function settleElement(o: usize, a: usize): void {
  const l0 = limb(a, 0), l1 = limb(a, 1), l2 = limb(a, 2), l3 = limb(a, 3), l4 = limb(a, 4);
  const q0 = above(l0), q1 = above(l1), q2 = above(l2), q3 = above(l3), q4 = above(l4);
  const down = f64x2.splat(1.0 / 2251799813685248.0);
  v128.store(o, f64x2.add(f64x2.sub(l0, q0), f64x2.mul(q4, f64x2.splat(19.0 / 2251799813685248.0))));
  v128.store(o + 16, f64x2.add(f64x2.sub(l1, q1), f64x2.mul(q0, down)));
  v128.store(o + 32, f64x2.add(f64x2.sub(l2, q2), f64x2.mul(q1, down)));
  v128.store(o + 48, f64x2.add(f64x2.sub(l3, q3), f64x2.mul(q2, down)));
  v128.store(o + 64, f64x2.add(f64x2.sub(l4, q4), f64x2.mul(q3, down)));
}

/** o = value, in both lanes. */
export function setSmall(o: usize, value: i32): void {
  memory.fill(o, 0, 80);
  v128.store(o, f64x2.splat(f64(value)));
}

/** Puts 255 bits of 32 bytes into a lane, of 2 units. */
export function read(o: usize, lane: usize, bytes: usize): void {
  const w0 = load<u64>(bytes), w1 = load<u64>(bytes + 8), w2 = load<u64>(bytes + 16), w3 = load<u64>(bytes + 24);
  const m: u64 = (1 << 51) - 1;
  setLimb(o, lane, 0, w0 & m);
  setLimb(o, lane, 1, ((w0 >> 51) | (w1 << 13)) & m);
  setLimb(o, lane, 2, ((w1 >> 38) | (w2 << 26)) & m);
  setLimb(o, lane, 3, ((w2 >> 25) | (w3 << 39)) & m);
  setLimb(o, lane, 4, (w3 >> 12) & m);
}

@inline
function setLimb(o: usize, lane: usize, i: usize, value: u64): void {
  store<f64>(o + (i << 4) + (lane << 3), f64(value));
}

/** The limbs of a lane. */
@inline
export function limb51(a: usize, lane: usize, i: i32): i64 {
  return i64(load<f64>(a + (i << 4) + (lane << 3)));
}

/** o = a in lanes where that is asked, b elsewhere. */
export function choose(o: usize, a: usize, b: usize, first: bool, second: bool): void {
  const mask = i64x2.replace_lane(i64x2.splat(first ? -1 : 0), 1, second ? -1 : 0);
  for (let i = 0; i < 5; i++)
    v128.store(o + (usize(i) << 4), v128.bitselect(limb(a, i), limb(b, i), mask));
}

/** Writes a lane's limbs in a row. */
export function pack(compact: usize, a: usize, lane: usize): void {
  for (let i: usize = 0; i < 5; i++) store<f64>(compact + (i << 3), load<f64>(a + (i << 4) + (lane << 3)));
}

@inline
function gatherLimb(o: usize, first: usize, second: usize, i: usize): void {
  v128.store(o + (i << 4), v128.load64_lane(second + (i << 3), v128.load64_zero(first + (i << 3)), 1));
}

/** o = two packed elements side by side. */
export function gather(o: usize, first: usize, second: usize): void {
  gatherLimb(o, first, second, 0);
  gatherLimb(o, first, second, 1);
  gatherLimb(o, first, second, 2);
  gatherLimb(o, first, second, 3);
  gatherLimb(o, first, second, 4);
}

const SIGN = memory.data<u64>([1 << 63, 1 << 63], 16);

/** All ones in the lanes where a digit, below zero or not, is of this size. */
@inline
function isSize(size: v128, m: i64): v128 {
  return i64x2.eq(size, i64x2.splat(m));
}

@inline
function lanes(first: i32, second: i32): v128 {
  return i64x2.replace_lane(i64x2.splat(i64(first)), 1, i64(second));
}

/** A byte of 16 entries: of `a` where the first two places exist, of `b` where the others do. */
@inline
function picked(a: usize, b: usize, first1: v128, second1: v128, first2: v128, second2: v128): v128 {
  return v128.or(
    v128.or(i8x16.relaxed_swizzle(v128.load(a), first1), i8x16.relaxed_swizzle(v128.load(a, 16), second1)),
    v128.or(i8x16.relaxed_swizzle(v128.load(b), first2), i8x16.relaxed_swizzle(v128.load(b, 16), second2)),
  );
}

const ONE_6 = memory.data<u8>([0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0], 16);
const ONE_7 = memory.data<u8>([0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f], 16);

/** One element of eight pairs; 1 where the masks say so, whose double is 3ff00000 00000000. */
export function selectBytes(o: usize, a: usize, b: usize, first1: v128, second1: v128, first2: v128, second2: v128, one: v128): void {
  let b6 = v128.and(one, v128.load(ONE_6)), b7 = v128.and(one, v128.load(ONE_7));
  for (let i: usize = 0; i < 5; i++, a += 256, b += 256, o += 16) {
    const v0 = picked(a + 0, b + 0, first1, second1, first2, second2);
    const v1 = picked(a + 32, b + 32, first1, second1, first2, second2);
    const v2 = picked(a + 64, b + 64, first1, second1, first2, second2);
    const v3 = picked(a + 96, b + 96, first1, second1, first2, second2);
    const v4 = picked(a + 128, b + 128, first1, second1, first2, second2);
    const v5 = picked(a + 160, b + 160, first1, second1, first2, second2);
    const v6 = v128.or(b6, picked(a + 192, b + 192, first1, second1, first2, second2));
    const v7 = v128.or(b7, picked(a + 224, b + 224, first1, second1, first2, second2));
    b6 = i8x16.splat(0);
    b7 = i8x16.splat(0);
    const l0 = low8(v0, v1), l1 = low8(v2, v3), l2 = low8(v4, v5), l3 = low8(v6, v7);
    const ll0 = low16(l0, l1), ll1 = low16(l2, l3), lh0 = high16(l0, l1), lh1 = high16(l2, l3);
    v128.store(o, low32(ll0, ll1));
    v128.store(o + 320, high32(ll0, ll1));
    v128.store(o + 640, low32(lh0, lh1));
    v128.store(o + 960, high32(lh0, lh1));
    const h0 = high8(v0, v1), h1 = high8(v2, v3), h2 = high8(v4, v5), h3 = high8(v6, v7);
    const hl0 = low16(h0, h1), hl1 = low16(h2, h3), hh0 = high16(h0, h1), hh1 = high16(h2, h3);
    v128.store(o + 1280, low32(hl0, hl1));
    v128.store(o + 1600, high32(hl0, hl1));
    v128.store(o + 1920, low32(hh0, hh1));
    v128.store(o + 2240, high32(hh0, hh1));
  }
}

export function selectAddend(o: usize, table: usize, first: i32, second: i32): void {
  const below = lanes(first >> 31, second >> 31);
  const size = i64x2.sub(v128.xor(lanes(first, second), below), below);
  const m1 = isSize(size, 1), m2 = isSize(size, 2), m3 = isSize(size, 3), m4 = isSize(size, 4);
  const m5 = isSize(size, 5), m6 = isSize(size, 6), m7 = isSize(size, 7), m8 = isSize(size, 8);
  for (let i: usize = 0; i < 80; i += 16) {
    const at = table + i, to = o + i;
    const plus = pairedLimb(at, 320, m1, m2, m3, m4, m5, m6, m7, m8);
    const minus = pairedLimb(at + 80, 320, m1, m2, m3, m4, m5, m6, m7, m8);
    v128.store(to, v128.bitselect(minus, plus, below));
    v128.store(to + 80, v128.bitselect(plus, minus, below));
    v128.store(to + 160, pairedLimb(at + 160, 320, m1, m2, m3, m4, m5, m6, m7, m8));
    const t = pairedLimb(at + 240, 320, m1, m2, m3, m4, m5, m6, m7, m8);
    v128.store(to + 240, v128.xor(t, v128.and(below, v128.load(SIGN))));
  }
  const none = isSize(size, 0);
  const one = v128.and(f64x2.splat(1), none);
  v128.store(o, v128.or(limb(o, 0), one));
  v128.store(o + 80, v128.or(limb(o, 5), one));
  v128.store(o + 160, v128.or(limb(o, 10), v128.and(f64x2.splat(2), none)));
}
