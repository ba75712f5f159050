/*
 * The field of 2^255 - 19 in pairs: two elements side by side, chosen when the module is built. A settled element
 * is of one unit; sums and differences have as many as both sides together; a product takes 3 units by 1.
 */
import * as fma from './field-fma';
import * as int from './field-int';

/** Bytes of a pair of elements, and of a pair of products whose columns are folded but not settled. */
export const ELEMENT: usize = ASC_FEATURE_RELAXED_SIMD ? 80 : 160;

export function prepareField(): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.prepareField();
}

@inline
export function multiplyColumns(o: usize, a: usize, b: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.multiplyColumns(o, a, b);
  else int.multiplyColumns(o, a, b);
}

@inline
export function squareColumns(o: usize, a: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.squareColumns(o, a);
  else int.squareColumns(o, a);
}

const WORK = memory.data(160, 16);

/** Wipes the temporaries of products. */
export function forgetField(): void {
  memory.fill(WORK, 0, 160);
  if (ASC_FEATURE_RELAXED_SIMD) fma.forgetField();
  else int.forgetField();
}

/** o = a*b */
@inline
export function multiply(o: usize, a: usize, b: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.multiply(o, a, b);
  else multiplyInt(o, a, b);
}
function multiplyInt(o: usize, a: usize, b: usize): void {
  int.multiplyColumns(WORK, a, b);
  int.settleColumns(o, WORK);
}

/** o = a*b, its code in place: where most of the time goes. */
@inline
export function multiplyHere(o: usize, a: usize, b: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.product(o, a, b, false);
  else multiplyInt(o, a, b);
}

/** o = 2*a*b, of up to 2 units, its code in place. */
@inline
export function multiplyTwice(o: usize, a: usize, b: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.product(o, a, b, true);
  else multiplyTwiceInt(o, a, b);
}
function multiplyTwiceInt(o: usize, a: usize, b: usize): void {
  int.multiplyColumns(WORK, a, b);
  int.settleTwice(o, WORK);
}

/** o = a*a */
@inline
export function square(o: usize, a: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.square(o, a);
  else squareInt(o, a);
}
function squareInt(o: usize, a: usize): void {
  int.squareColumns(WORK, a);
  int.settleColumns(o, WORK);
}

/** o = a^(2^n), n of 1 or more. */
@inline
export function squareTimes(o: usize, a: usize, n: i32): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.squareTimes(o, a, n);
  else squareTimesInt(o, a, n);
}
function squareTimesInt(o: usize, a: usize, n: i32): void {
  squareInt(o, a);
  for (let i = 1; i < n; i++) squareInt(o, o);
}

/** sum = c + d and difference = c - d, of columns of products. */
@inline
export function settleBothProducts(sum: usize, difference: usize, c: usize, d: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.settleBothProducts(sum, difference, c, d);
  else {
    int.settleSum(sum, c, d);
    int.settleDifference(difference, c, d);
  }
}

/** g = b - a, h = b + a and f = 2c - g, of columns of squares. */
@inline
export function settleDoubling(f: usize, g: usize, h: usize, a: usize, b: usize, c: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.settleDoubling(f, g, h, a, b, c);
  else {
    int.settleDifference(g, b, a);
    int.settleSum(h, a, b);
    int.settleTwicePlusMinus(f, c, a, b);
  }
}

/** o = a within one unit; a of up to 8 units. */
export function settleElement(o: usize, a: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.settleElement(o, a);
  else int.settleElement(o, a);
}

@inline
export function add(o: usize, a: usize, b: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.add(o, a, b);
  else int.add(o, a, b);
}

@inline
export function subtract(o: usize, a: usize, b: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.subtract(o, a, b);
  else int.subtract(o, a, b);
}

/** o = value, in both lanes. */
export function setSmall(o: usize, value: i32): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.setSmall(o, value);
  else int.setSmall(o, value);
}

export function copy(o: usize, a: usize): void {
  for (let i: usize = 0; i < ELEMENT; i += 80) {
    v128.store(o + i, v128.load(a + i));
    v128.store(o + i + 16, v128.load(a + i + 16));
    v128.store(o + i + 32, v128.load(a + i + 32));
    v128.store(o + i + 48, v128.load(a + i + 48));
    v128.store(o + i + 64, v128.load(a + i + 64));
  }
}

/** Puts 255 bits of 32 bytes into a lane, of 2 units. */
export function read(o: usize, lane: usize, bytes: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.read(o, lane, bytes);
  else int.read(o, lane, bytes);
}

/** o = the number of 255 bits in 32 bytes, in both lanes. */
export function readConstant(o: usize, bytes: usize): void {
  read(o, 0, bytes);
  read(o, 1, bytes);
  settleElement(o, o);
}

