/*
 * Arithmetic modulo 2^255 - 19 on pairs of elements with integers, for engines without fused multiply-add. An element
 * has ten limbs of 26 and 25 bits in turn, each a 32-bit integer: lane 0 of a limb's vector holds the first element,
 * lane 1 the second.
 *
 * Bounds. One unit is 2^25 + 2^14 for even limbs and half of that for odd limbs. The limbs of a reduced element are at
 * most one unit in absolute value; factors may have 3 units and 1, or 1 and 3. With factors of 2 and 19 included, a
 * column is below 2^60 and a combination of four below 2^62; 19 times 3 units stay below 2^31.
 *
 * The file is long because most functions name every limb: AssemblyScript does not unroll loops.
 */

export const LIMBS: i32 = 10;

const BIAS: u64 = 1 << 62;

/**
 * Prepared operands of a product: the limbs of a, odd limbs doubled; then 19 times the limbs 1 to 9 of b, followed by
 * all limbs of b.
 */
const A_TWICE = memory.data(160, 16);
const B_EXTENDED = memory.data(320, 16);

/** Returns limb i of a pair of elements. */
@inline
export function limb(a: usize, i: i32): v128 {
  return v128.load(a + (i << 4));
}

/**
 * Returns limb i of a. It is doubled if i is odd and the column is even, where it is multiplied with odd limbs of b.
 */
@inline
function operand(a: usize, i: i32, k: i32): v128 {
  return limb(i & 1 && !(k & 1) ? A_TWICE : a, i);
}

/** Returns the product of limb i of a with the limb of b that belongs to column k. */
@inline
function term(own: v128, i: i32, k: i32): v128 {
  return i64x2.extmul_low_i32x4_s(own, limb(B_EXTENDED, k - i + 9));
}

@inline
function column(o: usize, a: usize, k: i32): void {
  let sum = term(operand(a, 0, k), 0, k);
  sum = i64x2.add(sum, term(operand(a, 1, k), 1, k));
  sum = i64x2.add(sum, term(operand(a, 2, k), 2, k));
  sum = i64x2.add(sum, term(operand(a, 3, k), 3, k));
  sum = i64x2.add(sum, term(operand(a, 4, k), 4, k));
  sum = i64x2.add(sum, term(operand(a, 5, k), 5, k));
  sum = i64x2.add(sum, term(operand(a, 6, k), 6, k));
  sum = i64x2.add(sum, term(operand(a, 7, k), 7, k));
  sum = i64x2.add(sum, term(operand(a, 8, k), 8, k));
  sum = i64x2.add(sum, term(operand(a, 9, k), 9, k));
  v128.store(o + (k << 4), sum);
}

/** Computes two columns of equal parity, which share their operands. More columns would not fit into the registers. */
@inline
function columns(o: usize, a: usize, k: i32, l: i32): void {
  const a0 = operand(a, 0, k);
  let sum = term(a0, 0, k), other = term(a0, 0, l);
  const a1 = operand(a, 1, k);
  sum = i64x2.add(sum, term(a1, 1, k));
  other = i64x2.add(other, term(a1, 1, l));
  const a2 = operand(a, 2, k);
  sum = i64x2.add(sum, term(a2, 2, k));
  other = i64x2.add(other, term(a2, 2, l));
  const a3 = operand(a, 3, k);
  sum = i64x2.add(sum, term(a3, 3, k));
  other = i64x2.add(other, term(a3, 3, l));
  const a4 = operand(a, 4, k);
  sum = i64x2.add(sum, term(a4, 4, k));
  other = i64x2.add(other, term(a4, 4, l));
  const a5 = operand(a, 5, k);
  sum = i64x2.add(sum, term(a5, 5, k));
  other = i64x2.add(other, term(a5, 5, l));
  const a6 = operand(a, 6, k);
  sum = i64x2.add(sum, term(a6, 6, k));
  other = i64x2.add(other, term(a6, 6, l));
  const a7 = operand(a, 7, k);
  sum = i64x2.add(sum, term(a7, 7, k));
  other = i64x2.add(other, term(a7, 7, l));
  const a8 = operand(a, 8, k);
  sum = i64x2.add(sum, term(a8, 8, k));
  other = i64x2.add(other, term(a8, 8, l));
  const a9 = operand(a, 9, k);
  sum = i64x2.add(sum, term(a9, 9, k));
  other = i64x2.add(other, term(a9, 9, l));
  v128.store(o + (k << 4), sum);
  v128.store(o + (l << 4), other);
}

