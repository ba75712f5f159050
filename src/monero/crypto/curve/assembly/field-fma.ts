/*
 * Arithmetic modulo 2^255 - 19 on pairs of elements, one in each vector lane, with fused multiply-add. An element has
 * five limbs of 51 bits, each a double, so that both halves of a product are computed exactly:
 *
 *   hi = a*b + C1          the high half, in the low bits of the mantissa: C1 = 1.5*2^103 has steps of 2^51
 *   lo = a*b + (C2 - hi)   the low half, in the same place: C2 = C1 + 1.5*2^52
 *
 * Read as integers, hi is bits(C1) + high and lo is bits(1.5*2^52) + low. Halves are summed in columns as integers, and
 * the constants are subtracted once a column.
 *
 * Bounds. One unit is 2^50 + 2^15. The limbs of a reduced element are at most one unit in absolute value. |a*b| must
 * stay below 2^102: factors may have 3 units and 1, or 1 and 3, but not 2 and 2. Then |low| <= 2^50 and |high| <= 2^51,
 * a folded column holds at most 1 low half and 19 * (4 low halves + 5 high halves), below 2^59, and combinations of up
 * to four columns stay below 2^61.
 *
 * The file is long because most functions name every limb: AssemblyScript does not unroll loops.
 */

const RADIX: i32 = 51;
/** The bits of the double 1.5*2^52. */
const LOW: u64 = 0x4338000000000000;
/** The bits of the double 1.5*2^103. */
const HIGH: u64 = 0x4668000000000000;
const HALF: u64 = 1 << 50;
/** Number that is added to every column to make the column positive: a multiple of 2^51. */
const BIAS: u64 = 1 << 61;
const BIAS_CARRY: u64 = BIAS >> RADIX;

/** Constants are kept in memory: V8 uses them as operands there, which is cheaper than to build them again. */
const C1 = memory.data<u64>([HIGH, HIGH], 16);
const C2 = memory.data<u64>([HIGH + 3, HIGH + 3], 16);
/** The number 19 for multiplications in 32-bit lanes, every other of which is zero. */
const NINETEEN = memory.data<u64>([19, 19], 16);
/** Offset of the difference of two columns, whose constants cancel out. */
const OFFSET_DIFFERENCE = memory.data<u64>([BIAS + HALF, BIAS + HALF], 16);
const MASK = memory.data<u64>([(1 << 51) - 1, (1 << 51) - 1], 16);
const MAGIC = memory.data<u64>([LOW, LOW], 16);
/** Added to remainder and carry: gives the bits of the double 1.5*2^52 + limb. */
const TO_LIMB = memory.data<u64>([LOW - HALF - BIAS_CARRY, LOW - HALF - BIAS_CARRY], 16);
const TO_LIMB_0 = memory.data<u64>([LOW - HALF - 19 * BIAS_CARRY, LOW - HALF - 19 * BIAS_CARRY], 16);

/** Offsets of the columns of a product with a small number: the first one has a high half 19 times. */
const OFFSET_SMALL = memory.data<u64>([BIAS + HALF - LOW - HIGH, BIAS + HALF - LOW - HIGH], 16);
const OFFSET_SMALL_0 = memory.data<u64>([BIAS + HALF - LOW - 19 * HIGH, BIAS + HALF - LOW - 19 * HIGH], 16);

/** Sum of the constants in column k of a product, and of a square, where equal products are added once. */
@inline
function productConstants(k: i32): u64 {
  const low = u64(k + 1), high = u64(k);
  const low5 = u64(4 - k), high5 = u64(5 - k);
  return low * LOW + high * HIGH + 19 * (low5 * LOW + high5 * HIGH);
}
// Number of pairs i <= j with i + j = k and 0 <= i, j <= 4.
@inline
function pairs(k: i32): u64 {
  return k < 0 || k > 8 ? 0 : k <= 4 ? u64((k >> 1) + 1) : u64(((8 - k) >> 1) + 1);
}
@inline
function squareConstants(k: i32): u64 {
  return pairs(k) * LOW + pairs(k - 1) * HIGH + 19 * (pairs(k + 5) * LOW + pairs(k + 4) * HIGH);
}

/** Offsets that remove the constants of a column and make it positive: a row of two lanes for each column. */
const OFFSET_PRODUCT = memory.data(80, 16);
const OFFSET_SQUARE = memory.data(80, 16);
const OFFSET_TWO_PRODUCTS = memory.data(80, 16);
const OFFSET_TWO_SQUARES = memory.data(80, 16);

