/*
 * Sums of many products, and of two at once with the same scalars. Variable time throughout: for scalars that are
 * public, or blinded in a proof. Straus' method: odd multiples of every point, digits in non-adjacent form, the
 * doublings shared. The two lanes add up different terms of a sum, or of two sums.
 */
import { ELEMENT, gather, pack, PACKED, setSmall, subtract } from './field';
import { ADDEND, addAffine, addPoint, divideByZ, double, POINT, setIdentity, toAddend, toAffineAddend } from './point';

/** Bits of a window for points whose multiples are kept, and for points used once. */
const KEPT_WINDOW: i32 = 7;
const WINDOW: i32 = 5;
/** Odd multiples below half of a window. */
const KEPT_MULTIPLES: i32 = 32;
const MULTIPLES: i32 = 8;
/** A scalar's 255 bits, and one for a carry. */
const BITS: i32 = 256;
/** Y+X, Y-X, 2dT and -2dT of a multiple whose Z is 1. */
const ENTRY: usize = 4 * PACKED;

/*
 * What needs room without bound stands behind everything else, 16-aligned: tables of kept points, tables of points
 * used once, digits (a row a bit, a byte a term), and the terms' scalars.
 */
const TABLES: usize = (__heap_base + 15) & ~15;

/** How many points are kept. */
let kept: i32 = 0;

@inline
function onceTables(): usize {
  return TABLES + usize(kept) * usize(KEPT_MULTIPLES) * ENTRY;
}
/** Bytes of a row of digits. */
@inline
function rowOf(terms: i32): usize {
  return (usize(terms) + 15) & ~15;
}
/** Tables are written in pairs, so there is room for one more. */
@inline
function digitsArea(once: i32): usize {
  return onceTables() + (usize(once) + 1) * usize(MULTIPLES) * ENTRY;
}
@inline
function scalarsArea(used: i32, once: i32): usize {
  return digitsArea(once) + usize(BITS) * rowOf(used + once);
}

/** Room behind the tables that are kept. */
export function spareRoom(): usize {
  return onceTables();
}

/** Grows the memory. @returns whether it could be. */
export function growTo(end: usize): bool {
  const pages = i32((end + 0xffff) >> 16);
  return pages <= memory.size() || memory.grow(pages - memory.size()) >= 0;
}

/** Makes room for the tables of so many more points. @returns whether it could be. */
export function makeRoom(count: i32): bool {
  return growTo(TABLES + usize(kept + count + 1) * usize(KEPT_MULTIPLES) * ENTRY);
}

/** Keeps so many more points, whose tables are there; or fewer. */
export function keep(count: i32): void {
  kept += count;
}

/** Makes room for a sum. @returns where its scalars go, or 0 where memory is short. */
export function roomFor(used: i32, once: i32): usize {
  const scalars = scalarsArea(used, once);
  return growTo(scalars + (usize(used + once) << 5)) ? scalars : 0;
}

const STEP = memory.data(640, 16);
const NEGATIVE = memory.data(160, 16);
const ZERO = memory.data(160, 16);
const ROUGH = memory.data(20480, 16);

