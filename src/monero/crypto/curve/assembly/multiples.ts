/*
 * Multiplication of points by secret scalars, in constant time: the sequence of instructions and of memory accesses is
 * the same for all scalars. Every digit reads all multiples that it may select, and costs one addition.
 */
import { ELEMENT, select, selectAddend, selectFrom128, selectFrom32 } from './field';
import { ADDEND, addAffine, addPoint, decompress, divideByZ, double, fromAddend, POINT, toAddend } from './point';
import { DIGITS, toDigits } from './scalar';
import { GENERATOR_T } from '../../../fork-rules';
import { ENTRY, setMultiple, UNDIVIDED, writeWindow } from './window';

const G_BYTES = memory.data<u64>([0x6666666666666658, 0x6666666666666666, 0x6666666666666666, 0x6666666666666666]);
/** Generator H of amounts. Source: rctTypes.h `H`. */
const H_BYTES = memory.data<u64>([0xaf9937157059658b, 0xead0adf19fdcea2a, 0xa9cf5441d551726c, 0x941f9cd30d3a172c]);

/** Generator T of the fork. */
const T_BYTES = memory.data(32);

/** Writes T_BYTES, which the rules of the fork have as digits. */
function readT(): void {
  for (let i = 0; i < 32; i++)
    store<u8>(T_BYTES + usize(i), u8((hexDigit(GENERATOR_T.charCodeAt(2 * i)) << 4) | hexDigit(GENERATOR_T.charCodeAt(2 * i + 1))));
}
@inline
function hexDigit(code: i32): i32 {
  return code < 58 ? code - 48 : code - 87;
}

/**
 * Windows of b bits hold the multiples m * 2^(b*w), m = 1 to 2^(b-1), for signed digits from -2^(b-1) to 2^(b-1) - 1:
 * the multiples of G and of T for the 253 bits of a scalar, the multiples of H for the 64 bits of an amount.
 */
const BITS_G: i32 = 8;
const BITS_H: i32 = 6;
const WINDOWS_G: i32 = 32;
const WINDOWS_H: i32 = 11;
const WINDOWS_T: i32 = 43;
const TABLE_G = memory.data(491520, 16);
const TABLE_H = memory.data(42240, 16);
const TABLE_T = memory.data(165120, 16);

@inline
function multiplesOf(bits: i32): i32 {
  return 1 << (bits - 1);
}
@inline
function windowAt(table: usize, bits: i32, w: i32): usize {
  return table + usize(w * multiplesOf(bits)) * ENTRY;
}

const STEP = memory.data(640, 16);
const BASE = memory.data(640, 16);
const TEMP = memory.data(640, 16);

let ready = false;
let readyT = false;

/** Computes the tables of G and H at the first call, because that takes some milliseconds. */
function prepareTables(): void {
  if (ready) return;
  fillTable(TABLE_G, G_BYTES, BITS_G, WINDOWS_G);
  fillTable(TABLE_H, H_BYTES, BITS_H, WINDOWS_H);
  ready = true;
}

/** Computes the table of T at the first call; only wallets of the fork need it. */
function prepareT(): void {
  if (readyT) return;
  readT();
  fillTable(TABLE_T, T_BYTES, BITS_H, WINDOWS_T);
  readyT = true;
}

/** Computes the first half of the windows in the first lane, and the other half in the second lane. */
function fillTable(table: usize, base: usize, bits: i32, windows: i32): void {
  const multiples = multiplesOf(bits);
  const half = (windows + 1) >> 1;
  decompress(BASE, base, base);
  memory.copy(TEMP, BASE, POINT);
  for (let i = half * bits; i > 0; i--) double(TEMP, TEMP, i == 1);
  for (let i: usize = 0; i < 4; i++) select(BASE + i * ELEMENT, BASE + i * ELEMENT, TEMP + i * ELEMENT, true, false);
  for (let w = 0; w < half; w++) {
    toAddend(STEP, BASE);
    memory.copy(UNDIVIDED, BASE, POINT);
    for (let m: usize = 1; m < usize(multiples); m++)
      addPoint(UNDIVIDED + m * POINT, UNDIVIDED + (m - 1) * POINT, STEP, false, true);
    double(BASE, UNDIVIDED + usize(multiples - 1) * POINT, true);
    divideByZ(UNDIVIDED, multiples, POINT);
    for (let m = 0; m < multiples; m++) setMultiple(m, UNDIVIDED + usize(m) * POINT);
    writeWindow(windowAt(table, bits, w), multiples, 0);
    if (w + half < windows) writeWindow(windowAt(table, bits, w + half), multiples, 1);
  }
}

/** Largest number of scalars in a call. */
export const MOST_ROWS: i32 = 256;
/** Number of scalars whose multiples are selected together. */
const GROUP: i32 = 16;
/** Digits of all scalars: a row for each window, a byte for each scalar. */
const WINDOW_DIGITS = memory.data(11008, 16);
/** Selected multiples, one pair of points after the other. */
const SELECTED = memory.data(5120, 16);