export function prepareField(): void {
  for (let k = 0; k < 5; k++) {
    const row = usize(k) << 4;
    const product = productConstants(k), square = squareConstants(k);
    v128.store(OFFSET_PRODUCT + row, i64x2.splat(BIAS + HALF - product));
    v128.store(OFFSET_SQUARE + row, i64x2.splat(BIAS + HALF - square));
    v128.store(OFFSET_TWO_PRODUCTS + row, i64x2.splat(BIAS + HALF - 2 * product));
    v128.store(OFFSET_TWO_SQUARES + row, i64x2.splat(BIAS + HALF - 2 * square));
  }
}

/** Returns limb i of a pair of elements. */
@inline
export function limb(a: usize, i: usize): v128 {
  return v128.load(a + (i << 4));
}

@inline
function times19(x: v128): v128 {
  return i64x2.add(i64x2.add(i64x2.shl(x, 4), i64x2.shl(x, 1)), x);
}

@inline
function high(a: v128, b: v128, c1: v128): v128 {
  return f64x2.relaxed_madd(a, b, c1);
}

@inline
function low(a: v128, b: v128, c2: v128, hi: v128): v128 {
  return f64x2.relaxed_madd(a, b, f64x2.sub(c2, hi));
}

/*
 * Products and squares compute the same sums, with h(ij) and l(ij) the high and the low half of a(i)*b(j):
 *
 *   S(d) = sum of l(ij), i + j = d, and of h(ij), i + j = d - 1      for d = 0 to 9
 *   column k = S(k) + 19*S(k + 5)
 *
 * V8 moves every pure operation of a block to the place where its result is needed, interleaves all sums, and then runs
 * out of registers; only loads and stores keep their order. Therefore each S(d) is stored (SUMS) before the next sum
 * begins, and so is the sum of the high halves that the next sum begins with, which is not read there (PIN).
 *
 * A product with carries may overwrite its operands: limbs are written after their last read.
 */
const SUMS = memory.data(160, 16);
const PIN = memory.data(16, 16);

/** Wipes the sums of the last products. */
export function wipeField(): void {
  memory.fill(SUMS, 0, 160);
  memory.fill(PIN, 0, 16);
}

/**
 * Stores S(d), to which one product contributes.
 * @param highs sum of the high halves in S(d).
 * @returns the sum of the high halves in S(d + 1).
 */
@inline
function sumOf1(d: i32, highs: v128, x0: v128, y0: v128): v128 {
  const c1 = v128.load(C1), c2 = v128.load(C2);
  const h0 = high(x0, y0, c1), l0 = low(x0, y0, c2, h0);
  // S(0) has no high halves.
  v128.store(SUMS + (d << 4), d == 0 ? l0 : i64x2.add(highs, l0));
  v128.store(PIN, h0);
  return h0;
}

/** Stores S(d), to which two products contribute; see {@link sumOf1}. */
@inline
function sumOf2(d: i32, highs: v128, x0: v128, y0: v128, x1: v128, y1: v128): v128 {
  const c1 = v128.load(C1), c2 = v128.load(C2);
  const h0 = high(x0, y0, c1), l0 = low(x0, y0, c2, h0);
  const h1 = high(x1, y1, c1), l1 = low(x1, y1, c2, h1);
  v128.store(SUMS + (d << 4), i64x2.add(highs, i64x2.add(l0, l1)));
  const next = i64x2.add(h0, h1);
  v128.store(PIN, next);
  return next;
}

/** Stores S(d), to which three products contribute; see {@link sumOf1}. */
@inline
function sumOf3(d: i32, highs: v128, x0: v128, y0: v128, x1: v128, y1: v128, x2: v128, y2: v128): v128 {
  const c1 = v128.load(C1), c2 = v128.load(C2);
  const h0 = high(x0, y0, c1), l0 = low(x0, y0, c2, h0);
  const h1 = high(x1, y1, c1), l1 = low(x1, y1, c2, h1);
  const h2 = high(x2, y2, c1), l2 = low(x2, y2, c2, h2);
  v128.store(SUMS + (d << 4), i64x2.add(highs, i64x2.add(i64x2.add(l0, l1), l2)));
  const next = i64x2.add(i64x2.add(h0, h1), h2);
  v128.store(PIN, next);
  return next;
}

