/*
 * Selection of multiples in tables of elements with limbs of 51 bits (field-fma.ts), in constant time. field.ts
 * documents the functions.
 */

import { limb } from './field-fma';
import { chooseMasked, high16, high32, high8, low16, low32, low8, maskedLimb, selectByte, swapMasked } from './lanes';

const SIGN = memory.data<u64>([1 << 63, 1 << 63], 16);

/** Returns a mask of the lanes whose digit has this absolute value. */
@inline
function hasMagnitude(size: v128, m: i64): v128 {
  return i64x2.eq(size, i64x2.splat(m));
}

@inline
function bothLanes(first: i32, second: i32): v128 {
  return i64x2.replace_lane(i64x2.splat(i64(first)), 1, i64(second));
}

export function negateLanes(a: usize, first: i32, second: i32): void {
  const signs = v128.and(bothLanes(first, second), v128.load(SIGN));
  for (let i: usize = 0; i < 80; i += 16) v128.store(a + i, v128.xor(v128.load(a + i), signs));
}

export function swapLanes(a: usize, b: usize, first: i32, second: i32): void {
  const mask = bothLanes(first, second);
  for (let i: usize = 0; i < 80; i += 16) swapMasked(a + i, b + i, mask);
}

export function chooseLanes(o: usize, a: usize, b: usize, first: i32, second: i32): void {
  const mask = bothLanes(first, second);
  for (let i: usize = 0; i < 80; i += 16) chooseMasked(o + i, a + i, b + i, mask);
}

/** Bytes 6 and 7 of the double 1; the others are zero. */
const ONE_6 = memory.data<u8>([0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0], 16);
const ONE_7 = memory.data<u8>([0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0x3f], 16);

/** Stores a limb of eight pairs, given as vectors of its bytes. */
@inline
function storeLimbs(o: usize, v0: v128, v1: v128, v2: v128, v3: v128, v4: v128, v5: v128, v6: v128, v7: v128): void {
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

/** Selects Y+X and Y-X of eight pairs, exchanged where `negative` is set; both are 1 where `none` is set. */
@inline
export function selectSumAndDifference(o: usize, rows: usize, multiples: i32, index: v128, negative: v128, none: v128): void {
  const row = usize(multiples);
  let one6 = v128.and(none, v128.load(ONE_6)), one7 = v128.and(none, v128.load(ONE_7));
  for (let i: usize = 0; i < 5; i++, rows += 8 * row, o += 16) {
    const a0 = selectByte(rows, multiples, index), b0 = selectByte(rows + 40 * row, multiples, index);
    const d0 = v128.and(v128.xor(a0, b0), negative);
    const a1 = selectByte(rows + row, multiples, index), b1 = selectByte(rows + 41 * row, multiples, index);
    const d1 = v128.and(v128.xor(a1, b1), negative);
    const a2 = selectByte(rows + 2 * row, multiples, index), b2 = selectByte(rows + 42 * row, multiples, index);
    const d2 = v128.and(v128.xor(a2, b2), negative);
    const a3 = selectByte(rows + 3 * row, multiples, index), b3 = selectByte(rows + 43 * row, multiples, index);
    const d3 = v128.and(v128.xor(a3, b3), negative);
    const a4 = selectByte(rows + 4 * row, multiples, index), b4 = selectByte(rows + 44 * row, multiples, index);
    const d4 = v128.and(v128.xor(a4, b4), negative);
    const a5 = selectByte(rows + 5 * row, multiples, index), b5 = selectByte(rows + 45 * row, multiples, index);
    const d5 = v128.and(v128.xor(a5, b5), negative);
    const a6 = selectByte(rows + 6 * row, multiples, index), b6 = selectByte(rows + 46 * row, multiples, index);
    const d6 = v128.and(v128.xor(a6, b6), negative);
    const a7 = selectByte(rows + 7 * row, multiples, index), b7 = selectByte(rows + 47 * row, multiples, index);
    const d7 = v128.and(v128.xor(a7, b7), negative);
    storeLimbs(
      o,
      v128.xor(a0, d0),
      v128.xor(a1, d1),
      v128.xor(a2, d2),
      v128.xor(a3, d3),
      v128.xor(a4, d4),
      v128.xor(a5, d5),
      v128.or(one6, v128.xor(a6, d6)),
      v128.or(one7, v128.xor(a7, d7)),
    );
    storeLimbs(
      o + 80,
      v128.xor(b0, d0),
      v128.xor(b1, d1),
      v128.xor(b2, d2),
      v128.xor(b3, d3),
      v128.xor(b4, d4),
      v128.xor(b5, d5),
      v128.or(one6, v128.xor(b6, d6)),
      v128.or(one7, v128.xor(b7, d7)),
    );
    one6 = i8x16.splat(0);
    one7 = i8x16.splat(0);
  }
}

/** Selects 2dT of eight pairs, negated where `negative` is set. */
@inline
export function selectSigned(o: usize, rows: usize, multiples: i32, index: v128, negative: v128): void {
  const row = usize(multiples);
  const sign = v128.and(negative, i8x16.splat(-128));
  for (let i: usize = 0; i < 5; i++, rows += 8 * row, o += 16)
    storeLimbs(
      o,
      selectByte(rows, multiples, index),
      selectByte(rows + row, multiples, index),
      selectByte(rows + 2 * row, multiples, index),
      selectByte(rows + 3 * row, multiples, index),
      selectByte(rows + 4 * row, multiples, index),
      selectByte(rows + 5 * row, multiples, index),
      selectByte(rows + 6 * row, multiples, index),
      v128.xor(sign, selectByte(rows + 7 * row, multiples, index)),
    );
}

export function selectAddend(o: usize, table: usize, first: i32, second: i32): void {
  const negative = bothLanes(first >> 31, second >> 31);
  const size = i64x2.sub(v128.xor(bothLanes(first, second), negative), negative);
  const m1 = hasMagnitude(size, 1), m2 = hasMagnitude(size, 2), m3 = hasMagnitude(size, 3), m4 = hasMagnitude(size, 4);
  const m5 = hasMagnitude(size, 5), m6 = hasMagnitude(size, 6), m7 = hasMagnitude(size, 7), m8 = hasMagnitude(size, 8);
  for (let i: usize = 0; i < 80; i += 16) {
    const at = table + i, to = o + i;
    const plus = maskedLimb(at, 320, m1, m2, m3, m4, m5, m6, m7, m8);
    const minus = maskedLimb(at + 80, 320, m1, m2, m3, m4, m5, m6, m7, m8);
    v128.store(to, v128.bitselect(minus, plus, negative));
    v128.store(to + 80, v128.bitselect(plus, minus, negative));
    v128.store(to + 160, maskedLimb(at + 160, 320, m1, m2, m3, m4, m5, m6, m7, m8));
    const t = maskedLimb(at + 240, 320, m1, m2, m3, m4, m5, m6, m7, m8);
    v128.store(to + 240, v128.xor(t, v128.and(negative, v128.load(SIGN))));
  }
  const none = hasMagnitude(size, 0);
  const one = v128.and(f64x2.splat(1), none);
  v128.store(o, v128.or(limb(o, 0), one));
  v128.store(o + 80, v128.or(limb(o, 5), one));
  v128.store(o + 160, v128.or(limb(o, 10), v128.and(f64x2.splat(2), none)));
}
