/* Multiples of the base point G: a table of m * 32^w * G, m = 1 to 16, for every window w of a scalar. */
import { copy, ELEMENT, multiply, setLane, setSmall } from './field';
import { ADDEND, addPoint, decompress, divideByZ, double, POINT, setIdentity, toAddend } from './point';
import { toDigits, WINDOWS } from './scalar';

const G_BYTES = memory.data<u64>([
  0x6666666666666658, 0x6666666666666666, 0x6666666666666666, 0x6666666666666666,
]);

/** Two multiples share an addend of two lanes: 8 addends a window. */
const PER_WINDOW: i32 = 8;
/** 51 windows. */
const TABLE = memory.data(261120, 16);
/** Points of one window before they are made affine. */
const ROUGH = memory.data(5120, 16);
const STEP = memory.data(640, 16);
const SUM = memory.data(640, 16);
const NEUTRAL = memory.data(640, 16);

export function prepareBase(): void {
  setIdentity(SUM);
  toAddend(NEUTRAL, SUM);
  decompress(SUM, G_BYTES, G_BYTES);
  for (let window = 0; window < WINDOWS; window++) {
    // SUM is 32^w * G in both lanes; ROUGH becomes its multiples 1 and 2, 3 and 4, and so on.
    double(STEP, SUM, true);
    for (let element: usize = 0; element < POINT; element += ELEMENT) {
      copy(ROUGH + element, SUM + element);
      setLane(ROUGH + element, 1, STEP + element, 1, false);
    }
    toAddend(STEP_ADDEND, STEP);
    for (let i: usize = 1; i < usize(PER_WINDOW); i++)
      addPoint(ROUGH + i * POINT, ROUGH + (i - 1) * POINT, STEP_ADDEND, false, true);
    // 32 times on: the last pair holds 15 and 16 times.
    for (let element: usize = 0; element < POINT; element += ELEMENT) {
      const last = ROUGH + usize(PER_WINDOW - 1) * POINT + element;
      setLane(SUM + element, 0, last, 1, false);
      setLane(SUM + element, 1, last, 1, false);
    }
    double(SUM, SUM, true);
    divideByZ(ROUGH, PER_WINDOW, POINT);
    for (let i: usize = 0; i < usize(PER_WINDOW); i++) {
      const point = ROUGH + i * POINT;
      setSmall(point + 2 * ELEMENT, 1);
      multiply(point + 3 * ELEMENT, point, point + ELEMENT);
      toAddend(TABLE + usize(window * PER_WINDOW + i32(i)) * ADDEND, point);
    }
  }
}

const STEP_ADDEND = memory.data(640, 16);
const CHOSEN = memory.data(640, 16);
const DIGITS_0 = memory.data(64);
const DIGITS_1 = memory.data(64);

/** Puts digit * 32^w * G into a lane of CHOSEN. */
function chooseMultiple(lane: usize, window: i32, digit: i32): void {
  const minus = digit < 0;
  const magnitude = minus ? -digit : digit;
  const from = usize((magnitude - 1) & 1);
  const entry =
    magnitude == 0 ? NEUTRAL : TABLE + usize(window * PER_WINDOW + ((magnitude - 1) >> 1)) * ADDEND;
  setLane(CHOSEN, lane, entry + (minus ? ELEMENT : 0), from, false);
  setLane(CHOSEN + ELEMENT, lane, entry + (minus ? 0 : ELEMENT), from, false);
  setLane(CHOSEN + 2 * ELEMENT, lane, entry + 2 * ELEMENT, from, false);
  setLane(CHOSEN + 3 * ELEMENT, lane, entry + 3 * ELEMENT, from, minus);
}

/** p = p + s*G, or p - s*G, a scalar a lane. Table look-ups depend on the scalars. */
export function addBaseMultiples(p: usize, first: usize, second: usize, minus: bool): void {
  toDigits(DIGITS_0, first);
  toDigits(DIGITS_1, second);
  for (let window = 0; window < WINDOWS; window++) {
    chooseMultiple(0, window, i32(load<i8>(DIGITS_0 + usize(window))));
    chooseMultiple(1, window, i32(load<i8>(DIGITS_1 + usize(window))));
    addPoint(p, p, CHOSEN, minus, window < WINDOWS - 1);
  }
}
