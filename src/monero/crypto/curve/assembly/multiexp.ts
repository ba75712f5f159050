/*
 * Multi-scalar multiplication: one sum, or two sums with the same scalars. Variable time throughout: for scalars that
 * are public, or blinded in a proof. Straus' method with tables of odd multiples, digits in non-adjacent form and
 * shared doublings. The two lanes compute different terms of a sum, or two sums.
 */
import { ELEMENT, gather, pack, PACKED, setSmall, subtract } from './field';
import { ADDEND, addAffine, addPoint, divideByZ, double, POINT, setIdentity, toAddend, toAffineAddend } from './point';

/** Bits of a window for points of the basis, whose tables are kept, and for other points, which are used once. */
const BASIS_WINDOW: i32 = 6;
const WINDOW: i32 = 5;
/** Number of odd multiples in a table: the odd multiples below half the size of a window. */
const BASIS_MULTIPLES: i32 = 16;
const MULTIPLES: i32 = 8;
/** Number of digits of a scalar: 255 bits and a carry. */
const BITS: i32 = 256;
/** Size of a table entry [bytes]: Y+X, Y-X, 2dT and -2dT of a multiple with Z = 1. */
const ENTRY: usize = 4 * PACKED;

/*
 * Areas of variable size follow all static areas, 16-aligned: tables of the basis, tables of other points, digits (a
 * row for each bit, a byte for each term), and the scalars of the terms.
 */
const TABLES: usize = (__heap_base + 15) & ~15;

/** Number of points of the basis. */
let basisSize: i32 = 0;

@inline
function otherTables(): usize {
  return TABLES + usize(basisSize) * usize(BASIS_MULTIPLES) * ENTRY;
}
/** Returns the size of a row of digits [bytes]. */
@inline
function rowOf(terms: i32): usize {
  return (usize(terms) + 15) & ~15;
}
/**
 * Returns the address of the digits. Space for one more table lies before this address, because tables are written in
 * pairs.
 */
@inline
function digitsArea(others: i32): usize {
  return otherTables() + (usize(others) + 1) * usize(MULTIPLES) * ENTRY;
}
@inline
function scalarsArea(basisTerms: i32, others: i32): usize {
  return digitsArea(others) + usize(BITS) * rowOf(basisTerms + others);
}

/** Returns the address of the free memory after the tables of the basis. */
export function freeAreaAt(): usize {
  return otherTables();
}

/** Grows the memory so that it reaches up to an address. @returns false if there is no more memory. */
export function growMemory(end: usize): bool {
  const pages = i32((end + 0xffff) >> 16);
  return pages <= memory.size() || memory.grow(pages - memory.size()) >= 0;
}

/** Reserves memory for the tables of more points of the basis. @returns false if there is no more memory. */
export function reserveBasis(count: i32): bool {
  return growMemory(TABLES + usize(basisSize + count + 1) * usize(BASIS_MULTIPLES) * ENTRY);
}

/**
 * Changes the number of points of the basis, whose tables must already be written.
 * @param count number of points to add; negative: to remove.
 */
export function resizeBasis(count: i32): void {
  basisSize += count;
}

/** Reserves memory for the terms of a sum. @returns the address of its scalars, or 0 if there is no more memory. */
export function reserveTerms(basisTerms: i32, others: i32): usize {
  const scalars = scalarsArea(basisTerms, others);
  return growMemory(scalars + (usize(basisTerms + others) << 5)) ? scalars : 0;
}

const STEP = memory.data(640, 16);
const NEGATIVE = memory.data(160, 16);
const ZERO = memory.data(160, 16);
/** Odd multiples of a pair of points, BASIS_MULTIPLES of them. */
const PROJECTIVE = memory.data(10240, 16);

/**
 * Writes the tables of a pair of points.
 * @param index index of the first point in the basis or, if `isOther`, among the other points.
 */
