/*
 * Multiples of points by secret scalars, a scalar a lane. The course of instructions and of memory accesses is the
 * same for all scalars: every digit of radix 16 costs a look at all eight multiples and one addition.
 */
import { ELEMENT, multiply, pack, PACKED, selectAddend, selectPacked, setSmall } from './field';
import { ADDEND, addAffine, addPoint, decompress, divideByZ, double, POINT, setIdentity, toAddend } from './point';
import { DIGITS, toDigits } from './scalar';

const G_BYTES = memory.data<u64>([0x6666666666666658, 0x6666666666666666, 0x6666666666666666, 0x6666666666666666]);
/** Source: rctTypes.h `H`. */
const H_BYTES = memory.data<u64>([0xaf9937157059658b, 0xead0adf19fdcea2a, 0xa9cf5441d551726c, 0x941f9cd30d3a172c]);

const MULTIPLES: i32 = 8;
/** Y+X, Y-X and 2dT of a multiple whose Z is 1. */
const ENTRY: usize = 3 * PACKED;
const WINDOW: usize = 8 * ENTRY;
/** Digits of an amount: 64 bits and a carry. */
const AMOUNT_DIGITS: i32 = 17;
/** Of m * 16^w * G and of m * 16^w * H, m = 1 to 8, for every digit w. */
const TABLE_G = memory.data(61440, 16);
const TABLE_H = memory.data(16320, 16);

const ROUGH = memory.data(5120, 16);
const STEP = memory.data(640, 16);
const BASE = memory.data(640, 16);

let ready = false;

/** Makes the tables, which takes milliseconds, when they are first needed. */
function prepareTables(): void {
  if (ready) return;
  fillTable(TABLE_G, G_BYTES, DIGITS);
  fillTable(TABLE_H, H_BYTES, AMOUNT_DIGITS);
  ready = true;
}

function fillTable(table: usize, base: usize, digits: i32): void {
  decompress(BASE, base, base);
  for (let digit = 0; digit < digits; digit++) {
    toAddend(STEP, BASE);
    memory.copy(ROUGH, BASE, POINT);
    for (let m: usize = 1; m < usize(MULTIPLES); m++)
      addPoint(ROUGH + m * POINT, ROUGH + (m - 1) * POINT, STEP, false, true);
    double(BASE, ROUGH + usize(MULTIPLES - 1) * POINT, true);
    divideByZ(ROUGH, MULTIPLES, POINT);
    for (let m: usize = 0; m < usize(MULTIPLES); m++) {
      const point = ROUGH + m * POINT;
      const entry = table + usize(digit) * WINDOW + m * ENTRY;
      setSmall(point + 2 * ELEMENT, 1);
      multiply(point + 3 * ELEMENT, point, point + ELEMENT);
      toAddend(STEP, point);
      pack(entry, STEP, 0);
      pack(entry + PACKED, STEP + ELEMENT, 0);
      pack(entry + 2 * PACKED, STEP + 3 * ELEMENT, 0);
    }
  }
}

const CHOSEN = memory.data(640, 16);
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

function addFromTable(p: usize, table: usize, digits: i32, minus: bool): void {
  prepareTables();
  for (let i = 0; i < digits; i++) {
    selectPacked(CHOSEN, table + usize(i) * WINDOW, minus ? -digit0(i) : digit0(i), minus ? -digit1(i) : digit1(i));
    addAffine(p, p, CHOSEN, true);
  }
}

/** p = p + s*G, or p - s*G. */
export function addMultiplesOfG(p: usize, first: usize, second: usize, minus: bool): void {
  toDigits(DIGITS_0, first);
  toDigits(DIGITS_1, second);
  addFromTable(p, TABLE_G, DIGITS, minus);
}

/** p = p + a*H, a below 2^64. */
export function addMultiplesOfH(p: usize, first: usize, second: usize): void {
  toDigits(DIGITS_0, first);
  toDigits(DIGITS_1, second);
  addFromTable(p, TABLE_H, AMOUNT_DIGITS, false);
}

const OWN = memory.data(5120, 16);

/** o = s*p. */
export function multiplySecret(o: usize, p: usize, first: usize, second: usize): void {
  toDigits(DIGITS_0, first);
  toDigits(DIGITS_1, second);
  toAddend(OWN, p);
  memory.copy(BASE, p, POINT);
  for (let m: usize = 1; m < usize(MULTIPLES); m++) {
    addPoint(BASE, BASE, OWN, false, true);
    toAddend(OWN + m * ADDEND, BASE);
  }
  setIdentity(o);
  for (let i = DIGITS - 1; i >= 0; i--) {
    if (i < DIGITS - 1) {
      double(o, o, false);
      double(o, o, false);
      double(o, o, false);
      double(o, o, true);
    }
    selectAddend(CHOSEN, OWN, digit0(i), digit1(i));
    addPoint(o, o, CHOSEN, false, false);
  }
}

/** Wipes what came from scalars. */
export function forgetMultiples(): void {
  memory.fill(DIGITS_0, 0, 64);
  memory.fill(DIGITS_1, 0, 64);
  memory.fill(CHOSEN, 0, 640);
}
