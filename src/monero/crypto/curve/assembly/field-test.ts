/* Exports for the tests of the field; not part of the kernel. */
import {
  carryDoubling,
  carryElement,
  chooseLanes as chooseLanesHere,
  carrySumAndDifference,
  multiply,
  multiplyColumns,
  multiplySmall as multiplySmallHere,
  multiplyTwice as multiplyTwiceHere,
  prepareField,
  square,
  squareColumns,
  squareTimes as squareTimesHere,
  swapLanes as swapLanesHere,
} from './field';

/** Operands and results, 160 bytes for each pair of elements. */
const ELEMENTS = memory.data(2560, 16);
const A = memory.data(160, 16);
const B = memory.data(160, 16);
const C = memory.data(160, 16);

export function prepare(): void {
  prepareField();
}

export function elementsAt(): usize {
  return ELEMENTS;
}

export { multiply, square, carryElement };
export { reduce } from './scalar';

export function multiplyTwice(o: usize, a: usize, b: usize): void {
  multiplyTwiceHere(o, a, b);
}

export function squareTimes(o: usize, a: usize, n: i32): void {
  squareTimesHere(o, a, n);
}

/** Computes sum = ab + cd and difference = ab - cd. */
export function bothProducts(sum: usize, difference: usize, a: usize, b: usize, c: usize, d: usize): void {
  multiplyColumns(A, a, b);
  multiplyColumns(B, c, d);
  carrySumAndDifference(sum, difference, A, B);
}

/** Computes g = b^2 - a^2, h = b^2 + a^2 and f = 2c^2 - g. */
export function doubling(f: usize, g: usize, h: usize, a: usize, b: usize, c: usize): void {
  squareColumns(A, a);
  squareColumns(B, b);
  squareColumns(C, c);
  carryDoubling(f, g, h, A, B, C);
}

export function multiplySmall(o: usize, a: usize, n: i32): void {
  multiplySmallHere(o, a, n);
}

export function swapLanes(a: usize, b: usize, first: i32, second: i32): void {
  swapLanesHere(a, b, first, second);
}

export function chooseLanes(o: usize, a: usize, b: usize, first: i32, second: i32): void {
  chooseLanesHere(o, a, b, first, second);
}