export function fillTables(pair: usize, index: i32, isOther: bool): void {
  const count = isOther ? MULTIPLES : BASIS_MULTIPLES;
  const table = (isOther ? otherTables() : TABLES) + usize(index) * usize(count) * ENTRY;
  double(PROJECTIVE, pair, true);
  toAddend(STEP, PROJECTIVE);
  memory.copy(PROJECTIVE, pair, POINT);
  for (let m: usize = 1; m < usize(count); m++) addPoint(PROJECTIVE + m * POINT, PROJECTIVE + (m - 1) * POINT, STEP, false, true);
  divideByZ(PROJECTIVE, count, POINT);
  for (let m: usize = 0; m < usize(count); m++) {
    const point = PROJECTIVE + m * POINT;
    toAffineAddend(STEP, point);
    subtract(NEGATIVE, ZERO, STEP + 3 * ELEMENT);
    for (let lane: usize = 0; lane < 2; lane++) {
      const entry = table + (lane * usize(count) + m) * ENTRY;
      pack(entry, STEP, lane);
      pack(entry + PACKED, STEP + ELEMENT, lane);
      pack(entry + 2 * PACKED, STEP + 3 * ELEMENT, lane);
      pack(entry + 3 * PACKED, NEGATIVE, lane);
    }
  }
}

/** The identity, as a table entry. */
const IDENTITY_ENTRY = memory.data(160, 16);

export function prepareMultiexp(): void {
  setSmall(STEP, 1);
  pack(IDENTITY_ENTRY, STEP, 0);
  pack(IDENTITY_ENTRY + PACKED, STEP, 0);
}

const PADDED = memory.data(48, 16);

/** Writes the digits of a scalar in non-adjacent form, lowest first. Nonzero digits are odd; zeros are not written. */
function recode(digits: usize, stride: usize, scalar: usize, window: i32): void {
  memory.copy(PADDED, scalar, 32);
  const mask = (u64(1) << window) - 1;
  let carry: u64 = 0;
  for (let bit = 0; bit < BITS; ) {
    const bits = load<u64>(PADDED + usize(bit >> 3)) >> (bit & 7);
    if ((bits & 1) == carry) {
      bit++;
      continue;
    }
    const value = (bits & mask) + carry;
    carry = value >> (window - 1);
    store<i8>(digits + usize(bit) * stride, i8(i64(value) - (i64(carry) << window)));
    bit += window;
  }
}

/** Writes the digits of all terms: first the digits of the basis' points, then the digits of the other points. */
function recodeAll(basisTerms: i32, others: i32): void {
  const digits = digitsArea(others), stride = rowOf(basisTerms + others), scalars = scalarsArea(basisTerms, others);
  memory.fill(digits, 0, scalars - digits);
  for (let term = 0; term < basisTerms + others; term++)
    recode(digits + usize(term), stride, scalars + (usize(term) << 5), term < basisTerms ? BASIS_WINDOW : WINDOW);
}

/** Wipes the tables of other points, the digits and scalars, and the multiples that were selected last. */
export function wipeTerms(basisTerms: i32, others: i32): void {
  const start = otherTables();
  memory.fill(start, 0, scalarsArea(basisTerms, others) + (usize(basisTerms + others) << 5) - start);
  wipeSums();
}

/** Wipes the temporary values of sums, except the values of {@link sumTwins}, whose scalars are public. */
export function wipeSums(): void {
  memory.fill(PADDED, 0, 48);
  memory.fill(SUM, 0, 640);
  memory.fill(PROJECTIVE, 0, 10240);
  memory.fill(SELECTED, 0, 640);
  memory.fill(STEP, 0, 640);
  memory.fill(NEGATIVE, 0, 160);
  memory.fill(PACKED_LANE, 0, 40);
  memory.fill(OTHER_LANE, 0, 640);
}

/** Returns the address of the first table entry of a basis point, which is the point itself. */
@inline
function basisEntry(index: u32): usize {
  return TABLES + usize(index) * usize(BASIS_MULTIPLES) * ENTRY;
}