/** Stores S(d), to which four products contribute; see {@link sumOf1}. */
@inline
function sumOf4(d: i32, highs: v128, x0: v128, y0: v128, x1: v128, y1: v128, x2: v128, y2: v128, x3: v128, y3: v128): v128 {
  const c1 = v128.load(C1), c2 = v128.load(C2);
  const h0 = high(x0, y0, c1), l0 = low(x0, y0, c2, h0);
  const h1 = high(x1, y1, c1), l1 = low(x1, y1, c2, h1);
  const h2 = high(x2, y2, c1), l2 = low(x2, y2, c2, h2);
  const h3 = high(x3, y3, c1), l3 = low(x3, y3, c2, h3);
  v128.store(SUMS + (d << 4), i64x2.add(highs, i64x2.add(i64x2.add(i64x2.add(l0, l1), l2), l3)));
  const next = i64x2.add(i64x2.add(i64x2.add(h0, h1), h2), h3);
  v128.store(PIN, next);
  return next;
}

/** Stores S(d), to which five products contribute; see {@link sumOf1}. */
@inline
function sumOf5(d: i32, highs: v128, x0: v128, y0: v128, x1: v128, y1: v128, x2: v128, y2: v128, x3: v128, y3: v128, x4: v128, y4: v128): v128 {
  const c1 = v128.load(C1), c2 = v128.load(C2);
  const h0 = high(x0, y0, c1), l0 = low(x0, y0, c2, h0);
  const h1 = high(x1, y1, c1), l1 = low(x1, y1, c2, h1);
  const h2 = high(x2, y2, c1), l2 = low(x2, y2, c2, h2);
  const h3 = high(x3, y3, c1), l3 = low(x3, y3, c2, h3);
  const h4 = high(x4, y4, c1), l4 = low(x4, y4, c2, h4);
  v128.store(SUMS + (d << 4), i64x2.add(highs, i64x2.add(i64x2.add(i64x2.add(i64x2.add(l0, l1), l2), l3), l4)));
  const next = i64x2.add(i64x2.add(i64x2.add(i64x2.add(h0, h1), h2), h3), h4);
  v128.store(PIN, next);
  return next;
}

/** Stores the ten sums S(d), as defined above, of the product a*b. */
@inline
function sumProducts(a: usize, b: usize): void {
  const a0 = limb(a, 0), a1 = limb(a, 1), a2 = limb(a, 2), a3 = limb(a, 3), a4 = limb(a, 4);
  const b0 = limb(b, 0), b1 = limb(b, 1), b2 = limb(b, 2), b3 = limb(b, 3), b4 = limb(b, 4);
  const h0 = sumOf1(0, i64x2.splat(0), a0, b0);
  const h1 = sumOf2(1, h0, a0, b1, a1, b0);
  const h2 = sumOf3(2, h1, a0, b2, a1, b1, a2, b0);
  const h3 = sumOf4(3, h2, a0, b3, a1, b2, a2, b1, a3, b0);
  const h4 = sumOf5(4, h3, a0, b4, a1, b3, a2, b2, a3, b1, a4, b0);
  const h5 = sumOf4(5, h4, a1, b4, a2, b3, a3, b2, a4, b1);
  const h6 = sumOf3(6, h5, a2, b4, a3, b3, a4, b2);
  const h7 = sumOf2(7, h6, a3, b4, a4, b3);
  const h8 = sumOf1(8, h7, a4, b4);
  v128.store(SUMS + 144, h8);
}

/** Stores the sums S(d), as defined above, of the square a*a. Equal products are added once, with a doubled limb. */
@inline
function sumSquares(a0: v128, a1: v128, a2: v128, a3: v128, a4: v128): void {
  const d0 = f64x2.add(a0, a0), d1 = f64x2.add(a1, a1), d2 = f64x2.add(a2, a2), d3 = f64x2.add(a3, a3);
  const h0 = sumOf1(0, i64x2.splat(0), a0, a0);
  const h1 = sumOf1(1, h0, d0, a1);
  const h2 = sumOf2(2, h1, d0, a2, a1, a1);
  const h3 = sumOf2(3, h2, d0, a3, d1, a2);
  const h4 = sumOf3(4, h3, d0, a4, d1, a3, a2, a2);
  const h5 = sumOf2(5, h4, d1, a4, d2, a3);
  const h6 = sumOf2(6, h5, d2, a4, a3, a3);
  const h7 = sumOf1(7, h6, d3, a4);
  const h8 = sumOf1(8, h7, a4, a4);
  v128.store(SUMS + 144, h8);
}

