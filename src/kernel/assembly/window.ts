/*
 * Windows: 32 multiples of a point, stored so that one can be selected by secret digits in constant time. A window
 * holds Y+X, Y-X and 2dT of each multiple with Z = 1, byte by byte: of each byte, those of all 32 multiples in a row.
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
/** The entries of the next window of each lane, one after the other. */
const ENTRIES = memory.data(7680, 16);

/**
 * Writes a pair of multiples into the next windows, one a lane.
 * @param index from 0 to 31. @param p pair whose X and Y are divided by Z.
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

/** Writes the window of a lane, once all of its multiples are set. */
export function writeWindow(window: usize, lane: usize): void {
  const entries = ENTRIES + lane * WINDOW;
  for (let i: usize = 0; i < ENTRY; i += 8) {
    transpose16(window + i * MULTIPLES, entries + i, ENTRY);
    transpose16(window + i * MULTIPLES + 16, entries + 16 * ENTRY + i, ENTRY);
  }
}