/**
 * Returns the address of the table entry that a digit selects; its lowest bit is set if the entry is to be subtracted.
 */
@inline
function entryOf(basisTerms: i32, term: i32, digit: i32): usize {
  const sign = digit >> 31;
  const index = usize((digit ^ sign) - sign) >> 1;
  const table = term < basisTerms
    ? basisEntry(term)
    : otherTables() + usize(term - basisTerms) * usize(MULTIPLES) * ENTRY;
  return table + index * ENTRY + (sign & 1);
}

const SELECTED = memory.data(640, 16);
const SUM = memory.data(640, 16);

/** Adds a table entry to each lane of a sum. */
@inline
function addEntries(sum: usize, first: usize, second: usize, withT: bool): void {
  const minus0 = first & 1, minus1 = second & 1;
  const at0 = first - minus0, at1 = second - minus1;
  gather(SELECTED, at0 + minus0 * PACKED, at1 + minus1 * PACKED);
  gather(SELECTED + ELEMENT, at0 + (1 - minus0) * PACKED, at1 + (1 - minus1) * PACKED);
  gather(SELECTED + 3 * ELEMENT, at0 + (2 + minus0) * PACKED, at1 + (2 + minus1) * PACKED);
  addAffine(sum, sum, SELECTED, withT);
}

const PACKED_LANE = memory.data(40, 16);
const OTHER_LANE = memory.data(640, 16);

/** Sets both lanes of a sum to the sum of both lanes. */
function joinLanes(sum: usize): void {
  for (let at: usize = 0; at < POINT; at += ELEMENT) {
    pack(PACKED_LANE, sum + at, 1);
    gather(OTHER_LANE + at, PACKED_LANE, PACKED_LANE);
    pack(PACKED_LANE, sum + at, 0);
    gather(sum + at, PACKED_LANE, PACKED_LANE);
  }
  toAddend(STEP, OTHER_LANE);
  addPoint(sum, sum, STEP, false, true);
}

/** Computes sum = the sum of all terms, in both lanes. */
export function sumTerms(sum: usize, basisTerms: i32, others: i32): void {
  recodeAll(basisTerms, others);
  const digits = digitsArea(others), stride = rowOf(basisTerms + others);
  setIdentity(sum);
  let started = false;
  for (let bit = BITS - 1; bit >= 0; bit--) {
    const row = digits + usize(bit) * stride;
    let doubled = !started;
    // A table entry that waits for a second entry, so that both are added at once, one in each lane.
    let waiting: usize = 0;
    for (let octet: usize = 0; octet < stride; octet += 8) {
      let word = load<u64>(row + octet);
      while (word != 0) {
        const byte = u64(ctz(word)) >> 3;
        word &= ~(u64(0xff) << (byte << 3));
        const entry = entryOf(basisTerms, i32(octet + usize(byte)), i32(load<i8>(row + octet + usize(byte))));
        if (waiting == 0) {
          waiting = entry;
          continue;
        }
        if (!doubled) double(sum, sum, true);
        doubled = true;
        addEntries(sum, waiting, entry, true);
        waiting = 0;
        started = true;
      }
    }
    if (!doubled) double(sum, sum, true);
    if (waiting != 0) {
      addEntries(sum, waiting, IDENTITY_ENTRY, true);
      started = true;
    }
  }
  joinLanes(sum);
}

/**
 * Writes the tables of two sums of basis points, in the place of the tables of two other points.
 * @param list indices of the basis points, four bytes each: the points of the first sum, then the points of the second
 * sum.
 * @param first number of points of the first sum.
 * @param second number of points of the second.
 * @param index index of the first sum among the other points.
 */