@inline
function extend(a: usize, b: usize, i: i32): void {
  const other = limb(b, i);
  if (i & 1) v128.store(A_TWICE + (i << 4), i32x4.shl(limb(a, i), 1));
  v128.store(B_EXTENDED + ((i + 9) << 4), other);
  if (i > 0) v128.store(B_EXTENDED + ((i - 1) << 4), i32x4.mul(other, i32x4.splat(19)));
}

/**
 * Computes o = columns of a*b, folded: column 10 + k counts 19 times in column k, and products of two odd limbs count
 * twice.
 */
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
  columns(o, a, 0, 2);
  columns(o, a, 4, 6);
  column(o, a, 8);
  columns(o, a, 1, 3);
  columns(o, a, 5, 7);
  column(o, a, 9);
}

/** Prepared operands of a square: 19a, 2a, 4a. */
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

/** Wipes the prepared operands of the last products. */
export function wipeField(): void {
  memory.fill(A_TWICE, 0, 160);
  memory.fill(B_EXTENDED, 0, 320);
  memory.fill(A_19, 0, 160);
  memory.fill(A_2, 0, 160);
  memory.fill(A_4, 0, 160);
}

/**
 * Returns the product of limbs i <= j. It is doubled if i and j differ, doubled again if both are odd, and counts 19
 * times if i + j >= 10.
 */
@inline
function part(a: usize, i: i32, j: i32): v128 {
  const odd = (i & j & 1) != 0;
  const left = i == j ? (odd ? A_2 : a) : odd ? A_4 : A_2;
  return i64x2.extmul_low_i32x4_s(limb(left, i), limb(i + j >= 10 ? A_19 : a, j));
}

/** Computes o = columns of a*a, folded, of 1 unit. */
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

@inline
function times19(x: v128): v128 {
  return i64x2.add(i64x2.add(i64x2.shl(x, 4), i64x2.shl(x, 1)), x);
}

/**
 * Constants for even and for odd limbs. They are kept in memory, where V8 uses them as operands, which is cheaper than
 * to build them again.
 */
const LIFT_EVEN = memory.data<u64>([BIAS + (1 << 25), BIAS + (1 << 25)], 16);
const LIFT_ODD = memory.data<u64>([BIAS + (1 << 24), BIAS + (1 << 24)], 16);
const MASK_EVEN = memory.data<u64>([(1 << 26) - 1, (1 << 26) - 1], 16);
const MASK_ODD = memory.data<u64>([(1 << 25) - 1, (1 << 25) - 1], 16);
/**
 * Sum that two rounds of carries add to a limb: half of the limb's range, and the carry of the bias from the limb
 * below.
 */
const ADDED_0 = memory.data<i32>([(1 << 25) + 19 * (1 << 11), (1 << 25) + 19 * (1 << 11), 0, 0], 16);
const ADDED_1 = memory.data<i32>([(1 << 24) + 19 * (1 << 11), (1 << 24) + 19 * (1 << 11), 0, 0], 16);
const ADDED_EVEN = memory.data<i32>([(1 << 25) + (1 << 11), (1 << 25) + (1 << 11), 0, 0], 16);
const ADDED_ODD = memory.data<i32>([(1 << 24) + (1 << 11), (1 << 24) + (1 << 11), 0, 0], 16);

@inline
function lowBits(t: v128, i: i32): v128 {
  return v128.and(t, v128.load(i & 1 ? MASK_ODD : MASK_EVEN));
}

@inline
function carryOf(t: v128, i: i32): v128 {
  return i64x2.shr_u(t, i & 1 ? 25 : 26);
}