/** o = a in lanes where that is asked, b elsewhere. */
export function choose(o: usize, a: usize, b: usize, first: bool, second: bool): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.choose(o, a, b, first, second);
  else int.choose(o, a, b, first, second);
}

/** Bytes of one lane's element with its limbs in a row. */
export const PACKED: usize = 40;

/** Writes a lane's limbs in a row. */
export function pack(compact: usize, a: usize, lane: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.pack(compact, a, lane);
  else int.pack(compact, a, lane);
}

/** o = two packed elements side by side. */
@inline
export function gather(o: usize, first: usize, second: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.gather(o, first, second);
  else int.gather(o, first, second);
}

/**
 * o = for each of eight pairs, 4 * ELEMENT apart, the multiples that their two digits select: Y+X, Y-X, 2dT, the third
 * element left as it is. Digits are of 16 lanes, from -32 to 32. All of the window is read, whatever they are, and no
 * branch depends on them.
 * @param window multiples 1 to 32, as window.ts stores them. @param minus turns all digits into their negatives.
 */
export function selectFromWindow(o: usize, window: usize, digits: usize, minus: bool): void {
  const given = v128.load(digits);
  const signed = minus ? i8x16.neg(given) : given;
  const below = i8x16.lt_s(signed, i8x16.splat(0));
  const size = i8x16.abs(signed);
  // Places in a row of 16; those that do not exist are of 128 or more, where swizzle gives zero.
  const low = i8x16.sub(size, i8x16.splat(1));
  const first = v128.or(low, i16x8.shl(v128.and(low, i8x16.splat(0x10)), 3));
  const second = i8x16.sub(size, i8x16.splat(17));
  const none = i8x16.eq(size, i8x16.splat(0));
  // A multiple's negative has Y+X and Y-X exchanged, and -2dT.
  if (ASC_FEATURE_RELAXED_SIMD) {
    fma.selectTwo(o, window, first, second, below, none);
    fma.selectSigned(o + 3 * ELEMENT, window + 64 * PACKED, first, second, below);
  } else {
    int.selectTwo(o, window, first, second, below, none);
    int.selectSigned(o + 3 * ELEMENT, window + 64 * PACKED, first, second, below);
  }
}

/**
 * o = in each lane the multiple of its pair that a digit from -8 to 8 says, made ready to be added. All eight are
 * read, whichever it is, and no branch depends on the digit.
 * @param table multiples 1 to 8, made ready.
 */
export function selectAddend(o: usize, table: usize, first: i32, second: i32): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.selectAddend(o, table, first, second);
  else int.selectAddend(o, table, first, second);
}

@inline
function limb51(a: usize, lane: usize, i: i32): i64 {
  return ASC_FEATURE_RELAXED_SIMD ? fma.limb51(a, lane, i) : int.limb51(a, lane, i);
}

const MASK: i64 = (1 << 51) - 1;

/** Writes a lane as 32 bytes below p. @param a of up to 3 units. */
export function save(bytes: usize, a: usize, lane: usize): void {
  let l0 = limb51(a, lane, 0);
  let l1 = limb51(a, lane, 1);
  let l2 = limb51(a, lane, 2);
  let l3 = limb51(a, lane, 3);
  let l4 = limb51(a, lane, 4);
  // Twice round leaves 0 <= value < 2^255, every limb in 51 bits but the first, which may be 19 above.
  for (let round = 0; round < 2; round++) {
    l1 += l0 >> 51;
    l0 &= MASK;
    l2 += l1 >> 51;
    l1 &= MASK;
    l3 += l2 >> 51;
    l2 &= MASK;
    l4 += l3 >> 51;
    l3 &= MASK;
    l0 += 19 * (l4 >> 51);
    l4 &= MASK;
  }
  // Is it p or above? Then p goes off, which is 19 on and bit 255 off.
  let above = (l0 + 19) >> 51;
  above = (l1 + above) >> 51;
  above = (l2 + above) >> 51;
  above = (l3 + above) >> 51;
  above = (l4 + above) >> 51;
  l0 += 19 * above;
  l1 += l0 >> 51;
  l0 &= MASK;
  l2 += l1 >> 51;
  l1 &= MASK;
  l3 += l2 >> 51;
  l2 &= MASK;
  l4 += l3 >> 51;
  l3 &= MASK;
  l4 &= MASK;
  store<u64>(bytes, u64(l0) | (u64(l1) << 51));
  store<u64>(bytes + 8, (u64(l1) >> 13) | (u64(l2) << 38));
  store<u64>(bytes + 16, (u64(l2) >> 26) | (u64(l3) << 25));
  store<u64>(bytes + 24, (u64(l3) >> 39) | (u64(l4) << 12));
}