export function addTablesOfSums(list: usize, first: i32, second: i32, index: i32): void {
  setIdentity(SUM);
  const most = max(first, second);
  const rest = list + (usize(first) << 2);
  for (let i = 0; i < most; i++) {
    const at = usize(i) << 2;
    const entry0 = i < first ? basisEntry(load<u32>(list + at)) : IDENTITY_ENTRY;
    const entry1 = i < second ? basisEntry(load<u32>(rest + at)) : IDENTITY_ENTRY;
    addEntries(SUM, entry0, entry1, true);
  }
  fillTables(SUM, index, true);
}

/** Writes the digits of the terms for {@link sumPairOfGroups}. */
export function startGroups(basisTerms: i32): void {
  recodeAll(basisTerms, 0);
}

/** Computes sum: in lane n the sum of the terms from index `first + n` on, `step` apart. */
export function sumPairOfGroups(sum: usize, basisTerms: i32, first: i32, step: i32): void {
  const digits = digitsArea(0), stride = rowOf(basisTerms);
  setIdentity(sum);
  let started = false;
  for (let bit = BITS - 1; bit >= 0; bit--) {
    const row = digits + usize(bit) * stride;
    let doubled = !started;
    let term0 = first, term1 = first + 1;
    for (;;) {
      while (term0 < basisTerms && load<i8>(row + usize(term0)) == 0) term0 += step;
      while (term1 < basisTerms && load<i8>(row + usize(term1)) == 0) term1 += step;
      if (term0 >= basisTerms && term1 >= basisTerms) break;
      if (!doubled) double(sum, sum, true);
      doubled = true;
      started = true;
      const entry0 = term0 < basisTerms ? entryOf(basisTerms, term0, i32(load<i8>(row + usize(term0)))) : IDENTITY_ENTRY;
      const entry1 = term1 < basisTerms ? entryOf(basisTerms, term1, i32(load<i8>(row + usize(term1)))) : IDENTITY_ENTRY;
      addEntries(sum, entry0, entry1, true);
      term0 += step;
      term1 += step;
    }
    if (!doubled) double(sum, sum, false);
  }
}

/** Largest number of terms of {@link sumTwins}. */
export const MOST_TERMS: i32 = 4;
const TWIN_DIGITS = memory.data(1024, 16);
const TWIN_ODD = memory.data(20480, 16);
const TWICE = memory.data(640, 16);

/** Sets a term of {@link sumTwins}: a pair of points, one for each sum, and the scalar that multiplies both. */
export function setTwin(term: i32, pair: usize, scalar: usize): void {
  const odd = TWIN_ODD + usize(term) * 8 * ADDEND;
  double(PROJECTIVE, pair, true);
  toAddend(TWICE, PROJECTIVE);
  toAddend(odd, pair);
  memory.copy(PROJECTIVE, pair, POINT);
  for (let m: usize = 1; m < usize(MULTIPLES); m++) {
    addPoint(PROJECTIVE, PROJECTIVE, TWICE, false, true);
    toAddend(odd + m * ADDEND, PROJECTIVE);
  }
  const digits = TWIN_DIGITS + (usize(term) << 8);
  memory.fill(digits, 0, BITS);
  recode(digits, 1, scalar, WINDOW);
}

/** Computes sum: in each lane the sum of its terms. */
export function sumTwins(sum: usize, terms: i32): void {
  setIdentity(sum);
  let started = false;
  for (let bit = BITS - 1; bit >= 0; bit--) {
    let last = -1;
    for (let term = 0; term < terms; term++) if (load<i8>(TWIN_DIGITS + (usize(term) << 8) + usize(bit)) != 0) last = term;
    if (started) double(sum, sum, last >= 0);
    for (let term = 0; term <= last; term++) {
      const digit = i32(load<i8>(TWIN_DIGITS + (usize(term) << 8) + usize(bit)));
      if (digit == 0) continue;
      const odd = TWIN_ODD + usize(term) * 8 * ADDEND;
      if (digit > 0) addPoint(sum, sum, odd + (usize(digit) >> 1) * ADDEND, false, term < last);
      else addPoint(sum, sum, odd + (usize(-digit) >> 1) * ADDEND, true, term < last);
      started = true;
    }
  }
}