/**
 * Returns the low bits of column i plus the carry of the column below. The last column carries into the first column,
 * 19 times.
 */
@inline
function carried(t: v128, before: v128, i: i32): v128 {
  return i64x2.add(lowBits(t, i), i == 0 ? times19(carryOf(before, 9)) : carryOf(before, i - 1));
}

/** Stores a limb: narrows it to 32 bits and subtracts the sum of the biases. */
@inline
function storeNarrow(o: usize, i: i32, wide: v128, added: usize): void {
  const narrow = i8x16.shuffle(wide, wide, 0, 1, 2, 3, 8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11);
  v128.store(o + (i << 4), i32x4.sub(narrow, v128.load(added)));
}

/**
 * Reduces columns to one unit in two rounds of carries. In a round, the bits above each limb are added to the next
 * limb, all at once; the bits above the last limb are added to the first limb, 19 times. A bias first makes all columns
 * positive, so that unsigned shifts can be used; half of a limb's range is also added, so that limbs lie around zero.
 * After the first shift the bias is 2^36 or 2^37, and 19 * 2^37 in the first limb: it makes the second round positive
 * too. After the second shift it is 2^11, and 19 * 2^11 in the first and the second limb; there it is subtracted.
 */
@inline
function carryTwoRounds(
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
  const even = v128.load(LIFT_EVEN), odd = v128.load(LIFT_ODD);
  const t0 = i64x2.add(c0, even);
  const t1 = i64x2.add(c1, odd);
  const t2 = i64x2.add(c2, even);
  const t3 = i64x2.add(c3, odd);
  const t4 = i64x2.add(c4, even);
  const t5 = i64x2.add(c5, odd);
  const t6 = i64x2.add(c6, even);
  const t7 = i64x2.add(c7, odd);
  const t8 = i64x2.add(c8, even);
  const t9 = i64x2.add(c9, odd);
  const u0 = carried(t0, t9, 0);
  const u1 = carried(t1, t0, 1);
  const u2 = carried(t2, t1, 2);
  const u3 = carried(t3, t2, 3);
  const u4 = carried(t4, t3, 4);
  const u5 = carried(t5, t4, 5);
  const u6 = carried(t6, t5, 6);
  const u7 = carried(t7, t6, 7);
  const u8 = carried(t8, t7, 8);
  const u9 = carried(t9, t8, 9);
  storeNarrow(o, 0, carried(u0, u9, 0), ADDED_0);
  storeNarrow(o, 1, carried(u1, u0, 1), ADDED_1);
  storeNarrow(o, 2, carried(u2, u1, 2), ADDED_EVEN);
  storeNarrow(o, 3, carried(u3, u2, 3), ADDED_ODD);
  storeNarrow(o, 4, carried(u4, u3, 4), ADDED_EVEN);
  storeNarrow(o, 5, carried(u5, u4, 5), ADDED_ODD);
  storeNarrow(o, 6, carried(u6, u5, 6), ADDED_EVEN);
  storeNarrow(o, 7, carried(u7, u6, 7), ADDED_ODD);
  storeNarrow(o, 8, carried(u8, u7, 8), ADDED_EVEN);
  storeNarrow(o, 9, carried(u9, u8, 9), ADDED_ODD);
}

@inline
function columnAt(c: usize, i: i32): v128 {
  return limb(c, i);
}

/** Computes o = c, reduced. */
export function carryColumns(o: usize, c: usize): void {
  carryTwoRounds(o, columnAt(c, 0), columnAt(c, 1), columnAt(c, 2), columnAt(c, 3), columnAt(c, 4), columnAt(c, 5), columnAt(c, 6), columnAt(c, 7), columnAt(c, 8), columnAt(c, 9));
}

@inline
function smallAt(a: usize, n: v128, i: i32): v128 {
  return i64x2.extmul_low_i32x4_s(limb(a, i), n);
}