/** Returns column k of the last sums. */
@inline
function column(k: i32): v128 {
  return i64x2.add(times19(limb(SUMS, k + 5)), limb(SUMS, k));
}

@inline
function storeColumns(o: usize): void {
  v128.store(o, column(0));
  v128.store(o + 16, column(1));
  v128.store(o + 32, column(2));
  v128.store(o + 48, column(3));
  v128.store(o + 64, column(4));
}

/** Computes o = columns of a*b, of 1 unit and 3, or 3 and 1. @param o must not overlap a or b. */
@inline
export function multiplyColumns(o: usize, a: usize, b: usize): void {
  sumProducts(a, b);
  storeColumns(o);
}

/** Computes o = columns of a*a, of 1 unit. @param o must not overlap a. */
@inline
export function squareColumns(o: usize, a: usize): void {
  sumSquares(limb(a, 0), limb(a, 1), limb(a, 2), limb(a, 3), limb(a, 4));
  storeColumns(o);
}

@inline
function storeLimb(o: usize, twice: bool, i: i32, limb: v128): void {
  v128.store(o + (i << 4), twice ? f64x2.add(limb, limb) : limb);
}

/** Computes o = a*b or, if `twice`, 2*a*b, of 1 unit and 3, or 3 and 1. */
@inline
export function product(o: usize, a: usize, b: usize, twice: bool): void {
  sumProducts(a, b);
  const mask = v128.load(MASK), toLimb = v128.load(TO_LIMB), magic = v128.load(MAGIC);
  const t4 = i64x2.add(column(4), limb(OFFSET_PRODUCT, 4));
  const t3 = i64x2.add(column(3), limb(OFFSET_PRODUCT, 3));
  storeLimb(o, twice, 4, nextLimb(t4, t3, mask, toLimb, magic));
  const t2 = i64x2.add(column(2), limb(OFFSET_PRODUCT, 2));
  storeLimb(o, twice, 3, nextLimb(t3, t2, mask, toLimb, magic));
  const t1 = i64x2.add(column(1), limb(OFFSET_PRODUCT, 1));
  storeLimb(o, twice, 2, nextLimb(t2, t1, mask, toLimb, magic));
  const t0 = i64x2.add(column(0), limb(OFFSET_PRODUCT, 0));
  storeLimb(o, twice, 1, nextLimb(t1, t0, mask, toLimb, magic));
  storeLimb(o, twice, 0, firstLimb(t0, t4, mask, magic));
}

/** Computes o = a*b, of 1 unit and 3, or 3 and 1. */
export function multiply(o: usize, a: usize, b: usize): void {
  product(o, a, b, false);
}

/**
 * Computes o = a*n, of up to 3 units; 0 <= n <= 2^20. A column is the low half of its limb's product and the high half of the
 * product below; the last high half counts 19 times in the first column.
 */
export function multiplySmall(o: usize, a: usize, n: f64): void {
  const c1 = v128.load(C1), c2 = v128.load(C2), b = f64x2.splat(n);
  const a0 = limb(a, 0), a1 = limb(a, 1), a2 = limb(a, 2), a3 = limb(a, 3), a4 = limb(a, 4);
  const h0 = high(a0, b, c1), h1 = high(a1, b, c1), h2 = high(a2, b, c1), h3 = high(a3, b, c1), h4 = high(a4, b, c1);
  const mask = v128.load(MASK), toLimb = v128.load(TO_LIMB), magic = v128.load(MAGIC), offset = v128.load(OFFSET_SMALL);
  const t4 = i64x2.add(i64x2.add(low(a4, b, c2, h4), h3), offset);
  const t3 = i64x2.add(i64x2.add(low(a3, b, c2, h3), h2), offset);
  storeReduced(o, 4, t4, t3, mask, toLimb, magic);
  const t2 = i64x2.add(i64x2.add(low(a2, b, c2, h2), h1), offset);
  storeReduced(o, 3, t3, t2, mask, toLimb, magic);
  const t1 = i64x2.add(i64x2.add(low(a1, b, c2, h1), h0), offset);
  storeReduced(o, 2, t2, t1, mask, toLimb, magic);
  const t0 = i64x2.add(i64x2.add(low(a0, b, c2, h0), times19(h4)), v128.load(OFFSET_SMALL_0));
  storeReduced(o, 1, t1, t0, mask, toLimb, magic);
  storeFirst(o, t0, t4, mask, magic);
}