/** Writes the tables of a pair of points. @param index its place among those kept, or among those used once. */
export function fillTables(pair: usize, index: i32, once: bool): void {
  const count = once ? MULTIPLES : KEPT_MULTIPLES;
  const table = (once ? onceTables() : TABLES) + usize(index) * usize(count) * ENTRY;
  double(ROUGH, pair, true);
  toAddend(STEP, ROUGH);
  memory.copy(ROUGH, pair, POINT);
  for (let m: usize = 1; m < usize(count); m++) addPoint(ROUGH + m * POINT, ROUGH + (m - 1) * POINT, STEP, false, true);
  divideByZ(ROUGH, count, POINT);
  for (let m: usize = 0; m < usize(count); m++) {
    const point = ROUGH + m * POINT;
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

/** The identity as an entry of a table. */
const NOTHING = memory.data(160, 16);

export function prepareMultiexp(): void {
  setSmall(STEP, 1);
  pack(NOTHING, STEP, 0);
  pack(NOTHING + PACKED, STEP, 0);
}

const PADDED = memory.data(48, 16);

/** Writes digits in non-adjacent form, lowest first: odd, or zero, which stays unwritten. */
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

/** Writes the digits of all terms: of the first `used` points that are kept, then of those used once. */
function recodeAll(used: i32, once: i32): void {
  const digits = digitsArea(once), stride = rowOf(used + once), scalars = scalarsArea(used, once);
  memory.fill(digits, 0, scalars - digits);
  for (let term = 0; term < used + once; term++)
    recode(digits + usize(term), stride, scalars + (usize(term) << 5), term < used ? KEPT_WINDOW : WINDOW);
}

/** Wipes digits and scalars, and the multiples that digits chose last. */
export function forgetTerms(used: i32, once: i32): void {
  const digits = digitsArea(once);
  memory.fill(digits, 0, scalarsArea(used, once) + (usize(used + once) << 5) - digits);
  forgetSums();
}

/** Wipes the temporaries of sums, those of {@link sumTwins} aside, whose scalars are public. */
export function forgetSums(): void {
  memory.fill(PADDED, 0, 48);
  memory.fill(CHOSEN, 0, 640);
  memory.fill(STEP, 0, 640);
  memory.fill(NEGATIVE, 0, 160);
  memory.fill(ONE_LANE, 0, 40);
  memory.fill(OTHER, 0, 640);
}

/** The entry that a term's digit asks for; its lowest bit says that it is subtracted. */
@inline
function entryOf(used: i32, term: i32, digit: i32): usize {
  const sign = digit >> 31;
  const place = usize((digit ^ sign) - sign) >> 1;
  const table = term < used
    ? TABLES + usize(term) * usize(KEPT_MULTIPLES) * ENTRY
    : onceTables() + usize(term - used) * usize(MULTIPLES) * ENTRY;
  return table + place * ENTRY + (sign & 1);
}

const CHOSEN = memory.data(640, 16);

/** sum = sum + an entry a lane. */
@inline
function addEntries(sum: usize, first: usize, second: usize, withT: bool): void {
  const minus0 = first & 1, minus1 = second & 1;
  const at0 = first - minus0, at1 = second - minus1;
  gather(CHOSEN, at0 + minus0 * PACKED, at1 + minus1 * PACKED);
  gather(CHOSEN + ELEMENT, at0 + (1 - minus0) * PACKED, at1 + (1 - minus1) * PACKED);
  gather(CHOSEN + 3 * ELEMENT, at0 + (2 + minus0) * PACKED, at1 + (2 + minus1) * PACKED);
  addAffine(sum, sum, CHOSEN, withT);
}

const ONE_LANE = memory.data(40, 16);
const OTHER = memory.data(640, 16);

/** sum = in both lanes, both lanes together. */
function joinLanes(sum: usize): void {
  for (let at: usize = 0; at < POINT; at += ELEMENT) {
    pack(ONE_LANE, sum + at, 1);
    gather(OTHER + at, ONE_LANE, ONE_LANE);
    pack(ONE_LANE, sum + at, 0);
    gather(sum + at, ONE_LANE, ONE_LANE);
  }
  toAddend(STEP, OTHER);
  addPoint(sum, sum, STEP, false, true);
}

/** sum = all terms, in both lanes. */
export function sumTerms(sum: usize, used: i32, once: i32): void {
  recodeAll(used, once);
  const digits = digitsArea(once), stride = rowOf(used + once);
  setIdentity(sum);
  let started = false;
  for (let bit = BITS - 1; bit >= 0; bit--) {
    const row = digits + usize(bit) * stride;
    let doubled = !started;
    /** An entry that waits for another to be added with. */
    let waiting: usize = 0;
    for (let octet: usize = 0; octet < stride; octet += 8) {
      let word = load<u64>(row + octet);
      while (word != 0) {
        const byte = u64(ctz(word)) >> 3;
        word &= ~(u64(0xff) << (byte << 3));
        const entry = entryOf(used, i32(octet + usize(byte)), i32(load<i8>(row + octet + usize(byte))));
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
      addEntries(sum, waiting, NOTHING, true);
      started = true;
    }
  }
  joinLanes(sum);
}

/** Writes digits for {@link sumPairOfGroups}. */
export function startGroups(used: i32): void {
  recodeAll(used, 0);
}

/** sum = in lane n all terms from `first + n` on, `step` apart. */
export function sumPairOfGroups(sum: usize, used: i32, first: i32, step: i32): void {
  const digits = digitsArea(0), stride = rowOf(used);
  setIdentity(sum);
  let started = false;
  for (let bit = BITS - 1; bit >= 0; bit--) {
    const row = digits + usize(bit) * stride;
    let doubled = !started;
    let term0 = first, term1 = first + 1;
    for (;;) {
      while (term0 < used && load<i8>(row + usize(term0)) == 0) term0 += step;
      while (term1 < used && load<i8>(row + usize(term1)) == 0) term1 += step;
      if (term0 >= used && term1 >= used) break;
      if (!doubled) double(sum, sum, true);
      doubled = true;
      started = true;
      const entry0 = term0 < used ? entryOf(used, term0, i32(load<i8>(row + usize(term0)))) : NOTHING;
      const entry1 = term1 < used ? entryOf(used, term1, i32(load<i8>(row + usize(term1)))) : NOTHING;
      addEntries(sum, entry0, entry1, true);
      term0 += step;
      term1 += step;
    }
    if (!doubled) double(sum, sum, false);
  }
}

/** Terms of a pair of sums. */
export const MOST_TERMS: i32 = 4;
const TWIN_DIGITS = memory.data(1024, 16);
const TWIN_ODD = memory.data(20480, 16);
const TWICE = memory.data(640, 16);

/** Makes a pair of points a term of {@link sumTwins}, whose scalar is the same in both lanes. */
export function setTwin(term: i32, pair: usize, scalar: usize): void {
  const odd = TWIN_ODD + usize(term) * 8 * ADDEND;
  double(ROUGH, pair, true);
  toAddend(TWICE, ROUGH);
  toAddend(odd, pair);
  memory.copy(ROUGH, pair, POINT);
  for (let m: usize = 1; m < usize(MULTIPLES); m++) {
    addPoint(ROUGH, ROUGH, TWICE, false, true);
    toAddend(odd + m * ADDEND, ROUGH);
  }
  const digits = TWIN_DIGITS + (usize(term) << 8);
  memory.fill(digits, 0, BITS);
  recode(digits, 1, scalar, WINDOW);
}

/** sum = in each lane, the terms. */
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