/** Writes the digits of all scalars, lowest first. No branch depends on a scalar. @param scalars 32 bytes each. */
function recode(scalars: usize, count: i32, bits: i32, windows: i32): void {
  const multiples = multiplesOf(bits);
  for (let row: usize = 0; row < usize(count); row++) {
    const scalar = scalars + (row << 5);
    let carry = 0;
    for (let w = 0; w < windows; w++) {
      const bit = w * bits;
      const from = scalar + usize(bit >> 3);
      // The byte after the last one of a scalar belongs to the next scalar.
      const bytes = from == scalar + 31 ? i32(load<u8>(from)) : i32(load<u16>(from));
      const value = ((bytes >> (bit & 7)) & (2 * multiples - 1)) + carry;
      carry = (value + multiples) >> bits;
      store<i8>(WINDOW_DIGITS + usize(w * MOST_ROWS) + row, i8(value - (carry << bits)));
    }
  }
}

/** Adds multiples from a table window by window, so that a window stays in the processor's cache for all scalars. */
@inline
function addFromTable(sums: usize, table: usize, bits: i32, windows: i32, scalars: usize, count: i32, minus: bool): void {
  recode(scalars, count, bits, windows);
  for (let w = 0; w < windows; w++)
    for (let start = 0; start < count; start += GROUP) {
      const digits = WINDOW_DIGITS + usize(w * MOST_ROWS + start);
      if (bits == BITS_G) selectFrom128(SELECTED, windowAt(table, bits, w), digits, minus);
      else selectFrom32(SELECTED, windowAt(table, bits, w), digits, minus);
      const rows = min(GROUP, count - start);
      for (let row = 0; row < rows; row += 2) {
        const sum = sums + usize((start + row) >> 1) * POINT;
        addAffine(sum, sum, SELECTED + usize(row >> 1) * ADDEND, true);
      }
    }
}

/** Adds scalars * G to points or, if `minus`, subtracts them. @param scalars 32 bytes each, below 2^253. */
export function addMultiplesOfG(sums: usize, scalars: usize, count: i32, minus: bool): void {
  prepareTables();
  addFromTable(sums, TABLE_G, BITS_G, WINDOWS_G, scalars, count, minus);
}

/** Adds amounts * H to points. @param amounts 32 bytes each, below 2^64. */
export function addMultiplesOfH(sums: usize, amounts: usize, count: i32): void {
  prepareTables();
  addFromTable(sums, TABLE_H, BITS_H, WINDOWS_H, amounts, count, false);
}

/** Adds scalars * T to points. @param scalars 32 bytes each, below 2^253. */
export function addMultiplesOfT(sums: usize, scalars: usize, count: i32): void {
  prepareT();
  addFromTable(sums, TABLE_T, BITS_H, WINDOWS_T, scalars, count, false);
}

/** Radix-16 digits of the scalars of the first lane and of the second lane. */
const DIGITS_0 = memory.data(64);
const DIGITS_1 = memory.data(64);

@inline
function digit0(i: i32): i32 {
  return i32(load<i8>(DIGITS_0 + usize(i)));
}
@inline
function digit1(i: i32): i32 {
  return i32(load<i8>(DIGITS_1 + usize(i)));
}

/** Multiples 1 to 8 of a pair of points, as addends. */
const SMALL_MULTIPLES = memory.data(5120, 16);

/**
 * Computes o = s*p without T, with a scalar for each lane.
 * @param first scalar of the first lane, 32 bytes, below 2^253.
 * @param second scalar of the second lane.
 */
export function multiplySecret(o: usize, p: usize, first: usize, second: usize): void {
  toDigits(DIGITS_0, first);
  toDigits(DIGITS_1, second);
  multiplyByDigits(o, p);
}

/** Sets the scalar of {@link multiplyByDigits}, the same in both lanes. @param scalar 32 bytes, below 2^253. */
export function setSecret(scalar: usize): void {
  toDigits(DIGITS_0, scalar);
  memory.copy(DIGITS_1, DIGITS_0, DIGITS);
}

/** Computes o = s*p without T; the scalars are given by DIGITS_0 and DIGITS_1. */
export function multiplyByDigits(o: usize, p: usize): void {
  toAddend(SMALL_MULTIPLES, p);
  memory.copy(BASE, p, POINT);
  for (let m: usize = 1; m < 8; m++) {
    addPoint(BASE, BASE, SMALL_MULTIPLES, false, true);
    toAddend(SMALL_MULTIPLES + m * ADDEND, BASE);
  }
  selectAddend(SELECTED, SMALL_MULTIPLES, digit0(DIGITS - 1), digit1(DIGITS - 1));
  fromAddend(o, SELECTED);
  for (let i = DIGITS - 2; i >= 0; i--) {
    double(o, o, false);
    double(o, o, false);
    double(o, o, false);
    double(o, o, true);
    selectAddend(SELECTED, SMALL_MULTIPLES, digit0(i), digit1(i));
    addPoint(o, o, SELECTED, false, false);
  }
}

/** Wipes the digits, the multiples that they selected, and all temporary values. */
export function wipeMultiples(): void {
  memory.fill(WINDOW_DIGITS, 0, 11008);
  memory.fill(DIGITS_0, 0, 64);
  memory.fill(DIGITS_1, 0, 64);
  memory.fill(SELECTED, 0, 5120);
  memory.fill(SMALL_MULTIPLES, 0, 5120);
  memory.fill(BASE, 0, 640);
  memory.fill(TEMP, 0, 640);
  memory.fill(STEP, 0, 640);
}