/** Computes o = a*a, of 1 unit. */
export function square(o: usize, a: usize): void {
  squareTimes(o, a, 1);
}

/** Computes o = a^(2^n), of 1 unit. The limbs stay in registers between squarings. */
export function squareTimes(o: usize, a: usize, n: i32): void {
  let a0 = limb(a, 0), a1 = limb(a, 1), a2 = limb(a, 2), a3 = limb(a, 3), a4 = limb(a, 4);
  do {
    sumSquares(a0, a1, a2, a3, a4);
    const mask = v128.load(MASK), toLimb = v128.load(TO_LIMB), magic = v128.load(MAGIC);
    const t4 = i64x2.add(column(4), limb(OFFSET_SQUARE, 4));
    const t3 = i64x2.add(column(3), limb(OFFSET_SQUARE, 3));
    a4 = nextLimb(t4, t3, mask, toLimb, magic);
    const t2 = i64x2.add(column(2), limb(OFFSET_SQUARE, 2));
    a3 = nextLimb(t3, t2, mask, toLimb, magic);
    const t1 = i64x2.add(column(1), limb(OFFSET_SQUARE, 1));
    a2 = nextLimb(t2, t1, mask, toLimb, magic);
    const t0 = i64x2.add(column(0), limb(OFFSET_SQUARE, 0));
    a1 = nextLimb(t1, t0, mask, toLimb, magic);
    a0 = firstLimb(t0, t4, mask, magic);
  } while (--n);
  v128.store(o, a0);
  v128.store(o + 16, a1);
  v128.store(o + 32, a2);
  v128.store(o + 48, a3);
  v128.store(o + 64, a4);
}

/** Returns a limb: the low 51 bits of its column t, plus the carry of the column below, both with their offsets. */
@inline
function nextLimb(t: v128, below: v128, mask: v128, toLimb: v128, magic: v128): v128 {
  return f64x2.sub(i64x2.add(i64x2.add(v128.and(t, mask), i64x2.shr_u(below, RADIX)), toLimb), magic);
}

/** Returns limb 0, to which the carry of the last column is added 19 times. */
@inline
function firstLimb(t: v128, last: v128, mask: v128, magic: v128): v128 {
  const carry = i32x4.mul(i64x2.shr_u(last, RADIX), v128.load(NINETEEN));
  return f64x2.sub(i64x2.add(i64x2.add(v128.and(t, mask), carry), v128.load(TO_LIMB_0)), magic);
}

/** Stores limb i of an element with column i = t and column i - 1 = `below`, both with their offsets. */
@inline
function storeReduced(o: usize, i: i32, t: v128, below: v128, mask: v128, toLimb: v128, magic: v128): void {
  v128.store(o + (i << 4), nextLimb(t, below, mask, toLimb, magic));
}

/** Stores limb 0 of an element with column 0 = t and column 4 = `last`. */
@inline
function storeFirst(o: usize, t: v128, last: v128, mask: v128, magic: v128): void {
  v128.store(o, firstLimb(t, last, mask, magic));
}

@inline
function sumAt(c: v128, d: v128, table: usize, i: i32): v128 {
  return i64x2.add(i64x2.add(c, d), limb(table, i));
}

@inline
function differenceAt(c: v128, d: v128, level: v128): v128 {
  return i64x2.add(i64x2.sub(c, d), level);
}