/** Computes o = a*n, reduced. */
export function multiplySmall(o: usize, a: usize, n: i32): void {
  const m = i32x4.splat(n);
  carryTwoRounds(o, smallAt(a, m, 0), smallAt(a, m, 1), smallAt(a, m, 2), smallAt(a, m, 3), smallAt(a, m, 4), smallAt(a, m, 5), smallAt(a, m, 6), smallAt(a, m, 7), smallAt(a, m, 8), smallAt(a, m, 9));
}

@inline
function twiceAt(c: usize, i: i32): v128 {
  return i64x2.shl(limb(c, i), 1);
}

/** Computes o = 2c, reduced. */
export function carryTwice(o: usize, c: usize): void {
  carryTwoRounds(o, twiceAt(c, 0), twiceAt(c, 1), twiceAt(c, 2), twiceAt(c, 3), twiceAt(c, 4), twiceAt(c, 5), twiceAt(c, 6), twiceAt(c, 7), twiceAt(c, 8), twiceAt(c, 9));
}

@inline
function columnSumAt(c: usize, d: usize, i: i32): v128 {
  return i64x2.add(limb(c, i), limb(d, i));
}

/** Computes o = c + d, reduced. */
export function carrySum(o: usize, c: usize, d: usize): void {
  carryTwoRounds(o, columnSumAt(c, d, 0), columnSumAt(c, d, 1), columnSumAt(c, d, 2), columnSumAt(c, d, 3), columnSumAt(c, d, 4), columnSumAt(c, d, 5), columnSumAt(c, d, 6), columnSumAt(c, d, 7), columnSumAt(c, d, 8), columnSumAt(c, d, 9));
}

@inline
function columnDifferenceAt(c: usize, d: usize, i: i32): v128 {
  return i64x2.sub(limb(c, i), limb(d, i));
}

/** Computes o = c - d, reduced. */
export function carryDifference(o: usize, c: usize, d: usize): void {
  carryTwoRounds(o, columnDifferenceAt(c, d, 0), columnDifferenceAt(c, d, 1), columnDifferenceAt(c, d, 2), columnDifferenceAt(c, d, 3), columnDifferenceAt(c, d, 4), columnDifferenceAt(c, d, 5), columnDifferenceAt(c, d, 6), columnDifferenceAt(c, d, 7), columnDifferenceAt(c, d, 8), columnDifferenceAt(c, d, 9));
}

@inline
function twicePlusMinusAt(c: usize, d: usize, e: usize, i: i32): v128 {
  return i64x2.sub(i64x2.add(i64x2.shl(limb(c, i), 1), limb(d, i)), limb(e, i));
}

/** Computes o = 2c + d - e, reduced. */
export function carryTwicePlusMinus(o: usize, c: usize, d: usize, e: usize): void {
  carryTwoRounds(o, twicePlusMinusAt(c, d, e, 0), twicePlusMinusAt(c, d, e, 1), twicePlusMinusAt(c, d, e, 2), twicePlusMinusAt(c, d, e, 3), twicePlusMinusAt(c, d, e, 4), twicePlusMinusAt(c, d, e, 5), twicePlusMinusAt(c, d, e, 6), twicePlusMinusAt(c, d, e, 7), twicePlusMinusAt(c, d, e, 8), twicePlusMinusAt(c, d, e, 9));
}

const HALF_EVEN = memory.data<i32>([1 << 25, 1 << 25, 1 << 25, 1 << 25], 16);
const HALF_ODD = memory.data<i32>([1 << 24, 1 << 24, 1 << 24, 1 << 24], 16);
const MASK32_EVEN = memory.data<i32>([(1 << 26) - 1, (1 << 26) - 1, (1 << 26) - 1, (1 << 26) - 1], 16);
const MASK32_ODD = memory.data<i32>([(1 << 25) - 1, (1 << 25) - 1, (1 << 25) - 1, (1 << 25) - 1], 16);

@inline
function withHalf(a: usize, i: i32): v128 {
  return i32x4.add(limb(a, i), v128.load(i & 1 ? HALF_ODD : HALF_EVEN));
}

@inline
function storeLimb(o: usize, i: i32, t: v128, carry: v128): void {
  const rest = i32x4.sub(v128.and(t, v128.load(i & 1 ? MASK32_ODD : MASK32_EVEN)), v128.load(i & 1 ? HALF_ODD : HALF_EVEN));
  v128.store(o + (i << 4), i32x4.add(rest, carry));
}

