/*
 * Windows: 32 or 128 multiples of a point, stored so that secret digits can select from them in constant time. A window
 * holds Y+X, Y-X and 2dT of each multiple with Z = 1, transposed: each byte of all multiples is a row.
 */
import { ELEMENT, pack, PACKED } from './field';
import { transpose16 } from './lanes';
import { toAffineAddend } from './point';

/** Size of a multiple [bytes]. */
export const ENTRY: usize = 3 * PACKED;
/** Largest number of multiples in a window. */
export const MOST_MULTIPLES: i32 = 128;
/** Multiples of windows before the division by Z, up to 128 pairs of points. */
export const UNDIVIDED = memory.data(81920, 16);

const ADDEND = memory.data(640, 16);
/** Multiples of the next window of each lane, before they are transposed. */
const ENTRIES = memory.data(30720, 16);

@inline
function entryAt(lane: usize, index: i32): usize {
  return ENTRIES + usize(lane * MOST_MULTIPLES + index) * ENTRY;
}

/**
 * Sets one multiple of the next window of each lane.
 * @param index index of the multiple, from 0 to 127.
 * @param p pair of points whose X and Y are divided by Z.
 */
export function setMultiple(index: i32, p: usize): void {
  toAffineAddend(ADDEND, p);
  for (let lane: usize = 0; lane < 2; lane++) {
    const entry = entryAt(lane, index);
    pack(entry, ADDEND, lane);
    pack(entry + PACKED, ADDEND + ELEMENT, lane);
    pack(entry + 2 * PACKED, ADDEND + 3 * ELEMENT, lane);
  }
}

/**
 * Writes the window of a lane after all of its multiples were set.
 * @param multiples number of multiples, divisible by 16.
 */
export function writeWindow(window: usize, multiples: i32, lane: usize): void {
  for (let index = 0; index < multiples; index += 16)
    for (let i: usize = 0; i < ENTRY; i += 8)
      transpose16(window + usize(index) + i * usize(multiples), multiples, entryAt(lane, index) + i, ENTRY);
}
