/* Reads bytes in order. Input that does not follow its format ends the call: the host's `abort` throws. */

let at: usize = 0;
let end: usize = 0;

/** Sets the range to read. */
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

/** Skips bytes. @returns their address. */
export function skip(length: u64): usize {
  if (length > left()) throw new Error('unexpected end of input');
  const start = at;
  at += usize(length);
  return start;
}

export function byte(): u32 {
  return load<u8>(skip(1));
}

/** Fails unless all bytes were read. */
export function close(): void {
  if (at != end) throw new Error('bytes left over');
}

/** Reads up to 64 bits in groups of seven, the least significant first. */
export function varint(): u64 {
  let value: u64 = 0;
  let shift: u64 = 0;
  while (true) {
    const group = u64(byte());
    if (group == 0 && shift > 0) throw new Error('varint: trailing zero byte');
    // The tenth group has one bit only.
    if (shift > 63 || (shift == 63 && group > 1)) throw new Error('varint: exceeds u64');
    value |= (group & 0x7f) << shift;
    if (group < 0x80) return value;
    shift += 7;
  }
}

/** Largest safe integer of the host. */
export const MAX_SAFE: u64 = (1 << 53) - 1;

/** Reads a {@link varint} that is a safe integer of the host. */
export function number(): u64 {
  const value = varint();
  if (value > MAX_SAFE) throw new Error('varint: exceeds the safe range');
  return value;
}

/** Reads the number of items that follow; each takes at least one byte. */
export function count(): u32 {
  const items = number();
  if (items > left()) throw new Error('list: count exceeds the input');
  return u32(items);
}