/** Reduces sum = c + d and difference = c - d, of columns of products. */
@inline
export function carrySumAndDifference(sum: usize, difference: usize, c: usize, d: usize): void {
  const mask = v128.load(MASK), toLimb = v128.load(TO_LIMB), magic = v128.load(MAGIC), level = v128.load(OFFSET_DIFFERENCE);
  const c4 = limb(c, 4), d4 = limb(d, 4);
  const s4 = sumAt(c4, d4, OFFSET_TWO_PRODUCTS, 4), t4 = differenceAt(c4, d4, level);
  const c3 = limb(c, 3), d3 = limb(d, 3);
  const s3 = sumAt(c3, d3, OFFSET_TWO_PRODUCTS, 3), t3 = differenceAt(c3, d3, level);
  storeReduced(sum, 4, s4, s3, mask, toLimb, magic);
  storeReduced(difference, 4, t4, t3, mask, toLimb, magic);
  const c2 = limb(c, 2), d2 = limb(d, 2);
  const s2 = sumAt(c2, d2, OFFSET_TWO_PRODUCTS, 2), t2 = differenceAt(c2, d2, level);
  storeReduced(sum, 3, s3, s2, mask, toLimb, magic);
  storeReduced(difference, 3, t3, t2, mask, toLimb, magic);
  const c1 = limb(c, 1), d1 = limb(d, 1);
  const s1 = sumAt(c1, d1, OFFSET_TWO_PRODUCTS, 1), t1 = differenceAt(c1, d1, level);
  storeReduced(sum, 2, s2, s1, mask, toLimb, magic);
  storeReduced(difference, 2, t2, t1, mask, toLimb, magic);
  const c0 = limb(c, 0), d0 = limb(d, 0);
  const s0 = sumAt(c0, d0, OFFSET_TWO_PRODUCTS, 0), t0 = differenceAt(c0, d0, level);
  storeReduced(sum, 1, s1, s0, mask, toLimb, magic);
  storeReduced(difference, 1, t1, t0, mask, toLimb, magic);
  storeFirst(sum, s0, s4, mask, magic);
  storeFirst(difference, t0, t4, mask, magic);
}

/** Returns limb i of 2c - (b - a), with its offset. */
@inline
function twiceLess(c: v128, difference: v128, i: i32): v128 {
  return i64x2.add(i64x2.sub(i64x2.add(c, c), difference), limb(OFFSET_TWO_SQUARES, i));
}

/** Reduces g = b - a, h = b + a and f = 2c - g, of columns of squares. */
@inline
export function carryDoubling(f: usize, g: usize, h: usize, a: usize, b: usize, c: usize): void {
  const mask = v128.load(MASK), toLimb = v128.load(TO_LIMB), magic = v128.load(MAGIC), level = v128.load(OFFSET_DIFFERENCE);
  const a4 = limb(a, 4), b4 = limb(b, 4);
  const e4 = i64x2.sub(b4, a4), h4 = sumAt(b4, a4, OFFSET_TWO_SQUARES, 4);
  const g4 = i64x2.add(e4, level), f4 = twiceLess(limb(c, 4), e4, 4);
  const a3 = limb(a, 3), b3 = limb(b, 3);
  const e3 = i64x2.sub(b3, a3), h3 = sumAt(b3, a3, OFFSET_TWO_SQUARES, 3);
  const g3 = i64x2.add(e3, level), f3 = twiceLess(limb(c, 3), e3, 3);
  storeReduced(h, 4, h4, h3, mask, toLimb, magic);
  storeReduced(g, 4, g4, g3, mask, toLimb, magic);
  storeReduced(f, 4, f4, f3, mask, toLimb, magic);
  const a2 = limb(a, 2), b2 = limb(b, 2);
  const e2 = i64x2.sub(b2, a2), h2 = sumAt(b2, a2, OFFSET_TWO_SQUARES, 2);
  const g2 = i64x2.add(e2, level), f2 = twiceLess(limb(c, 2), e2, 2);
  storeReduced(h, 3, h3, h2, mask, toLimb, magic);
  storeReduced(g, 3, g3, g2, mask, toLimb, magic);
  storeReduced(f, 3, f3, f2, mask, toLimb, magic);
  const a1 = limb(a, 1), b1 = limb(b, 1);
  const e1 = i64x2.sub(b1, a1), h1 = sumAt(b1, a1, OFFSET_TWO_SQUARES, 1);
  const g1 = i64x2.add(e1, level), f1 = twiceLess(limb(c, 1), e1, 1);
  storeReduced(h, 2, h2, h1, mask, toLimb, magic);
  storeReduced(g, 2, g2, g1, mask, toLimb, magic);
  storeReduced(f, 2, f2, f1, mask, toLimb, magic);
  const a0 = limb(a, 0), b0 = limb(b, 0);
  const e0 = i64x2.sub(b0, a0), h0 = sumAt(b0, a0, OFFSET_TWO_SQUARES, 0);
  const g0 = i64x2.add(e0, level), f0 = twiceLess(limb(c, 0), e0, 0);
  storeReduced(h, 1, h1, h0, mask, toLimb, magic);
  storeReduced(g, 1, g1, g0, mask, toLimb, magic);
  storeReduced(f, 1, f1, f0, mask, toLimb, magic);
  storeFirst(h, h0, h4, mask, magic);
  storeFirst(g, g0, g4, mask, magic);
  storeFirst(f, f0, f4, mask, magic);
}

