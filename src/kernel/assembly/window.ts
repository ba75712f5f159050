/*
 * Windows: 32 multiples of a point, stored so that secret digits can select from them in constant time. A window holds
 * Y+X, Y-X and 2dT of each multiple with Z = 1, transposed: each byte of all 32 multiples is a row of 32 bytes.
 */
import { ELEMENT, pack, PACKED } from './field';
import { transpose16 } from './lanes';
import { toAffineAddend } from './point';

/** Multiples of a window. */
export const MULTIPLES: i32 = 32;
/** Bytes of a multiple. */
const ENTRY: usize = 3 * PACKED;
/** Bytes of a window. */
export const WINDOW: usize = 3840;

const ADDEND = memory.data(640, 16);
/** Multiples of the next window of each lane, before they are transposed. */
const ENTRIES = memory.data(7680, 16);

/**
 * Sets a multiple of the next window of each lane.
 * @param index from 0 to 31. @param p pair of points whose X and Y are divided by Z.
 */
export function setMultiple(index: i32, p: usize): void {
  toAffineAddend(ADDEND, p);
  for (let lane: usize = 0; lane < 2; lane++) {
    const entry = ENTRIES + lane * WINDOW + usize(index) * ENTRY;
    pack(entry, ADDEND, lane);
    pack(entry + PACKED, ADDEND + ELEMENT, lane);
    pack(entry + 2 * PACKED, ADDEND + 3 * ELEMENT, lane);
  }
}

/** Writes the window of a lane when all of its multiples are set. */
export function writeWindow(window: usize, lane: usize): void {
  const entries = ENTRIES + lane * WINDOW;
  for (let i: usize = 0; i < ENTRY; i += 8) {
    transpose16(window + i * MULTIPLES, entries + i, ENTRY);
    transpose16(window + i * MULTIPLES + 16, entries + 16 * ENTRY + i, ENTRY);
  }
}