/**
 * Computes o = a, reduced to one unit.
 * @param a element of up to 8 units: a carry is at most 8, and 19 times 8 is far below 2^14.
 */
export function carryElement(o: usize, a: usize): void {
  const t0 = withHalf(a, 0);
  const t1 = withHalf(a, 1);
  const t2 = withHalf(a, 2);
  const t3 = withHalf(a, 3);
  const t4 = withHalf(a, 4);
  const t5 = withHalf(a, 5);
  const t6 = withHalf(a, 6);
  const t7 = withHalf(a, 7);
  const t8 = withHalf(a, 8);
  const t9 = withHalf(a, 9);
  storeLimb(o, 0, t0, i32x4.mul(i32x4.shr_s(t9, 25), i32x4.splat(19)));
  storeLimb(o, 1, t1, i32x4.shr_s(t0, 26));
  storeLimb(o, 2, t2, i32x4.shr_s(t1, 25));
  storeLimb(o, 3, t3, i32x4.shr_s(t2, 26));
  storeLimb(o, 4, t4, i32x4.shr_s(t3, 25));
  storeLimb(o, 5, t5, i32x4.shr_s(t4, 26));
  storeLimb(o, 6, t6, i32x4.shr_s(t5, 25));
  storeLimb(o, 7, t7, i32x4.shr_s(t6, 26));
  storeLimb(o, 8, t8, i32x4.shr_s(t7, 25));
  storeLimb(o, 9, t9, i32x4.shr_s(t8, 26));
}

/** Computes o = a + b, without carries: the units add up. */
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

/** Computes o = a - b, without carries: the units add up. */
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

/** Sets both lanes to a small number. */
export function setSmall(o: usize, value: i32): void {
  memory.fill(o, 0, 160);
  v128.store(o, i32x4.splat(value));
}

/** Reads the low 255 bits of 32 bytes into a lane, as an element of 2 units. */
export function read(o: usize, lane: usize, bytes: usize): void {
  let at = 0;
  for (let i = 0; i < LIMBS; i++) {
    const bits = i & 1 ? 25 : 26;
    // At most seven bits of the first byte belong to the limb below, so the limb lies in five bytes.
    const from = bytes + (usize(at) >> 3);
    const word = u64(load<u32>(from)) | (i < LIMBS - 1 ? u64(load<u8>(from + 4)) << 32 : 0);
    store<i32>(o + (usize(i) << 4) + (lane << 2), i32((word >> (at & 7)) & ((u64(1) << bits) - 1)));
    at += bits;
  }
}

/** Returns 51 bits of the element in a lane, which are two limbs. */
@inline
export function limb51(a: usize, lane: usize, i: i32): i64 {
  const at = a + (usize(i) << 5) + (lane << 2);
  return i64(load<i32>(at)) + (i64(load<i32>(at + 16)) << 26);
}

/** Computes o = a in each lane whose flag is set, b in the other lanes. */
export function select(o: usize, a: usize, b: usize, first: bool, second: bool): void {
  const mask = i64x2.splat(i64(u64(first ? 0xffffffff : 0) | (u64(second ? 0xffffffff : 0) << 32)));
  for (let i = 0; i < LIMBS; i++)
    v128.store(o + (usize(i) << 4), v128.bitselect(limb(a, i), limb(b, i), mask));
}

/** Writes the element in a lane as limbs of 51 bits, one after the other. */
export function pack(compact: usize, a: usize, lane: usize): void {
  for (let i: usize = 0; i < 10; i++) store<i32>(compact + (i << 2), load<i32>(a + (i << 4) + (lane << 2)));
}

@inline
function gatherLimb(o: usize, first: usize, second: usize, i: usize): void {
  v128.store(o + (i << 4), v128.load32_lane(second + (i << 2), v128.load32_zero(first + (i << 2)), 1));
}

/** Computes o = two packed elements, one in each lane. */
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
