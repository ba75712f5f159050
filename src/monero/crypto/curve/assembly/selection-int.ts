/*
 * Selection of multiples in tables of elements with limbs of 26 and 25 bits (field-int.ts), in constant time. field.ts
 * documents the functions.
 */

import { limb } from './field-int';
import { chooseMasked, high16, high8, low16, low8, maskedLimb, selectByte, swapMasked } from './lanes';

/** Returns a mask of the lanes whose digit has the given absolute value. */
@inline
function hasMagnitude(size: v128, m: i32): v128 {
  return i32x4.eq(size, i32x4.splat(m));
}

@inline
function bothLanes(first: i32, second: i32): v128 {
  return i32x4.replace_lane(i32x4.splat(first), 1, second);
}

export function negateLanes(a: usize, first: i32, second: i32): void {
  const negative = bothLanes(first, second);
  for (let i: usize = 0; i < 160; i += 16) v128.store(a + i, negated(v128.load(a + i), negative));
}

export function swapLanes(a: usize, b: usize, first: i32, second: i32): void {
  const mask = bothLanes(first, second);
  for (let i: usize = 0; i < 160; i += 16) swapMasked(a + i, b + i, mask);
}

export function chooseLanes(o: usize, a: usize, b: usize, first: i32, second: i32): void {
  const mask = bothLanes(first, second);
  for (let i: usize = 0; i < 160; i += 16) chooseMasked(o + i, a + i, b + i, mask);
}

/** Stores one limb of two pairs of elements from four lanes. */
@inline
function storeTwo(o: usize, limbs: v128): void {
  v128.store(o, limbs);
  v128.store(o + 640, i8x16.shuffle(limbs, limbs, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15));
}

/** Stores one limb of eight pairs of elements, given as vectors of the limb's bytes. */
@inline
function storeLimbs(o: usize, v0: v128, v1: v128, v2: v128, v3: v128): void {
  const l0 = low8(v0, v1), l1 = low8(v2, v3), h0 = high8(v0, v1), h1 = high8(v2, v3);
  storeTwo(o, low16(l0, l1));
  storeTwo(o + 1280, high16(l0, l1));
  storeTwo(o + 2560, low16(h0, h1));
  storeTwo(o + 3840, high16(h0, h1));
}

/**
 * Selects Y+X and Y-X for eight pairs of points. The two are exchanged where `negative` is set; both are 1 where `none`
 * is set.
 */
@inline
export function selectSumAndDifference(o: usize, rows: usize, multiples: i32, index: v128, negative: v128, none: v128): void {
  const row = usize(multiples);
  let one = v128.and(none, i8x16.splat(1));
  for (let i: usize = 0; i < 10; i++, rows += 4 * row, o += 16) {
    const a0 = selectByte(rows, multiples, index), b0 = selectByte(rows + 40 * row, multiples, index);
    const a1 = selectByte(rows + row, multiples, index), b1 = selectByte(rows + 41 * row, multiples, index);
    const a2 = selectByte(rows + 2 * row, multiples, index), b2 = selectByte(rows + 42 * row, multiples, index);
    const a3 = selectByte(rows + 3 * row, multiples, index), b3 = selectByte(rows + 43 * row, multiples, index);
    const d0 = v128.and(v128.xor(a0, b0), negative), d1 = v128.and(v128.xor(a1, b1), negative);
    const d2 = v128.and(v128.xor(a2, b2), negative), d3 = v128.and(v128.xor(a3, b3), negative);
    storeLimbs(o, v128.or(one, v128.xor(a0, d0)), v128.xor(a1, d1), v128.xor(a2, d2), v128.xor(a3, d3));
    storeLimbs(o + 160, v128.or(one, v128.xor(b0, d0)), v128.xor(b1, d1), v128.xor(b2, d2), v128.xor(b3, d3));
    one = i8x16.splat(0);
  }
}

@inline
function negated(a: v128, negative: v128): v128 {
  return i32x4.sub(v128.xor(a, negative), negative);
}

/** Selects 2dT for eight pairs of points; negated where `negative` is set. */
@inline
export function selectSigned(o: usize, rows: usize, multiples: i32, index: v128, negative: v128): void {
  const row = usize(multiples);
  const low = low8(negative, negative), high = high8(negative, negative);
  const n0 = low16(low, low), n1 = high16(low, low), n2 = low16(high, high), n3 = high16(high, high);
  for (let i: usize = 0; i < 10; i++, rows += 4 * row, o += 16) {
    const v0 = selectByte(rows, multiples, index), v1 = selectByte(rows + row, multiples, index);
    const v2 = selectByte(rows + 2 * row, multiples, index), v3 = selectByte(rows + 3 * row, multiples, index);
    const l0 = low8(v0, v1), l1 = low8(v2, v3), h0 = high8(v0, v1), h1 = high8(v2, v3);
    storeTwo(o, negated(low16(l0, l1), n0));
    storeTwo(o + 1280, negated(high16(l0, l1), n1));
    storeTwo(o + 2560, negated(low16(h0, h1), n2));
    storeTwo(o + 3840, negated(high16(h0, h1), n3));
  }
}

export function selectAddend(o: usize, table: usize, first: i32, second: i32): void {
  const negative = bothLanes(first >> 31, second >> 31);
  const size = i32x4.sub(v128.xor(bothLanes(first, second), negative), negative);
  const m1 = hasMagnitude(size, 1), m2 = hasMagnitude(size, 2), m3 = hasMagnitude(size, 3), m4 = hasMagnitude(size, 4);
  const m5 = hasMagnitude(size, 5), m6 = hasMagnitude(size, 6), m7 = hasMagnitude(size, 7), m8 = hasMagnitude(size, 8);
  for (let i: usize = 0; i < 160; i += 16) {
    const at = table + i, to = o + i;
    const plus = maskedLimb(at, 640, m1, m2, m3, m4, m5, m6, m7, m8);
    const minus = maskedLimb(at + 160, 640, m1, m2, m3, m4, m5, m6, m7, m8);
    v128.store(to, v128.bitselect(minus, plus, negative));
    v128.store(to + 160, v128.bitselect(plus, minus, negative));
    v128.store(to + 320, maskedLimb(at + 320, 640, m1, m2, m3, m4, m5, m6, m7, m8));
    const t = maskedLimb(at + 480, 640, m1, m2, m3, m4, m5, m6, m7, m8);
    v128.store(to + 480, i32x4.sub(v128.xor(t, negative), negative));
  }
  const none = hasMagnitude(size, 0);
  const one = v128.and(i32x4.splat(1), none);
  v128.store(o, v128.or(limb(o, 0), one));
  v128.store(o + 160, v128.or(limb(o, 10), one));
  v128.store(o + 320, v128.or(limb(o, 20), v128.and(i32x4.splat(2), none)));
}
