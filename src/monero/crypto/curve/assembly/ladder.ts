/*
 * X25519 of pairs of u-coordinates: multiplication by scalars that are not clamped, in constant time, with a Montgomery
 * ladder in projective coordinates u = X/Z. Every number is the u-coordinate of a point of the curve v^2 = u^3 + 486662*u^2 +
 * u or of its twist, and the ladder is right for both, also for points of small order. Source: RFC 7748, section 5.
 */
import {
  add,
  carryElement,
  carrySumAndDifference,
  copy,
  ELEMENT,
  multiply,
  multiplyColumns,
  multiplySmall,
  read,
  setSmall,
  square,
  subtract,
  swapLanes,
} from './field';
import { replaceInfinite } from './montgomery';

/** Number of bits of scalars below l. */
const BITS: i32 = 253;

const U = memory.data(160, 16);
const X2 = memory.data(160, 16);
const Z2 = memory.data(160, 16);
const X3 = memory.data(160, 16);
const Z3 = memory.data(160, 16);
const A = memory.data(160, 16);
const B = memory.data(160, 16);
const C = memory.data(160, 16);
const D = memory.data(160, 16);
const AA = memory.data(160, 16);
const BB = memory.data(160, 16);
const E = memory.data(160, 16);
const DA = memory.data(160, 16);
const CB = memory.data(160, 16);
/** The constant (486662 + 2) / 4. */
const A24: i32 = 121666;

@inline
function bitOf(scalar: usize, i: i32): i32 {
  return (i32(load<u8>(scalar + usize(i >> 3))) >> (i & 7)) & 1;
}

/**
 * Doubles X2:Z2, and adds X2:Z2 to X3:Z3; U is the u-coordinate of their difference. Neighbouring products do not depend on
 * each other, so that the processor computes them at once.
 */
function step(): void {
  add(A, X2, Z2);
  subtract(B, X2, Z2);
  carryElement(A, A);
  carryElement(B, B);
  add(C, X3, Z3);
  subtract(D, X3, Z3);
  multiplyColumns(CB, B, C);
  multiplyColumns(DA, A, D);
  square(AA, A);
  square(BB, B);
  carrySumAndDifference(X3, Z3, DA, CB);
  subtract(E, AA, BB);
  carryElement(E, E);
  square(X3, X3);
  square(Z3, Z3);
  multiplySmall(C, E, A24);
  multiply(X2, AA, BB);
  add(C, C, BB);
  multiply(Z3, Z3, U);
  multiply(Z2, E, C);
}

/**
 * Computes o = s*u, a pair of fractions in the place of a pair of points: X and Z. If a product is infinite, its fraction is
 * 0/1.
 * @param first u-coordinate of the first lane, 32 bytes; bit 255 is ignored, and numbers of p or more are reduced.
 * @param s scalar of the first lane, 32 bytes, below l.
 * @param t scalar of the second lane.
 */
export function multiplyByLadder(o: usize, first: usize, second: usize, s: usize, t: usize): void {
  read(U, 0, first);
  read(U, 1, second);
  carryElement(U, U);
  setSmall(X2, 1);
  setSmall(Z2, 0);
  copy(X3, U);
  setSmall(Z3, 1);
  let swap0 = 0, swap1 = 0;
  for (let i = BITS - 1; i >= 0; i--) {
    const bit0 = bitOf(s, i), bit1 = bitOf(t, i);
    swapLanes(X2, X3, -(swap0 ^ bit0), -(swap1 ^ bit1));
    swapLanes(Z2, Z3, -(swap0 ^ bit0), -(swap1 ^ bit1));
    swap0 = bit0;
    swap1 = bit1;
    step();
  }
  swapLanes(X2, X3, -swap0, -swap1);
  swapLanes(Z2, Z3, -swap0, -swap1);
  copy(o, X2);
  copy(o + 2 * ELEMENT, Z2);
  replaceInfinite(o);
}

/** Wipes the temporary values of the ladder. */
export function wipeLadder(): void {
  memory.fill(U, 0, 160);
  memory.fill(X2, 0, 160);
  memory.fill(Z2, 0, 160);
  memory.fill(X3, 0, 160);
  memory.fill(Z3, 0, 160);
  memory.fill(A, 0, 160);
  memory.fill(B, 0, 160);
  memory.fill(C, 0, 160);
  memory.fill(D, 0, 160);
  memory.fill(AA, 0, 160);
  memory.fill(BB, 0, 160);
  memory.fill(E, 0, 160);
  memory.fill(DA, 0, 160);
  memory.fill(CB, 0, 160);
}
