/* Reads bytes one after the other. Whatever does not follow its format is refused: the host's `abort` throws. */

let at: usize = 0;
let end: usize = 0;

/** Reads from here on, up to an end. */
export function open(from: usize, to: usize): void {
  at = from;
  end = to;
}

export function position(): usize {
  return at;
}
export function left(): u64 {
  return u64(end - at);
}

/** Passes over bytes. @returns where they begin. */
export function pass(length: u64): usize {
  if (length > left()) throw new Error('unexpected end of input');
  const start = at;
  at += usize(length);
  return start;
}

export function byte(): u32 {
  return load<u8>(pass(1));
}

/** Nothing must be left. */
export function close(): void {
  if (at != end) throw new Error('bytes left over');
}

/** Up to 64 bits in groups of seven, the least significant first. */
export function varint(): u64 {
  let value: u64 = 0;
  let shift: u64 = 0;
  while (true) {
    const group = u64(byte());
    if (group == 0 && shift > 0) throw new Error('varint: trailing zero byte');
    // Nine groups leave one bit to the tenth.
    if (shift > 63 || (shift == 63 && group > 1)) throw new Error('varint: exceeds u64');
    value |= (group & 0x7f) << shift;
    if (group < 0x80) return value;
    shift += 7;
  }
}

/** What the host can take as a number. */
export const MOST: u64 = (1 << 53) - 1;

/** A {@link varint} that the host can take as a number. */
export function number(): u64 {
  const value = varint();
  if (value > MOST) throw new Error('varint: exceeds the safe range');
  return value;
}

/** How many items follow; each takes a byte at least. */
export function count(): u32 {
  const items = number();
  if (items > left()) throw new Error('list: count exceeds the input');
  return u32(items);
}
