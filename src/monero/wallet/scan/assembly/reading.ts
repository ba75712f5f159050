/** Reads bytes in order. If the input does not follow its format, the call ends: the host's `abort` throws. */

let at: usize = 0;
let end: usize = 0;

/** Sets the range of addresses to read. */
export function open(from: usize, to: usize): void {
  at = from;
  end = to;
}

/** Returns the address of the next byte to read. */
export function position(): usize {
  return at;
}
/** Returns the number of bytes that are left to read. */
export function left(): u64 {
  return u64(end - at);
}

/** Skips bytes. @returns the address of the first skipped byte. */
export function skip(length: u64): usize {
  if (length > left()) throw new Error('unexpected end of input');
  const start = at;
  at += usize(length);
  return start;
}

/** Reads one byte. */
export function byte(): u32 {
  return load<u8>(skip(1));
}

/** Fails unless all bytes were read. */
export function close(): void {
  if (at != end) throw new Error('bytes left over');
}

/** Reads an unsigned integer of up to 64 bits, encoded in groups of seven bits, the least significant group first. */
export function varint(): u64 {
  let value: u64 = 0;
  let shift: u64 = 0;
  while (true) {
    const group = u64(byte());
    if (group == 0 && shift > 0) throw new Error('varint: trailing zero byte');
    // Only the lowest bit of the tenth group fits into 64 bits.
    if (shift > 63 || (shift == 63 && group > 1)) throw new Error('varint: exceeds u64');
    value |= (group & 0x7f) << shift;
    if (group < 0x80) return value;
    shift += 7;
  }
}

/** Largest integer that a JavaScript number of the host represents exactly. */
export const MAX_SAFE: u64 = (1 << 53) - 1;

/** Reads a {@link varint}. Ends the call if it exceeds {@link MAX_SAFE}. */
export function number(): u64 {
  const value = varint();
  if (value > MAX_SAFE) throw new Error('varint: exceeds the safe range');
  return value;
}

/**
 * Reads the number of items that follow. Ends the call if it exceeds the remaining bytes, since each item has at least
 * one.
 */
export function count(): u32 {
  const items = number();
  if (items > left()) throw new Error('list: count exceeds the input');
  return u32(items);
}