/** Computes o = a + b, without carries: the units add up. */
export function add(o: usize, a: usize, b: usize): void {
  v128.store(o, f64x2.add(limb(a, 0), limb(b, 0)));
  v128.store(o + 16, f64x2.add(limb(a, 1), limb(b, 1)));
  v128.store(o + 32, f64x2.add(limb(a, 2), limb(b, 2)));
  v128.store(o + 48, f64x2.add(limb(a, 3), limb(b, 3)));
  v128.store(o + 64, f64x2.add(limb(a, 4), limb(b, 4)));
}

/** Computes o = a - b, without carries: the units add up. */
export function subtract(o: usize, a: usize, b: usize): void {
  v128.store(o, f64x2.sub(limb(a, 0), limb(b, 0)));
  v128.store(o + 16, f64x2.sub(limb(a, 1), limb(b, 1)));
  v128.store(o + 32, f64x2.sub(limb(a, 2), limb(b, 2)));
  v128.store(o + 48, f64x2.sub(limb(a, 3), limb(b, 3)));
  v128.store(o + 64, f64x2.sub(limb(a, 4), limb(b, 4)));
}

/** Rounds a limb to a multiple of 2^51. */
@inline
function highBits(a: v128): v128 {
  const steps = v128.load(C1);
  return f64x2.sub(f64x2.add(a, steps), steps);
}

/** Computes o = a, reduced to one unit. @param a of up to 8 units, which doubles hold exactly. */
export function carryElement(o: usize, a: usize): void {
  const l0 = limb(a, 0), l1 = limb(a, 1), l2 = limb(a, 2), l3 = limb(a, 3), l4 = limb(a, 4);
  const q0 = highBits(l0), q1 = highBits(l1), q2 = highBits(l2), q3 = highBits(l3), q4 = highBits(l4);
  const down = f64x2.splat(1.0 / 2251799813685248.0);
  v128.store(o, f64x2.add(f64x2.sub(l0, q0), f64x2.mul(q4, f64x2.splat(19.0 / 2251799813685248.0))));
  v128.store(o + 16, f64x2.add(f64x2.sub(l1, q1), f64x2.mul(q0, down)));
  v128.store(o + 32, f64x2.add(f64x2.sub(l2, q2), f64x2.mul(q1, down)));
  v128.store(o + 48, f64x2.add(f64x2.sub(l3, q3), f64x2.mul(q2, down)));
  v128.store(o + 64, f64x2.add(f64x2.sub(l4, q4), f64x2.mul(q3, down)));
}

/** Sets both lanes to a small number. */
export function setSmall(o: usize, value: i32): void {
  memory.fill(o, 0, 80);
  v128.store(o, f64x2.splat(f64(value)));
}

/** Reads the low 255 bits of 32 bytes into a lane: an element of 2 units. */
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

/** Returns a limb of 51 bits of a lane. */
@inline
export function limb51(a: usize, lane: usize, i: i32): i64 {
  return i64(load<f64>(a + (i << 4) + (lane << 3)));
}

/** Computes o = a in each lane whose flag is set, b in the other lanes. */
export function select(o: usize, a: usize, b: usize, first: bool, second: bool): void {
  const mask = i64x2.replace_lane(i64x2.splat(first ? -1 : 0), 1, second ? -1 : 0);
  for (let i = 0; i < 5; i++)
    v128.store(o + (usize(i) << 4), v128.bitselect(limb(a, i), limb(b, i), mask));
}

/** Writes the limbs of a lane one after the other. */
export function pack(compact: usize, a: usize, lane: usize): void {
  for (let i: usize = 0; i < 5; i++) store<f64>(compact + (i << 3), load<f64>(a + (i << 4) + (lane << 3)));
}

@inline
function gatherLimb(o: usize, first: usize, second: usize, i: usize): void {
  v128.store(o + (i << 4), v128.load64_lane(second + (i << 3), v128.load64_zero(first + (i << 3)), 1));
}

/** Computes o = two packed elements, one in each lane. */
export function gather(o: usize, first: usize, second: usize): void {
  gatherLimb(o, first, second, 0);
  gatherLimb(o, first, second, 1);
  gatherLimb(o, first, second, 2);
  gatherLimb(o, first, second, 3);
  gatherLimb(o, first, second, 4);
}
